"""What is read of the sessions of Gemini CLI."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest

from hunch.sources.conversations.gemini import GEMINI
from hunch.sources.conversations.gemini_state import GeminiState
from hunch.sources.conversations.places import Places
from support.conversations.copilot import write_object
from support.conversations.gemini import (
    CALLS,
    DIRECTORY,
    SESSION,
    TOLD,
    compressed,
    header,
    line_steps,
    model,
    person,
    project,
    records,
)
from support.conversations.lines import moment, stamp, write_lines
from support.conversations.shelf import Shelf, read_all, talk

if TYPE_CHECKING:
    from pathlib import Path

NAME = "session-2026-10-05T09-00-44444444"
A, B, C = (f"{SESSION[:8]}-00{number}" for number in (1, 2, 3))
SAID = [person(1, "a"), model(2, "b"), person(3, "c")]


def test_a_turn_tells_where_and_when(tmp_path: Path) -> None:
    """Folder, times, model and calls come from the records."""
    said = [header(), person(1, "How?"), model(2, "So.", toolCalls=CALLS)]
    write_lines(project(tmp_path) / f"{NAME}.jsonl", said)
    (turn,) = read_all(GEMINI, Places(tmp_path))
    assert (turn.conversation, turn.directory, turn.model) == (SESSION, DIRECTORY, "g-3")
    assert (turn.started, turn.ended) == (moment(1), moment(2))
    assert [step.text for step in turn.steps] == ["So.", "read_file mixer.c"]


CHANGES: dict[str, tuple[list[dict[str, Any]], list[str]]] = {
    "nothing": ([], ["a", "b", "c"]),
    "rewind": ([{"$rewindTo": B}], ["a"]),
    "rewind to what is nowhere": ([{"$rewindTo": "x"}], []),
    "the same id again": ([model(2, "B")], ["a", "B", "c"]),
    "set other things": ([{"$set": {"summary": "HIDDEN"}}], ["a", "b", "c"]),
    "set messages": ([{"$set": {"messages": [person(5, "e")]}}], ["e"]),
    "patch one": ([{"$patch": {"id": A, "content": "A"}}], ["A", "b", "c"]),
    "patch calls only": ([{"$patch": {"id": A, "toolCalls": [{"id": "x"}]}}], ["a", "b", "c"]),
    "patch several": (
        [{"$patch": {"updates": [{"id": A, "content": "A"}, {"id": C, "content": "C"}]}}],
        ["A", "b", "C"],
    ),
    "patch removes": ([{"$patch": {"removeIds": [A, "x"]}}], ["b", "c"]),
    "patch orders": ([{"$patch": {"orderIds": [C, "x", A]}}], ["c", "a", "b"]),
    "other types": ([{"id": "w", "type": "warning", "content": "HIDDEN"}], ["a", "b", "c"]),
}


@pytest.mark.parametrize("name", CHANGES)
def test_records_change_what_was_said(name: str) -> None:
    """Each record has the effect that the program gives it."""
    changes, texts = CHANGES[name]
    state = GeminiState()
    for record in [header(), *SAID, *changes]:
        assert not state.apply(record)
    assert [entry.text for entry in state.entries.values()] == texts


@pytest.mark.parametrize(
    ("content", "extra", "question"),
    [
        ("plain", {}, "plain"),
        ([{"text": "one "}, {"text": "text"}], {}, "one text"),
        ([{"text": "a HIDDEN file"}], {"displayContent": "@file"}, "@file"),
        ([{"text": "seen"}, {"text": "HIDDEN", "thought": True}], {}, "seen"),
        ("/stats", {}, ""),
        ("?", {}, ""),
        ("<session_context>HIDDEN</session_context>", {}, ""),
        ("<hook_context>HIDDEN</hook_context>", {}, ""),
        ([{"functionResponse": {"x": "HIDDEN"}}], {}, ""),
        (None, {}, ""),
    ],
)
def test_what_a_person_typed(content: Any, extra: dict[str, Any], question: str) -> None:
    """Commands, injected context and results of tools are no questions."""
    state = GeminiState()
    state.apply(person(1, content, **extra))
    assert [entry.text for entry in state.entries.values()] == [question]


def test_resuming_keeps_times_and_calls(tmp_path: Path) -> None:
    """All is written again when a session is resumed, as of then and without calls and models."""
    said = [header(), person(1, "How?"), model(2, "So.", toolCalls=CALLS)]
    again = [each | {"timestamp": stamp(50)} for each in said[1:]]
    again[1] = {key: again[1][key] for key in ("id", "timestamp", "type", "content")}
    resumed = [
        header(startTime=stamp(50)),
        {"$set": {"messages": []}},
        {"$set": {"messages": again}},
    ]
    write_lines(project(tmp_path) / "s.jsonl", [*said, *resumed, person(60, "And then?")])
    shelf = Shelf(GEMINI)
    (log,) = GEMINI.discover(Places(tmp_path))
    shelf.read(log)
    first, last = shelf.turns
    assert shelf.conversations[SESSION].started == moment(0)
    assert (first.started, first.ended, first.model) == (moment(1), moment(2), "g-3")
    assert [step.text for step in first.steps if step.is_tool] == ["read_file mixer.c"]
    assert last.started == moment(60)


def test_unknown_records_are_counted(tmp_path: Path) -> None:
    """A format change is seen."""
    odd = [{"$merge": {}}, {}, {"id": "x", "type": "hologram"}]
    write_lines(project(tmp_path) / f"{NAME}.jsonl", [header(), *odd])
    shelf = Shelf(GEMINI)
    (log,) = GEMINI.discover(Places(tmp_path))
    shelf.read(log)
    assert shelf.unknown == {"$merge": 1, "empty": 1, "type:hologram": 1}


def test_sub_agents_are_labelled(tmp_path: Path) -> None:
    """Their files lie in a folder that has the name of the session that called them."""
    said = [header(kind="subagent", sessionId="child"), person(1, "Find the calls.")]
    write_lines(project(tmp_path) / SESSION / "child.jsonl", said)
    shelf = Shelf(GEMINI)
    (log,) = GEMINI.discover(Places(tmp_path))
    shelf.read(log)
    assert [turn.is_subagent for turn in shelf.turns] == [True]
    assert shelf.conversations["child"].parent == SESSION


def test_a_session_that_was_copied_is_read_once(tmp_path: Path) -> None:
    """The copy in the folder of the project's name comes before the one in that of its hash."""
    messages = compressed()["$set"]["messages"]
    for name in ("radio", sha256(DIRECTORY.encode()).hexdigest()):
        write_object(project(tmp_path, name) / f"{NAME}.json", header(messages=messages))
    assert sorted(talk(read_all(GEMINI, Places(tmp_path)))) == sorted(TOLD)
    assert [log.rank for log in GEMINI.discover(Places(tmp_path))] == [2, 1]


@pytest.mark.parametrize(
    "known", ["root", "list", "list by hash", "hash of another root", "nothing"]
)
def test_the_directory_of_a_project(known: str, tmp_path: Path) -> None:
    """It is recorded beside the chats, or known by the name or the hash of the project."""
    hashed = sha256(DIRECTORY.encode()).hexdigest()
    name = hashed if "hash" in known else "music"
    write_lines(project(tmp_path, name) / f"{NAME}.jsonl", records())
    if known == "root":
        (project(tmp_path, name).parent / ".project_root").write_text(f"{DIRECTORY}\n")
    elif known.startswith("list"):
        write_object(tmp_path / ".gemini" / "projects.json", {"projects": {DIRECTORY: "music"}})
    elif known == "hash of another root":
        project(tmp_path)
    turns = read_all(GEMINI, Places(tmp_path))
    assert {turn.directory for turn in turns} == {"" if known == "nothing" else DIRECTORY}


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({}, ""),
        ({}, ".cache"),
        ({"GEMINI_CLI_HOME": "~/other"}, "other"),
    ],
)
def test_places(variables: dict[str, str], folder: str, tmp_path: Path) -> None:
    """Sessions are found in the home folder, in the sandbox's, or where the variable says."""
    for _ in line_steps(tmp_path / folder):
        pass
    (tmp_path / folder / ".gemini" / "tmp" / "radio" / "logs.json").write_text("[]")
    assert len(list(GEMINI.discover(Places(tmp_path, variables)))) == 1


def test_backups_are_not_read(tmp_path: Path) -> None:
    """Files that the program put aside are no sessions."""
    write_lines(project(tmp_path) / f"{NAME}.jsonl.unreadable-1", records())
    write_object(project(tmp_path) / "other.json", {})
    assert not list(GEMINI.discover(Places(tmp_path)))
