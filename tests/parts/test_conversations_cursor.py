"""What is read of the chats of Cursor."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from hunch.sources.conversations.cursor import CURSOR
from hunch.sources.conversations.cursor_keys import changed_composers
from hunch.sources.conversations.cursor_store import hashes_in
from hunch.sources.conversations.cursor_text import time_in, typed
from hunch.sources.conversations.foreign_sqlite import open_foreign
from hunch.sources.conversations.places import Places
from support.conversations.cursor import (
    CHAT,
    DIRECTORY,
    TOLD,
    CursorStore,
    CursorWindow,
    add_workspace,
    messages,
    store_steps,
    transcript,
    transcript_steps,
    window_steps,
)
from support.conversations.lines import moment, write_lines
from support.conversations.shelf import Shelf, read_all, talk

if TYPE_CHECKING:
    from pathlib import Path

    from hunch.sources.conversations.places import Platform


def shelf_of(home: Path) -> Shelf:
    """Read the only log."""
    shelf = Shelf(CURSOR)
    (log,) = CURSOR.discover(Places(home))
    shelf.read(log)
    return shelf


def chat(window: CursorWindow, id_: str, *texts: str, **extra: object) -> None:
    """Write a chat of questions and answers by turns."""
    for number, text in enumerate(texts):
        window.bubble(number, 1 + number % 2, text, chat=id_)
    window.chat(*range(len(texts)), chat=id_, **extra)


def test_a_turn_tells_where_and_when(tmp_path: Path) -> None:
    """Folder, times, title, branch and calls come from the values."""
    window = CursorWindow(tmp_path)
    window.bubble(1, 1, "How?", workspaceUris=["file:///home/robin/my%20maps"])
    window.bubble(2, 2, "So.", toolFormerData={"name": "grep", "rawArgs": '{"pattern": "x"}'})
    window.chat(1, 2, createdOnBranch="main")
    shelf = shelf_of(tmp_path)
    (turn,) = shelf.turns
    assert (turn.conversation, turn.directory, turn.branch) == (CHAT, "/home/robin/my maps", "main")
    assert (turn.started, turn.ended) == (moment(1), moment(2))
    assert [step.text for step in turn.steps] == ["So.", "grep x"]
    assert shelf.conversations[CHAT].title == "Tiles"


def test_old_chats_hold_their_bubbles_themselves(tmp_path: Path) -> None:
    """An inline conversation is read; its turns have the time of the chat."""
    bubbles = [{"type": 1, "text": "Which map?"}, {"type": 2, "text": "Equal-area."}]
    window = CursorWindow(tmp_path)
    window.chat(conversation=bubbles, fullConversationHeadersOnly=None)
    add_workspace(window.user, CHAT)
    (turn,) = shelf_of(tmp_path).turns
    assert (turn.question, turn.answer, turn.started) == ("Which map?", "Equal-area.", moment(0))
    assert turn.directory == DIRECTORY


def test_bubbles_that_no_chat_names_are_left_over(tmp_path: Path) -> None:
    """Only the named bubbles count, in the order in which they are named."""
    window = CursorWindow(tmp_path)
    window.bubble(1, 2, "Second.")
    window.bubble(2, 1, "First?")
    window.bubble(3, 1, "ABANDONED?")
    window.chat(2, 1, 9)
    assert talk(shelf_of(tmp_path).turns) == [("First?", "Second.")]


def test_chats_of_sub_agents_are_labelled(tmp_path: Path) -> None:
    """A chat that another one called is no question of a person."""
    window = CursorWindow(tmp_path)
    chat(window, "child", "List the fonts.", "Two.")
    chat(window, "parent", "Which font?", "Noto.", subComposerIds=["child"])
    shelf = shelf_of(tmp_path)
    assert {turn.question: turn.is_subagent for turn in shelf.turns} == {
        "List the fonts.": True,
        "Which font?": False,
    }
    assert shelf.conversations["child"].parent == "parent"


def test_only_rows_written_since_are_looked_at(tmp_path: Path) -> None:
    """New rows tell which chats changed; of the others, only the latest are looked at again."""
    window = CursorWindow(tmp_path)
    for number in range(40):
        chat(window, f"chat-{number:02}", f"Question {number}?", "Answer.")
    shelf = shelf_of(tmp_path)
    chat(window, "chat-03", "Question 3?", "Answer.", "And then?")
    with open_foreign(window.path, frozenset({"cursorDiskKV"})) as database:
        changed = changed_composers(database, shelf.cursors)
        assert list(changed) == [*(f"chat-{number:02}" for number in range(34, 40)), "chat-03"]
    (log,) = CURSOR.discover(Places(tmp_path))
    (reading,) = shelf.read(log)
    assert (reading.key, talk(list(reading.turns))) == ("chat-03", [("And then?", "")])


def test_reading_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """Stopped after any reading, the rest is read the next time, and nothing twice."""
    window = CursorWindow(tmp_path)
    for number in range(9):
        chat(window, f"chat-{number}", f"Question {number}?", "Answer.")
    shelf = Shelf(CURSOR)
    (log,) = CURSOR.discover(Places(tmp_path))
    keys: list[str] = []
    while reading := next(CURSOR.read(log, shelf.cursors), None):
        shelf.store(reading)
        keys.append(reading.key)
    assert keys == [f"chat-{number}" for number in range(9)]


def test_a_database_that_was_made_anew_is_read_anew(tmp_path: Path) -> None:
    """Rows with lower numbers than were seen mean another file; what it says is read."""
    window = CursorWindow(tmp_path)
    for number in range(9):
        chat(window, "one", "First?", f"Answer {number}.")
    shelf = shelf_of(tmp_path)
    with closing(sqlite3.connect(window.path)) as database, database:
        database.execute("DELETE FROM cursorDiskKV")
    chat(window, "two", "Second?", "Yes.")
    (log,) = CURSOR.discover(Places(tmp_path))
    shelf.read(log)
    assert sorted(talk(shelf.turns)) == [("First?", "Answer 8."), ("Second?", "Yes.")]
    assert not shelf.read(log)


def test_a_chat_that_was_deleted_does_not_make_all_be_looked_at(tmp_path: Path) -> None:
    """Without the chat that was written last, the one before it tells what was seen."""
    window = CursorWindow(tmp_path)
    for number in range(40):
        chat(window, f"chat-{number:02}", f"Question {number}?", "Answer.")
    shelf = shelf_of(tmp_path)
    with closing(sqlite3.connect(window.path)) as database, database:
        database.execute("DELETE FROM cursorDiskKV WHERE key LIKE '%chat-39%'")
    with open_foreign(window.path, frozenset({"cursorDiskKV"})) as database:
        assert len(changed_composers(database, shelf.cursors)) == 6
    (log,) = CURSOR.discover(Places(tmp_path))
    assert not shelf.read(log)
    assert len(shelf.turns) == 40


def test_a_chat_that_is_gone_or_broken_keeps_its_turns(tmp_path: Path) -> None:
    """A value that went, or is no JSON for a moment, is no reason to forget."""
    window = CursorWindow(tmp_path)
    chat(window, CHAT, "First?", "Yes.")
    shelf = shelf_of(tmp_path)
    (log,) = CURSOR.discover(Places(tmp_path))
    for value in ("NULL", "'{\"half'"):
        with closing(sqlite3.connect(window.path)) as database, database:
            database.execute(
                f"UPDATE cursorDiskKV SET value = {value} WHERE key LIKE 'composerData%'"
            )
        shelf.read(log)
        assert talk(shelf.turns) == [("First?", "Yes.")]


def test_unknown_bubbles_and_broken_ones_are_counted(tmp_path: Path) -> None:
    """A format change is seen."""
    window = CursorWindow(tmp_path)
    chat(window, CHAT, "First?", "Yes.")
    window.bubble(2, 7, "HIDDEN")
    window.chat(0, 1, 2, 3)
    with closing(sqlite3.connect(window.path)) as database, database:
        database.execute("INSERT INTO cursorDiskKV VALUES (?, '{')", (f"bubbleId:{CHAT}:b003",))
    shelf = shelf_of(tmp_path)
    assert (shelf.unknown, shelf.broken) == ({"bubble:7": 1}, 1)


def test_three_stores_of_one_chat_give_it_once(tmp_path: Path) -> None:
    """The turn of the database of the window is kept, with its times."""
    for steps in (window_steps, store_steps, transcript_steps):
        for _ in steps(tmp_path):
            pass
    turns = read_all(CURSOR, Places(tmp_path))
    assert sorted(talk(turns)) == sorted(TOLD)
    assert {turn.directory for turn in turns} == {DIRECTORY}


def test_the_command_line_tells_where_and_when(tmp_path: Path) -> None:
    """Folder and time come from what lies beside the database and in it."""
    store = CursorStore(tmp_path)
    store.about({"cwd": DIRECTORY, "isSubagent": True})
    store.put(messages())
    shelf = shelf_of(tmp_path)
    turn = shelf.turns[0]
    assert (turn.directory, turn.started, turn.is_subagent) == (DIRECTORY, moment(0), True)
    assert [step.text for step in turn.steps if step.is_tool] == ["Shell du"]


def test_encrypted_chats_are_left_alone_and_counted(tmp_path: Path) -> None:
    """A chat with a key is not decoded."""
    CursorStore(tmp_path).put(messages(), blobEncryptionKey="HIDDEN")
    shelf = shelf_of(tmp_path)
    assert (shelf.turns, shelf.unknown) == ([], {"encrypted": 1})


@pytest.mark.parametrize(
    ("data", "count"),
    [
        (b"", 0),
        (b"\x0a\x20" + b"a" * 32, 1),
        (b"\x0a\x03abc" + b"\x0a\x20" + b"a" * 32, 1),
        (b"\x12\x20" + b"a" * 32, 0),
        (b"\x08\x96\x01\x0d1234\x091234567\x08\x0a\x20" + b"a" * 32, 1),
        (b"\x0a\x20" + b"a" * 31, 0),
        (b"\xff" * 40, 0),
        (b"\x0a\xff\xff\xff\xff\x7f", 0),
        (b"\x0f\x0a\x20" + b"a" * 32, 0),
    ],
)
def test_hashes_in_a_protocol_buffer(data: bytes, count: int) -> None:
    """Field 1 lists hashes; other fields and broken bytes do no harm."""
    assert list(hashes_in(data)) == [(b"a" * 32).hex()] * count


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("<user_query>\nHow?\n</user_query>", "How?"),
        ("<timestamp>x</timestamp>\n<user_query>How?</user_query><rules>HIDDEN</rules>", "How?"),
        ("<user_info>\nHIDDEN\n</user_info>", ""),
        ("How?", "How?"),
        ("what is <user_info> for?", "what is <user_info> for?"),
    ],
)
def test_wrappers_go(text: str, question: str) -> None:
    """What a person typed is told from what the program added."""
    assert typed(text) == question


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("Thursday, Oct 1, 2026, 12:00 PM (UTC+2)", 10),
        ("Thursday, October 1, 2026, 12:30 AM (UTC-5:30)", 6),
        ("Thursday, Oct 1, 2026, 9:00 AM (UTC)", 9),
        ("Thursday, Oct 1, 2026, 9:00 AM", 9),
    ],
)
def test_times_of_transcripts(text: str, hour: int) -> None:
    """A time is written as people write it, with its offset."""
    moment_in = time_in(f"<timestamp>{text}</timestamp>\nHow?")
    assert moment_in
    assert moment_in.replace(minute=0) == datetime(2026, 10, 1, hour, tzinfo=UTC)


@pytest.mark.parametrize(
    "text", ["", "Thursday, Oct 41, 2026, 9:00 AM", "Thursday, Foo 1, 2026, 9:00 AM", "yesterday"]
)
def test_what_is_no_time_is_none(text: str) -> None:
    """A time that cannot be read is none."""
    assert time_in(f"<timestamp>{text}</timestamp>") is None


def test_transcripts_of_sub_agents_are_labelled(tmp_path: Path) -> None:
    """A file below `subagents` is no question of a person."""
    folder = tmp_path / ".cursor" / "projects" / "x" / "agent-transcripts"
    write_lines(folder / CHAT / "subagents" / "s.jsonl", [*transcript(), {"type": "hologram"}])
    shelf = shelf_of(tmp_path)
    assert {turn.is_subagent for turn in shelf.turns} == {True}
    assert shelf.conversations["s"].parent == CHAT
    assert shelf.unknown == {"hologram": 1}


@pytest.mark.parametrize(
    ("platform", "folder"),
    [
        ("linux", ".config/Cursor/User"),
        ("darwin", "Library/Application Support/Cursor/User"),
        ("win32", "AppData/Roaming/Cursor/User"),
    ],
)
def test_default_places(platform: Platform, folder: str, tmp_path: Path) -> None:
    """The window's database is found on each platform; backups of it and of VS Code are not."""
    for name in ("state.vscdb", "state.vscdb.backup"):
        path = tmp_path / folder / "globalStorage" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    logs = list(CURSOR.discover(Places(tmp_path, {}, platform)))
    assert [log.path.name for log in logs] == ["state.vscdb"]


def test_a_variable_names_the_folder_of_the_command_line(tmp_path: Path) -> None:
    """The data folder may lie elsewhere."""
    CursorStore(tmp_path).put(messages())
    elsewhere = Places(tmp_path / "none", {"CURSOR_DATA_DIR": str(tmp_path / ".cursor")})
    assert sorted(talk(read_all(CURSOR, elsewhere))) == sorted(TOLD)
