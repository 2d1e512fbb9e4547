"""Conversations with agents are found beside the code, read to their end and opened at the turn."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from hunch import session_uris
from hunch.config import DEFAULTS
from hunch.model import Filter, Kind, Mode, RelatedQuery
from support.conversations import opencode
from support.conversations.claude import DIRECTORY, SESSION, ClaudeTranscript
from support.engine_app import PATIENCE, engine, index, search, settled, write_files
from support.engine_embedder import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hunch.app import App
    from hunch.model import Hit, IndexState

ANSWER = "Exponential back-off with jitter, so that the pomegranates do not wake in step."
FRUIT = "def ripen(pomegranate):\n    return pomegranate.seeds\n"


@pytest.fixture
def projects(tmp_path: Path) -> Path:
    """Where Claude Code keeps its transcripts."""
    return tmp_path / "home/.claude/projects"


def transcript() -> ClaudeTranscript:
    """A conversation of two turns, with a tool call in the first."""
    made = ClaudeTranscript()
    made.person("What did we decide about retries of the pomegranate service?")
    made.says("Let me look at the client that talks to it.")
    made.calls("Read", file_path="/home/robin/src/walker/client.py")
    made.says(ANSWER)
    made.person("And how long do we wait between two of the attempts at most?")
    made.says("Thirty seconds; after that the kumquat takes over.")
    return made


async def read(app: App) -> IndexState:
    """Read what is new, and wait until that is done."""
    app.index.open_conversations()
    return await settled(app)


async def found(app: App, text: str, *roots: Path, **only: object) -> list[Hit]:
    """Search conversations by their words."""
    wanted = Filter(kinds=frozenset({Kind.CONVERSATION}), **only)  # type: ignore[arg-type]
    return [*await search(app, text, *roots, mode=Mode.KEYWORD, only=wanted)]


@pytest.mark.asyncio
async def test_a_turn_is_found_with_its_question_and_opened_in_its_conversation(
    tmp_path: Path, database: Path, projects: Path
) -> None:
    """Whatever word of question or answer is asked for, the hit's range shows that turn."""
    transcript().write(projects)
    async with engine(database, HashingEmbedder(), home=tmp_path / "home") as app:
        state = await read(app)
        assert (state.state, state.sources[0].conversations, state.counts.documents) == (
            "ready",
            1,
            2,
        )
        for words, question in (
            ("jitter", "What did we decide"),
            ("kumquat", "And how long do we wait"),
            ("attempts at most", "And how long do we wait"),
        ):
            [hit] = await found(app, words)
            assert hit.title.startswith(question)
            assert hit.conversation is not None
            assert hit.conversation.detail.startswith("claude-code · walker · 20")
            assert session_uris.from_uri(hit.uri) == ("claude-code", SESSION)
            text = await app.search.session("claude-code", SESSION)
            assert text is not None
            lines = text.split("\n")[hit.range.start.line : hit.range.end.line]
            assert lines[0].startswith("## You · 20")
            assert any(question in line for line in lines)
            assert any(words in line for line in lines)
        assert "HIDDEN" not in text
        assert "> Read /home/robin/src/walker/client.py" in text.split("\n")


@pytest.mark.asyncio
async def test_tool_output_and_short_turns_are_not_searched(
    tmp_path: Path, database: Path, projects: Path
) -> None:
    """A turn that says next to nothing stays readable; what tools said is not even that."""
    made = transcript()
    made.person("thanks, persimmon")
    made.write(projects)
    async with engine(database, HashingEmbedder(), home=tmp_path / "home") as app:
        await read(app)
        assert await found(app, "persimmon") == []
        assert await found(app, "HIDDEN") == []
        text = await app.search.session("claude-code", SESSION)
        assert text is not None
        assert "thanks, persimmon" in text


@pytest.mark.asyncio
async def test_one_list_over_code_and_conversations(
    tmp_path: Path, database: Path, projects: Path
) -> None:
    """A question finds both, kinds and agents narrow it, and so do times of the turns."""
    transcript().write(projects)
    root = write_files(tmp_path / "project", {"fruit.py": FRUIT}).resolve()
    async with engine(database, HashingEmbedder(), home=tmp_path / "home") as app:
        await index(app, root)
        await read(app)
        kinds = {hit.kind for hit in await search(app, "pomegranate", root)}
        assert kinds == {Kind.CODE, Kind.CONVERSATION}
        assert await found(app, "pomegranate", root, agents=frozenset({"codex"})) == []
        [hit] = await found(app, "pomegranate", root, agents=frozenset({"claude-code"}))
        assert hit.conversation is not None
        started = hit.conversation.started
        assert started is not None
        assert await found(app, "pomegranate", since=datetime(2100, 1, 1, tzinfo=UTC)) == []
        assert await found(app, "pomegranate", until=started.replace(year=1990)) == []
        assert len(await found(app, "pomegranate", since=started)) == 1


@pytest.mark.asyncio
async def test_the_day_of_a_turn_is_one_of_its_words(
    tmp_path: Path, database: Path, projects: Path
) -> None:
    """Of conversations with the same words, that of the named day or month comes first."""
    days = {"1": "2026-03-11", "2": "2026-10-05", "3": "2026-10-21"}
    for number, day in days.items():
        made = ClaudeTranscript(session=number * 8 + SESSION[8:])
        at = f"{day}T12:00:00Z"
        made.person(f"What about the cherimoya in basket number {number}?", timestamp=at)
        made.says("It is to be peeled before it is weighed.", timestamp=at)
        made.write(projects)
    async with engine(database, HashingEmbedder(), home=tmp_path / "home") as app:
        await read(app)
        for words, firsts in (("March", "1"), ("October", "23"), ("on October 21, 2026", "3")):
            hits = await found(app, f"cherimoya in {words}")
            assert {hit.title[-2] for hit in hits[: len(firsts)]} == set(firsts)


@pytest.mark.asyncio
async def test_what_is_written_later_is_read_and_nothing_twice(
    tmp_path: Path, database: Path, projects: Path
) -> None:
    """A growing log costs its new turns only, and an answer that goes on replaces its beginning."""
    made = transcript()
    made.write(projects)
    embedder = HashingEmbedder()
    async with engine(database, embedder, home=tmp_path / "home") as app:
        await read(app)
        asked = len(embedder.asked)
        app.index.request()
        await settled(app)
        assert len(embedder.asked) == asked
        made.says("It was the tamarillo in the first draft.")
        made.person("Which fruit is left for the people who only read the summary?")
        made.says("The durian, as always.")
        made.write(projects)
        app.index.request()
        state = await settled(app)
        assert state.counts.documents == 3
        assert len(embedder.asked) == asked + 2
        [longer] = await found(app, "tamarillo")
        assert longer.title.startswith("And how long do we wait")
        assert len(await found(app, "kumquat")) == 1
        assert len(await found(app, "durian")) == 1


@pytest.mark.asyncio
async def test_watched_logs_are_read_as_they_are_written(
    tmp_path: Path, database: Path, projects: Path
) -> None:
    """A turn is found soon after its line was written, without anybody asking to look."""
    made = transcript()
    made.write(projects)
    async with engine(database, HashingEmbedder(), home=tmp_path / "home") as app:
        app.index.watch(by_client=True)
        await read(app)
        made.person("Which fruit is left for the people who only read the summary?")
        made.says("The durian, as always.")
        made.write(projects)
        async with asyncio.timeout(PATIENCE):
            while not await found(app, "durian"):
                pass


@pytest.mark.asyncio
async def test_a_deleted_log_keeps_its_turns_unless_they_are_to_be_forgotten(
    tmp_path: Path, database: Path, projects: Path
) -> None:
    """What an agent throws away stays searchable and says so; a setting changes that."""
    path = transcript().write(projects)
    async with engine(database, HashingEmbedder(), home=tmp_path / "home") as app:
        await read(app)
        path.unlink()
        app.index.request()
        await settled(app)
        [hit] = await found(app, "jitter")
        assert hit.conversation is not None
        assert hit.conversation.is_gone
        assert hit.signals["sourceGone"] is True
        await app.index.reconfigure(replace(DEFAULTS, conversations_forget_deleted=True))
        await settled(app)
        assert await found(app, "jitter") == []
        transcript().write(projects)
        app.index.request()
        await settled(app)
        [hit] = await found(app, "jitter")
        assert hit.conversation is not None
        assert not hit.conversation.is_gone


def _marked(made: ClaudeTranscript) -> None:
    made.person("hunch: do not index\nThis is between you and me and the lychee.")


OUT = {
    "switched off": ({"conversations_off": ("claude-code",)}, None),
    "all switched off": ({"conversations_off": ("all",)}, None),
    "its project is excluded": ({"conversations_exclude": (DIRECTORY,)}, None),
    "a folder above is excluded": ({"conversations_exclude": ("/home/robin",)}, None),
    "it says so itself": ({}, _marked),
}


@pytest.mark.asyncio
@pytest.mark.parametrize(("changes", "change"), OUT.values(), ids=OUT)
async def test_conversations_that_are_left_out(
    tmp_path: Path,
    database: Path,
    projects: Path,
    changes: dict[str, object],
    change: Callable[[ClaudeTranscript], None] | None,
) -> None:
    """What is to be left out goes, however long it was in the index, and does not come back."""
    made = transcript()
    made.write(projects)
    async with engine(database, HashingEmbedder(), home=tmp_path / "home") as app:
        await read(app)
        assert len(await found(app, "jitter")) == 1
        if change:
            change(made)
        await app.index.reconfigure(replace(DEFAULTS, **changes))  # type: ignore[arg-type]
        made.person("And what becomes of the lychee in the meantime, if I may ask?")
        made.write(projects)
        app.index.request()
        await settled(app)
        assert await found(app, "jitter") == []
        assert await found(app, "lychee") == []
        await app.index.reconfigure(DEFAULTS)
        app.index.request()
        await settled(app)
        assert len(await found(app, "jitter")) == (0 if change else 1)


@pytest.mark.asyncio
async def test_conversations_about_the_open_folder_come_first(
    tmp_path: Path, database: Path, projects: Path
) -> None:
    """Of several that answer equally well, those held in the open folder are on top, and say why."""
    root = write_files(tmp_path / "project", {"fruit.py": FRUIT}).resolve()
    moved = f"/no/such/place/{root.name}/src"
    for number, directory in enumerate((DIRECTORY, str(root / "src"), "/elsewhere", moved)):
        made = ClaudeTranscript(session=f"{number}{SESSION[1:]}")
        made.person(f"What did we decide about the loquat number {number}?", cwd=directory)
        made.says("It is to be peeled before it is weighed.", cwd=directory)
        made.write(projects, f"-project-{number}")
    async with engine(database, HashingEmbedder(), home=tmp_path / "home") as app:
        await index(app, root)
        await read(app)
        hits = await found(app, "decide loquat peeled weighed", root)
        assert len(hits) == 4
        assert {hit.title[-2] for hit in hits[:2]} == {"1", "3"}
        assert [bool(hit.signals.get("here")) for hit in hits] == [True, True, False, False]


@pytest.mark.asyncio
async def test_related_code_leads_to_the_conversation_about_it(
    tmp_path: Path, database: Path, projects: Path
) -> None:
    """Asking from a place finds the turn that names its symbol or its file, marked as such."""
    made = ClaudeTranscript()
    made.person("Please make ripen_slowly in orchard/fruit.py wait for the whole season.")
    made.says("Done: it asks the calendar first.")
    made.person("What else is there to do today in the greenhouse, do you know?")
    made.says("Nothing that could not wait until tomorrow morning.")
    made.write(projects)
    code = "def ripen_slowly(pear):\n    return pear.rest()\n"
    root = write_files(tmp_path / "project", {"orchard/fruit.py": code}).resolve()
    async with engine(database, HashingEmbedder(), home=tmp_path / "home") as app:
        await index(app, root)
        await read(app)
        query = RelatedQuery(
            code, path=root / "orchard/fruit.py", symbol="ripen_slowly", roots=(root,)
        )
        hits = (await app.search.related(query)).hits
        assert hits[0].conversation is not None
        assert hits[0].signals["mentions"] is True
        assert [bool(hit.signals.get("mentions")) for hit in hits[1:]] == [False]


@pytest.mark.asyncio
async def test_records_that_nobody_knows_are_counted_and_listed(
    tmp_path: Path, database: Path, projects: Path
) -> None:
    """A change of the format is seen: by kind in the problems, as a sentence in the state."""
    made = ClaudeTranscript()
    made.state("quantum-entanglement", spin="up")
    path = made.write(projects)
    async with engine(database, HashingEmbedder(), home=tmp_path / "home") as app:
        state = await read(app)
        assert state.counts.not_understood == 1
        assert "nothing in them is understood" in state.sources[0].message
        [(source, problem)] = await app.index.problems()
        assert source.label == "claude-code"
        assert (problem.path, problem.state) == (str(path.resolve()), "not understood")
        assert "1 × quantum-entanglement" in problem.reason


@pytest.mark.asyncio
async def test_small_logs_are_written_together(
    tmp_path: Path, database: Path, projects: Path
) -> None:
    """Forty sessions make one change of the index, each is found, and none is read again."""
    for number in range(40):
        made = ClaudeTranscript(session=f"{number:08}" + SESSION[8:])
        made.person(f"What did we decide about the satsuma in crate crate{number}x of the ship?")
        made.says("It is to be peeled before it is weighed.")
        made.write(projects)
    embedder = HashingEmbedder()
    async with engine(database, embedder, home=tmp_path / "home") as app:
        await read(app)
        with closing(sqlite3.connect(database)) as connection:
            assert connection.execute("SELECT count(*) FROM segments").fetchone() == (1,)
        for number in (0, 17, 39):
            assert f"crate{number}x" in (await found(app, f"crate{number}x"))[0].title
        asked = len(embedder.asked)
        app.index.request()
        state = await settled(app)
        assert (state.counts.documents, len(embedder.asked)) == (40, asked)


@pytest.mark.asyncio
async def test_a_turn_in_two_logs_is_one_hit(
    tmp_path: Path, database: Path, projects: Path
) -> None:
    """A session that was resumed in another file holds old turns again, which are found once."""
    made = transcript()
    made.write(projects)
    made.session = "2" + SESSION[1:]
    made.person("Shall the rambutan be told about this, or is that a surprise?")
    made.says("It will find out by itself.")
    made.write(projects)
    async with engine(database, HashingEmbedder(), home=tmp_path / "home") as app:
        state = await read(app)
        assert state.counts.documents == 3
        assert len(await found(app, "jitter")) == 1
        assert len(await found(app, "rambutan")) == 1


@pytest.mark.asyncio
async def test_a_fork_in_the_same_log_takes_no_turns_away(tmp_path: Path, database: Path) -> None:
    """What a fork copies stays with the session that said it first; the fork has what is new."""
    sessions = opencode.OpencodeDatabase(tmp_path / "home/.local/share/opencode/opencode.db")
    sessions.session()
    sessions.message("user", opencode.text("Where does the guava come from at this time of year?"))
    sessions.message("assistant", opencode.text("From the south side of the orchard."))
    for copy in (
        "session SELECT 'fork', parent_id, directory, title, revert, time_created + 99, time_updated",
        "message SELECT 'fork' || id, 'fork', time_created, time_updated, data",
        "part SELECT 'fork' || id, 'fork' || message_id, 'fork', time_created, time_updated, data",
    ):
        sessions.run(f"INSERT INTO {copy} FROM {copy.split()[0]}")
    sessions.message("user", opencode.text("And where does the quince come from?"), session="fork")
    sessions.message("assistant", opencode.text("From the north side of it."), session="fork")
    async with engine(database, HashingEmbedder(), home=tmp_path / "home") as app:
        for _ in range(2):
            await read(app)
            [guava], [quince] = await found(app, "guava"), await found(app, "quince")
            assert opencode.SESSION in guava.uri
            assert "fork" in quince.uri
            sessions.run("UPDATE session SET time_updated = time_updated + 1")


@pytest.mark.asyncio
async def test_a_long_turn_comes_in_parts_that_open_at_their_lines(
    tmp_path: Path, database: Path, projects: Path
) -> None:
    """Nothing of a long answer is thrown away, and each part shows its own lines."""
    made = ClaudeTranscript()
    made.person("Tell me everything that you know about the orchard, please.")
    paragraphs = [
        f"Paragraph {n} speaks of fruit{n} at some length." + " word" * 60 for n in range(60)
    ]
    made.says("\n\n".join(paragraphs))
    made.write(projects)
    async with engine(database, HashingEmbedder(), home=tmp_path / "home") as app:
        state = await read(app)
        assert state.counts.chunks > 2
        text = await app.search.session("claude-code", SESSION)
        assert text is not None
        for number in (0, 30, 59):
            [hit] = [
                h for h in await found(app, f"fruit{number}") if f"fruit{number} " in h.snippet
            ]
            lines = text.split("\n")[hit.range.start.line : hit.range.end.line]
            assert any(f"fruit{number} " in line for line in lines)
            assert len(lines) < 60


@pytest.mark.asyncio
async def test_secrets_are_nowhere_in_the_index(
    tmp_path: Path, database: Path, projects: Path
) -> None:
    """What is redacted is in no byte of the database or its log, in no text embedded, in no hit."""
    secrets = [
        "AKIA" + "IOSFODNN7ABCDEFG",
        "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
        "hunter2-own-4711",
    ]
    made = ClaudeTranscript()
    made.person(f"Why is the key {secrets[0]} refused by the pomegranate service?")
    made.calls("Bash", command=f"curl -H 'Authorization: Bearer {secrets[1]}' https://example.org")
    made.says(f"Because {secrets[1]} is meant, and then also {secrets[2]}.")
    made.write(projects)
    settings = replace(DEFAULTS, conversations_redact=(r"hunter2-own-\d+",))
    embedder = HashingEmbedder()
    async with engine(database, embedder, settings=settings, home=tmp_path / "home") as app:
        await read(app)
        [hit] = await found(app, "pomegranate")
        assert "[redacted: custom]" in hit.snippet
        text = await app.search.session("claude-code", SESSION)
        assert text is not None
        files = [file.read_bytes() for file in database.parent.iterdir() if file.is_file()]
        for secret in secrets:
            assert not any(secret.encode() in content for content in files)
            assert not any(secret in asked for asked in embedder.asked)
            assert secret not in text + hit.snippet + hit.title
        assert any(b"pomegranate" in content for content in files)


@pytest.mark.asyncio
async def test_without_a_pattern_that_is_wanted_nothing_is_read(
    tmp_path: Path, database: Path, projects: Path
) -> None:
    """A redaction that cannot be done keeps everything out, and the state says which one."""
    transcript().write(projects)
    settings = replace(DEFAULTS, conversations_redact=("(",))
    async with engine(
        database, HashingEmbedder(), settings=settings, home=tmp_path / "home"
    ) as app:
        state = await read(app)
        assert state.state == "failed"
        assert "conversations.redact[0]" in state.message
        assert await found(app, "jitter") == []


@pytest.mark.asyncio
async def test_aider_is_read_in_the_open_folders(tmp_path: Path, database: Path) -> None:
    """The log that lies in a project is found when that is opened, and kept when it is closed."""
    talk = "# aider chat started at 2026-11-02 09:00:00\n\n#### Where does the guava come from?\n\nFrom the south side of the orchard.\n"
    root = write_files(tmp_path / "project", {".aider.chat.history.md": talk}).resolve()
    async with engine(database, HashingEmbedder(), home=tmp_path / "home") as app:
        await read(app)
        assert await found(app, "guava") == []
        app.index.open_folder(root)
        await settled(app)
        [hit] = await found(app, "guava", root)
        assert hit.signals["here"] is True
        app.index.close_folder(root)
        app.index.request()
        await settled(app)
        [hit] = await found(app, "guava")
        assert "sourceGone" not in hit.signals


@pytest.mark.asyncio
async def test_a_hint_costs_the_log_that_it_names(
    tmp_path: Path, database: Path, projects: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where thousands of logs lie, a line in one of them makes nobody list and look at the others."""
    made = transcript()
    path = made.write(projects)
    async with engine(database, HashingEmbedder(), home=tmp_path / "home") as app:
        app.index.watch(by_client=True)
        await read(app)
        work = app.index._conversations
        root = path.resolve().parent.parent
        await settled(app)
        monkeypatch.setattr(work, "_discover", None)
        made.person("Which fruit is left for the people who only read the summary?")
        made.says("The durian, as always.")
        made.write(projects)
        work.hint(root, frozenset({path.resolve().relative_to(root).as_posix()}))
        state = await settled(app)
        assert (state.state, len(await found(app, "durian"))) == ("ready", 1)
