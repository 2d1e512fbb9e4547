"""What is read of pi, Aider, Continue and Zed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from hunch.sources.conversations.aider import AIDER
from hunch.sources.conversations.continue_dev import CONTINUE
from hunch.sources.conversations.pi import PI
from hunch.sources.conversations.places import Places
from hunch.sources.conversations.zed import ZED
from support.conversations import aider, continue_dev, pi, zed
from support.conversations.copilot import write_object
from support.conversations.lines import moment, write_lines
from support.conversations.shelf import Shelf, read_all, talk

if TYPE_CHECKING:
    from pathlib import Path

    from hunch.sources.conversations.base import Reader
    from hunch.sources.conversations.places import Platform

HISTORY = ".aider.chat.history.md"


def shelf_of(reader: Reader, home: Path, **variables: str) -> Shelf:
    """Read the only log."""
    shelf = Shelf(reader)
    (log,) = reader.discover(Places(home, variables))
    shelf.read(log)
    return shelf


def aider_turns(home: Path, *lines: str) -> list[tuple[str, str]]:
    """Read a history of one run."""
    text = "\n".join(("# aider chat started at 2026-04-18 09:12:44", *lines, ""))
    (home / HISTORY).write_text(text, "utf-8")
    return talk(shelf_of(AIDER, home).turns)


def test_pi_tells_where_and_when(tmp_path: Path) -> None:
    """Session, folder and time come from the header and the records."""
    for _ in pi.steps(tmp_path):
        pass
    turn = shelf_of(PI, tmp_path).turns[0]
    assert (turn.conversation, turn.directory, turn.model) == (pi.SESSION, pi.DIRECTORY, "m")
    assert turn.started == moment(2)


def test_places_of_pi(tmp_path: Path) -> None:
    """Sessions lie where the variable says, or where the user does."""
    write_lines(tmp_path / "agent" / "sessions" / "--x--" / "s.jsonl", pi.records())
    write_lines(tmp_path / "kept" / "s.jsonl", pi.records())
    agent = str(tmp_path / "agent")
    assert talk(shelf_of(PI, tmp_path / "none", PI_CODING_AGENT_DIR=agent).turns) == pi.TOLD
    for folder in ("agent", "kept"):
        places = Places(tmp_path / "none", extra={"pi": (tmp_path / folder,)})
        assert talk(read_all(PI, places)) == pi.TOLD


@pytest.mark.parametrize(
    ("lines", "turns"),
    [
        (["#### a  ", "", "so"], [("a", "so")]),
        (["#### a  ", "#### b  ", "so"], [("a\nb", "so")]),
        (["#### a  ", "####   ", "#### b  "], [("a\n\nb", "")]),
        (["#### a  ", "", "#### b  "], [("a", ""), ("b", "")]),
        (["#### a  ", "> printed", "#### b  "], [("a", ""), ("b", "")]),
        (["#### a  ", "one", "", "> printed", "", "two"], [("a", "one\n\ntwo")]),
        (["#### a  ", "one", "", "", "two"], [("a", "one\n\n\ntwo")]),
        (["#### a  ", "one", "> printed", "two"], [("a", "one\ntwo")]),
        (["#### a  ", ">>>>>>> REPLACE"], [("a", ">>>>>>> REPLACE")]),
        (["#### a  ", "##### heading"], [("a", "##### heading")]),
        (["#### a  ", "# heading", "text"], [("a", "# heading\ntext")]),
        (["banner", "#### /add x  ", "HIDDEN", "#### a  ", "so"], [("a", "so")]),
        (["#### !ls  ", "HIDDEN"], []),
        (["#### <blank>  ", "HIDDEN"], []),
        (["#### a  \r", "so\r"], [("a", "so")]),
    ],
)
def test_lines_of_aider(lines: list[str], turns: list[tuple[str, str]], tmp_path: Path) -> None:
    """A line is typed, printed or answered by how it begins."""
    assert aider_turns(tmp_path, *lines) == turns


def test_runs_of_aider_are_conversations(tmp_path: Path) -> None:
    """Each run has its local time; two of one second are told apart."""
    header = "# aider chat started at 2026-04-18 09:12:44"
    aider_turns(tmp_path, "#### a", header, "#### a", "# aider chat started at yesterday", "so")
    shelf = shelf_of(AIDER, tmp_path)
    local = datetime(2026, 4, 18, 9, 12, 44).astimezone(UTC)
    assert sorted(shelf.conversations) == ["2026-04-18 09:12:44", "2026-04-18 09:12:44#2"]
    assert {(turn.started, turn.directory) for turn in shelf.turns} == {(local, str(tmp_path))}
    assert shelf.turns[1].answer == "# aider chat started at yesterday\nso"


@pytest.mark.parametrize("header", ["2026-13-45 09:12:44", "2026-04-18 99:99:99"])
def test_times_of_aider_that_are_none(header: str, tmp_path: Path) -> None:
    """A run with an impossible time has none."""
    (tmp_path / HISTORY).write_text(f"# aider chat started at {header}\n#### a\n")
    assert [turn.started for turn in shelf_of(AIDER, tmp_path).turns] == [None]


def test_only_the_last_run_of_aider_is_given_again(tmp_path: Path) -> None:
    """What was appended belongs to the last run; bytes that are no UTF-8 do no harm."""
    path = tmp_path / HISTORY
    path.write_bytes(aider.TEXT.encode() + b"\xff\xfe\n")
    shelf = shelf_of(AIDER, tmp_path)
    path.write_bytes(path.read_bytes() + b"yes\n")
    (log,) = AIDER.discover(Places(tmp_path))
    (reading,) = shelf.read(log)
    assert reading.key == "2026-04-19 18:40:02"
    assert talk(list(reading.turns)) == [("Cache the pages?", "\ufffd\ufffd\nyes")]


def test_places_of_aider(tmp_path: Path) -> None:
    """Histories are found in folders that the user names, right below, and where a variable says."""
    for folder in ("a", "a/b", "a/b/c", "d"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / HISTORY).write_text(aider.TEXT)
    variables = {"AIDER_CHAT_HISTORY_FILE": str(tmp_path / "d" / HISTORY)}
    places = Places(tmp_path / "a", variables, extra={"aider": (tmp_path / "a",)})
    found = [log.path.parent.relative_to(tmp_path).as_posix() for log in AIDER.discover(places)]
    assert found == ["d", "a", "a/b"]


def test_continue_tells_where_and_when(tmp_path: Path) -> None:
    """Folder, time and calls come from the session and from the list of sessions."""
    for _ in continue_dev.steps(tmp_path):
        pass
    shelf = shelf_of(CONTINUE, tmp_path)
    turn = shelf.turns[0]
    assert (turn.directory, turn.started) == (continue_dev.DIRECTORY, moment(0))
    assert [step.text for step in turn.steps if step.is_tool] == ["read_file a.sql"]
    assert shelf.conversations[continue_dev.SESSION].title == "Index"


@pytest.mark.parametrize("title", ["New Session", "Untitled Session"])
def test_titles_of_continue_that_are_none(title: str, tmp_path: Path) -> None:
    """A session that nobody named has no title."""
    path = tmp_path / ".continue" / "sessions" / "s.json"
    write_object(path, {"sessionId": "s", "title": title, "history": continue_dev.history()})
    assert shelf_of(CONTINUE, tmp_path).conversations["s"].title == ""


@pytest.mark.parametrize("date", ["2026-10-05T09:00:00Z", 1791190800000, "1791190800000"])
def test_dates_of_continue(date: object, tmp_path: Path) -> None:
    """The list names the time as text or number, and the folder of sessions that name none."""
    folder = tmp_path / "c" / "sessions"
    listed = {"sessionId": "s", "dateCreated": date, "workspaceDirectory": "/x"}
    write_object(folder / "sessions.json", [3, {"sessionId": "other"}, listed])
    history = [{"message": {"role": "user", "content": "How?"}}, {"message": {"role": "hologram"}}]
    write_object(folder / "s.json", {"history": history})
    shelf = shelf_of(CONTINUE, tmp_path, CONTINUE_GLOBAL_DIR=str(tmp_path / "c"))
    (turn,) = shelf.turns
    assert (turn.started, turn.directory) == (moment(0), "/x")
    assert shelf.unknown == {"role:hologram": 1}


def test_zed_tells_where_and_when(tmp_path: Path) -> None:
    """Folder, time, title, ids and calls come from the row and the thread."""
    for _ in zed.steps(tmp_path):
        pass
    shelf = shelf_of(ZED, tmp_path)
    turn = shelf.turns[0]
    assert (turn.id, turn.directory, turn.started) == ("u-1", zed.DIRECTORY, moment(0))
    assert [step.text for step in turn.steps if step.is_tool] == ["read_file loop.rs"]
    assert shelf.conversations[zed.THREAD].title == "Loop"


def test_first_threads_of_zed(tmp_path: Path) -> None:
    """Old threads have segments, and a snapshot that names the folder."""
    said = [
        {"role": "user", "segments": [{"type": "text", "text": "How?"}]},
        {"role": "system", "segments": [{"type": "text", "text": "HIDDEN"}]},
        {
            "role": "assistant",
            "segments": [{"type": "thinking", "text": "HIDDEN"}, {"type": "text", "text": "So."}],
        },
    ]
    trees = [{"worktree_path": zed.DIRECTORY, "git_state": {}}]
    old = {"version": "0.2.0", "messages": said}
    threads = zed.ZedThreads(tmp_path, columns="")
    threads.put(old | {"initial_project_snapshot": {"worktree_snapshots": trees}}, kind="json")
    shelf = shelf_of(ZED, tmp_path)
    (turn,) = shelf.turns
    assert (turn.question, turn.answer, turn.directory) == ("How?", "So.", zed.DIRECTORY)
    assert turn.started == moment(1)


def test_sub_agents_of_zed_are_labelled(tmp_path: Path) -> None:
    """A thread with a parent was begun by another one."""
    zed.ZedThreads(tmp_path).put(zed.thread(*zed.messages()), parent_id="p")
    shelf = shelf_of(ZED, tmp_path)
    assert {turn.is_subagent for turn in shelf.turns} == {True}
    assert shelf.conversations[zed.THREAD].parent == "p"


def test_a_broken_thread_of_zed_keeps_its_turns(tmp_path: Path) -> None:
    """Bytes that are no thread are counted, and no reason to forget."""
    threads = zed.ZedThreads(tmp_path)
    threads.put(zed.thread(*zed.messages()))
    shelf = shelf_of(ZED, tmp_path)
    before = talk(shelf.turns)
    threads.put_bytes(b"no zstd")
    threads.put_bytes(b"no zstd", id_="other")
    (log,) = ZED.discover(Places(tmp_path))
    shelf.read(log)
    assert talk(shelf.turns) == before == zed.TOLD
    assert shelf.broken == 1


def test_unknown_messages_of_zed_are_counted(tmp_path: Path) -> None:
    """A format change is seen."""
    odd: list[Any] = [
        {"Hologram": {}},
        {"User": {"id": "u", "content": [{"Hologram": {}}, {"Text": "a"}]}},
    ]
    zed.ZedThreads(tmp_path).put(zed.thread(*odd, {"Agent": {"content": [{"Hologram": {}}]}}))
    assert shelf_of(ZED, tmp_path).unknown == {"message:Hologram": 1, "content:Hologram": 2}


@pytest.mark.parametrize(
    ("platform", "folder"),
    [
        ("linux", ".local/share/zed"),
        ("darwin", "Library/Application Support/Zed"),
        ("win32", "AppData/Local/Zed"),
    ],
)
def test_places_of_zed(platform: Platform, folder: str, tmp_path: Path) -> None:
    """The database is found on each platform."""
    path = tmp_path / folder / "threads" / "threads.db"
    path.parent.mkdir(parents=True)
    path.touch()
    assert [log.path for log in ZED.discover(Places(tmp_path, {}, platform))] == [path.resolve()]
