"""Conversations through the real doors: the language server and the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.command_line import CommandLine
from support.conversations.claude import ClaudeTranscript
from support.lsp_raw import RawClient, private_env

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

QUESTION = "What did we decide about retries of the pomegranate service?"
ANSWER = "Exponential back-off with jitter, capped at thirty seconds."


def write_log(home: Path) -> ClaudeTranscript:
    """Write a conversation where Claude Code keeps it."""
    made = ClaudeTranscript()
    made.person(QUESTION)
    made.calls("Read", file_path="/home/robin/src/walker/client.py")
    made.says(ANSWER)
    made.write(home / ".claude/projects")
    return made


@pytest.fixture
def client(tmp_path: Path) -> Iterator[RawClient]:
    """An editor with an empty folder, on a machine where an agent was used."""
    environment = private_env(tmp_path)
    write_log(tmp_path / "home")
    root = tmp_path / "project"
    root.mkdir()
    client = RawClient(environment | {"HOME": str(tmp_path / "home")})
    client.initialize([root])
    yield client
    client.kill()


def search(client: RawClient, query: str) -> list[dict[str, Any]]:
    """Search by words until something is found, and return the hits."""
    for _ in range(2_000):
        if hits := client.result("hunch/search", {"query": query, "mode": "keyword"})["hits"]:
            return hits
    raise AssertionError(client.result("hunch/status"))


def test_a_turn_is_found_and_opened(client: RawClient) -> None:
    """A hit names agent, session and time, and both requests give the text its range is in."""
    [hit] = search(client, "jitter")
    assert (hit["kind"], hit["title"]) == ("conversation", QUESTION)
    assert hit["detail"].startswith("claude-code · walker · ")
    assert hit["uri"].startswith("hunch-session:/claude-code/")
    assert hit["source"]["folder"] == "file:///home/robin/src/walker"
    assert hit["source"]["session"] in hit["uri"]
    assert hit["timestamp"].endswith("Z")
    content = client.result("hunch/content", {"uri": hit["uri"]})
    assert content["languageId"] == "markdown"
    assert client.result("workspace/textDocumentContent", {"uri": hit["uri"]}) == {
        "text": content["text"]
    }
    place = hit["range"]
    shown = content["text"].split("\n")[place["start"]["line"] : place["end"]["line"]]
    assert QUESTION in shown
    assert ANSWER in shown
    assert "HIDDEN" not in content["text"]


@pytest.mark.parametrize("uri", ["file:///x", "hunch-session:/claude-code/none.md", "nonsense"])
def test_what_is_no_conversation_is_refused(client: RawClient, uri: str) -> None:
    """A URI that names no conversation is the client's fault, and says so."""
    assert client.error("hunch/content", {"uri": uri})["data"]["field"] == "uri"


def test_a_turn_is_found_soon_after_it_was_written(client: RawClient, tmp_path: Path) -> None:
    """The server watches the logs by itself."""
    search(client, "jitter")
    made = write_log(tmp_path / "home")
    made.person("Which fruit is left for the people who only read the summary?")
    made.says("The durian, as always.")
    made.write(tmp_path / "home/.claude/projects")
    [hit] = search(client, "durian")
    assert hit["title"].startswith("Which fruit")


def test_the_status_knows_the_agents(client: RawClient) -> None:
    """Every agent whose logs were found is a source, with its conversations and turns."""
    search(client, "jitter")
    found = [s for s in client.result("hunch/status")["sources"] if s["kind"] == "conversations"]
    assert [(s["label"], s["conversations"], s["documents"]) for s in found] == [
        ("claude-code", 1, 1)
    ]


@pytest.fixture
def shell(tmp_path: Path) -> CommandLine:
    """A shell in an empty folder, on a machine where an agent was used."""
    home, here = tmp_path / "home", tmp_path / "here"
    here.mkdir()
    write_log(home)
    return CommandLine(home, here)


def test_the_command_line_finds_and_shows(shell: CommandLine) -> None:
    """`sources` lists the agent, `search` finds the turn, `show` prints the conversation."""
    listed = shell.run("sources")
    assert listed.code == 0
    told, _, place = listed.out.strip().rpartition(", in ")
    assert told == "claude-code  1 conversation, 1 turn, read just now"
    assert place.endswith(".claude/projects/-home-robin-src-walker")
    found = shell.run("search", "jitter", "--kind", "conversation", "--agent", "claude-code")
    assert found.code == 0
    first = found.out.splitlines()[0]
    assert first.startswith("claude-code · walker · ")
    assert first.endswith(f"{QUESTION}  conversation")
    assert ANSWER in found.out
    name = first.split("  ")[1]
    shown = shell.run("show", name)
    assert shown.code == 0
    assert ANSWER in shown.out.split("\n")
    [hit] = shell.run("search", "jitter", "--mode", "keyword", "--json").document["hits"]
    assert shell.run("show", hit["uri"]).out == shown.out


def test_a_conversation_is_shown_that_nobody_has_read_yet(shell: CommandLine) -> None:
    """`show` reads what is new when it does not know a name; `problems` needs no indexed folder."""
    name = next((shell.home / ".claude/projects").rglob("*.jsonl")).stem
    shown = shell.run("show", name)
    assert shown.code == 0
    assert ANSWER in shown.out.split("\n")
    told = shell.run("problems")
    assert (told.code, told.out) == (0, "")
    assert "This folder is not indexed yet" in told.err


def test_the_command_line_narrows_to_agents_and_times(shell: CommandLine) -> None:
    """Another agent, or another time, finds nothing; an unknown conversation is not shown."""
    assert shell.run("search", "jitter", "--agent", "codex").code == 1
    assert shell.run("search", "jitter", "--since", "2100-01-01").code == 1
    missing = shell.run("show", "ffffffff")
    assert (missing.code, missing.out) == (1, "")
    assert "No conversation" in missing.err
