"""What is read of the sessions of opencode and Kilo Code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hunch.sources.conversations.opencode import KILO, OPENCODE
from hunch.sources.conversations.places import Places
from support.conversations.cline import TASK, shown, storage
from support.conversations.cline import TOLD as TASK_TOLD
from support.conversations.copilot import write_object
from support.conversations.lines import moment
from support.conversations.opencode import (
    CALL,
    DIRECTORY,
    SESSION,
    TOLD,
    OpencodeDatabase,
    OpencodeFiles,
    database_steps,
    text,
    write,
)
from support.conversations.shelf import Shelf, read_all, talk

if TYPE_CHECKING:
    from pathlib import Path

DATA = ".local/share/opencode"


def database_at(home: Path) -> OpencodeDatabase:
    """Make a database with one session."""
    database = OpencodeDatabase(home / DATA / "opencode.db")
    database.session()
    return database


def shelf_of(home: Path) -> Shelf:
    """Read all logs into one shelf."""
    shelf = Shelf(OPENCODE)
    for log in OPENCODE.discover(Places(home)):
        shelf.read(log)
    return shelf


def test_a_turn_tells_where_and_when(tmp_path: Path) -> None:
    """Folder, title, times, model and calls come from the rows."""
    database = database_at(tmp_path)
    database.message("user", text("How?"))
    database.message("assistant", text("So."), CALL, modelID="m-5")
    shelf = shelf_of(tmp_path)
    (turn,) = shelf.turns
    assert (turn.conversation, turn.directory, turn.model) == (SESSION, DIRECTORY, "m-5")
    assert (turn.started, turn.ended.microsecond if turn.ended else 0) == (moment(1), 500_000)
    assert [step.text for step in turn.steps] == ["So.", "read sync.md"]
    assert shelf.conversations[SESSION].title == "Sync"


def test_sessions_of_sub_agents_are_labelled(tmp_path: Path) -> None:
    """What one agent asks another is told from what a person asks."""
    database = database_at(tmp_path)
    database.session("ses_child", parent=SESSION)
    database.message("user", text("Count the conflicts."), session="ses_child")
    shelf = shelf_of(tmp_path)
    assert [turn.is_subagent for turn in shelf.turns] == [True]
    assert shelf.conversations["ses_child"].parent == SESSION


def test_a_revert_may_cut_within_a_message(tmp_path: Path) -> None:
    """Of the message that was taken back in part, what comes before the part stays."""
    database = database_at(tmp_path)
    database.message("user", text("How?"))
    answer = database.message("assistant", text("So."))
    part = database.part(answer, text("ABANDONED."))
    database.message("user", text("ABANDONED?"))
    database.session(revert={"messageID": answer, "partID": part})
    assert talk(shelf_of(tmp_path).turns) == [("How?", "So.")]


@pytest.mark.parametrize(
    ("typed", "question"),
    [
        ('"why this way?"', "why this way?"),
        (r'"say \"why\" again"', 'say "why" again'),
        ('"why"', '"why"'),
        ('"one" and "two"', '"one" and "two"'),
        ("plain text", "plain text"),
    ],
)
def test_quotes_of_the_command_line_go(typed: str, question: str, tmp_path: Path) -> None:
    """A prompt with spaces that came from the command line is in quotes of the program."""
    database_at(tmp_path).message("user", text(typed))
    assert [turn.question for turn in shelf_of(tmp_path).turns] == [question]


def test_a_session_in_the_database_is_not_read_from_files(tmp_path: Path) -> None:
    """Files that the move to the database left behind are read only for what it does not hold."""
    for _ in database_steps(tmp_path):
        pass
    files = OpencodeFiles(tmp_path / DATA)
    files.message("user", text(TOLD[0][0]))
    files.message("user", text("ABANDONED later?"))
    OpencodeFiles(tmp_path / DATA, "ses_old").message("user", text("Markdown or Org?"))
    assert sorted(talk(read_all(OPENCODE, Places(tmp_path)))) == sorted(
        [*TOLD, ("Markdown or Org?", "")]
    )


def test_copies_in_forks_are_the_same_turns(tmp_path: Path) -> None:
    """A fork copies messages with their times under ids of its own."""
    database = database_at(tmp_path)
    message = database.message("user", text("How?"))
    database.session("ses_fork")
    database.run(
        "INSERT INTO message SELECT 'msg_fork', 'ses_fork', time_created, time_updated, data"
        " FROM message WHERE id = ?",
        message,
    )
    database.part("msg_fork", text("How?"), "ses_fork")
    assert len(shelf_of(tmp_path).turns) == 2
    assert len({turn.id for turn in shelf_of(tmp_path).turns}) == 1


def test_the_layout_before_is_read(tmp_path: Path) -> None:
    """The first versions kept a folder for each project, with parts below their session."""
    root = tmp_path / DATA / "project" / "notes" / "storage" / "session"
    write(root / "info" / "ses_1.json", {"id": "ses_1", "title": "Sync"})
    for number, role in enumerate(("user", "assistant")):
        info = {"role": role, "path": {"cwd": "/x"}, "time": {"created": 1000 + number}}
        write(root / "message" / "ses_1" / f"msg_{number}.json", info)
        write(root / "part" / "ses_1" / f"msg_{number}" / "prt_0.json", text(f"{role} says"))
    assert talk(read_all(OPENCODE, Places(tmp_path))) == [("user says", "assistant says")]


def test_unknown_parts_and_broken_rows_are_counted(tmp_path: Path) -> None:
    """A format change is seen."""
    database = database_at(tmp_path)
    message = database.message("user", text("How?"), {"type": "hologram"})
    database.run("INSERT INTO part VALUES ('p', ?, ?, 1, 1, '{')", message, SESSION)
    shelf = shelf_of(tmp_path)
    assert (shelf.unknown, shelf.broken) == ({"part:hologram": 1}, 1)
    assert [turn.question for turn in shelf.turns] == ["How?"]


def test_only_what_changed_is_read_again(tmp_path: Path) -> None:
    """A new turn in one session does not read the others again."""
    database = database_at(tmp_path)
    database.message("user", text("How?"))
    database.session("ses_2")
    database.message("user", text("Why?"), session="ses_2")
    shelf = shelf_of(tmp_path)
    (log,) = OPENCODE.discover(Places(tmp_path))
    database.message("assistant", text("So."), session="ses_2")
    (reading,) = shelf.read(log)
    assert (reading.key, reading.replace, talk(list(reading.turns))) == (
        "ses_2",
        False,
        [("Why?", "So.")],
    )


@pytest.mark.parametrize(
    ("variables", "path"),
    [
        ({}, f"{DATA}/opencode.db"),
        ({}, f"{DATA}/opencode-beta.db"),
        ({"XDG_DATA_HOME": "~/data"}, "data/opencode/opencode.db"),
        ({"OPENCODE_DB": "~/other.db"}, "other.db"),
        ({"OPENCODE_DB": "mine.db"}, f"{DATA}/mine.db"),
    ],
)
def test_places(variables: dict[str, str], path: str, tmp_path: Path) -> None:
    """Databases are found in the data folder of every channel, and where variables say."""
    OpencodeDatabase(tmp_path / path)
    logs = list(OPENCODE.discover(Places(tmp_path, variables, "win32")))
    assert [log.path for log in logs] == [(tmp_path / path).resolve()]


def test_kilo_has_databases_and_older_tasks(tmp_path: Path) -> None:
    """Kilo Code is read from its database and from the folder of its extension."""
    for _ in database_steps(tmp_path, "kilo"):
        pass
    write_object(
        storage(tmp_path, "kilocode.kilo-code") / "tasks" / TASK / "ui_messages.json", shown()
    )
    assert sorted(talk(read_all(KILO, Places(tmp_path)))) == sorted([*TOLD, *TASK_TOLD])
    assert not list(OPENCODE.discover(Places(tmp_path)))
