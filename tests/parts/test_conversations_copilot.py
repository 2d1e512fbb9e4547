"""What is read of the chats of VS Code Copilot."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from hunch.errors import LogUnavailable
from hunch.sources.conversations.copilot import COPILOT
from hunch.sources.conversations.copilot_state import CopilotState
from hunch.sources.conversations.places import Places
from support.conversations.copilot import (
    FIRST,
    SESSION,
    TOLD,
    chats,
    complete,
    log_steps,
    request,
    session,
    text,
    write_object,
)
from support.conversations.lines import moment, write_lines
from support.conversations.shelf import Shelf, read_all, talk

if TYPE_CHECKING:
    from pathlib import Path

    from hunch.sources.conversations.base import Turn
    from hunch.sources.conversations.places import Platform


def read_object(home: Path, value: dict[str, Any]) -> Shelf:
    """Write a session as one object and read it."""
    write_object(chats(home) / "s.json", value)
    shelf = Shelf(COPILOT)
    for log in COPILOT.discover(Places(home)):
        shelf.read(log)
    return shelf


def answer_of(home: Path, *parts: Any) -> str:
    """Return what is read of a response."""
    value = session(request(1, "How?", response=list(parts)))
    return read_object(home, value).turns[0].answer


def test_a_turn_tells_where_and_when(tmp_path: Path) -> None:
    """Folder, times, model and calls come from the session."""
    turn: Turn = read_object(
        tmp_path, session(request(1, "How?", *FIRST, responseTimestamp=1e12))
    ).turns[0]
    assert (turn.id, turn.conversation) == ("request_1", SESSION)
    assert (turn.directory, turn.model) == ("/home/robin/web shop", "copilot/model-5")
    assert turn.started == moment(1)
    assert turn.ended
    assert turn.ended.year == 2001
    assert [step.text for step in turn.steps if step.is_tool] == ["copilot_readFile cart.ts"]


@pytest.mark.parametrize(
    ("parts", "answer"),
    [
        ([text("a"), text("b")], "ab"),
        (["a", "b"], "ab"),
        (
            [
                text("a "),
                {"kind": "inlineReference", "inlineReference": {"uri": {"path": "/x/y.py"}}},
            ],
            "a y.py",
        ),
        ([{"kind": "inlineReference", "inlineReference": {"name": "run", "location": {}}}], "run"),
        ([{"kind": "inlineReference", "name": "z", "inlineReference": {"path": "/q"}}], "z"),
        ([{"value": {"value": "a"}}], "a"),
        ([{"kind": "markdownVuln", "content": {"value": "a"}}], "a"),
        ([{"kind": "progressMessage", "content": "HIDDEN"}, text("a")], "a"),
    ],
)
def test_parts_of_a_response(parts: list[Any], answer: str, tmp_path: Path) -> None:
    """Pieces of text are slices of one text; references show their names."""
    assert answer_of(tmp_path, *parts) == answer


def test_old_sessions_hold_plain_strings(tmp_path: Path) -> None:
    """A message and a response may be strings."""
    old = session({"requestId": "r", "message": "How?", "response": "So."})
    assert talk(read_object(tmp_path, old).turns) == [("How?", "So.")]


def test_unknown_parts_and_mutations_are_counted(tmp_path: Path) -> None:
    """A format change is seen."""
    parts = ({"kind": "hologram"}, {"kind": "hologram"}, text("a"))
    assert read_object(tmp_path, session(request(1, "How?", *parts))).unknown == {
        "part:hologram": 2
    }
    path = write_lines(chats(tmp_path) / "t.jsonl", [{"kind": 0, "v": session()}, {"kind": 9}])
    shelf = Shelf(COPILOT)
    for log in COPILOT.discover(Places(tmp_path)):
        if log.path.name == path.name:
            shelf.read(log)
    assert shelf.unknown == {"kind:9": 1}


def test_an_old_file_beside_the_log_is_not_read(tmp_path: Path) -> None:
    """The log wins over the object that a session had before."""
    for _ in log_steps(tmp_path):
        pass
    write_object(chats(tmp_path) / f"{SESSION}.json", session(request(9, "ABANDONED?")))
    assert talk(read_all(COPILOT, Places(tmp_path))) == TOLD


def test_of_copies_the_latest_comes_first(tmp_path: Path) -> None:
    """A session that was copied to a workspace is read from where it goes on."""
    older = chats(tmp_path) / f"{SESSION}.json"
    write_object(older, session(request(1, "How?", text("Half an"))))
    newer = chats(tmp_path).parent.parent / "ff" / "chatSessions" / f"{SESSION}.json"
    write_object(newer, session(request(1, "How?", text("Half an answer."))))
    os.utime(older, (1, 1))
    assert talk(read_all(COPILOT, Places(tmp_path))) == [("How?", "Half an answer.")]
    assert [log.rank for log in COPILOT.discover(Places(tmp_path))] == [0, 1]


@pytest.mark.parametrize("folder", ["emptyWindowChatSessions", "transferredChatSessions"])
def test_windows_without_a_folder(folder: str, tmp_path: Path) -> None:
    """Their sessions are found, and have no directory."""
    user = tmp_path / ".config" / "VSCodium" / "User"
    write_object(user / "globalStorage" / folder / "s.json", complete())
    turns = read_all(COPILOT, Places(tmp_path))
    assert talk(turns) == TOLD
    assert {turn.directory for turn in turns} == {""}


@pytest.mark.parametrize(
    ("platform", "folder"),
    [
        ("linux", ".config/Code/User"),
        ("linux", ".config/Code - Insiders/User"),
        ("linux", ".config/VSCodium/User"),
        ("darwin", "Library/Application Support/Code/User"),
        ("win32", "AppData/Roaming/Code - Insiders/User"),
        ("linux", ".vscode-server/data/User"),
    ],
)
def test_default_places(platform: Platform, folder: str, tmp_path: Path) -> None:
    """Chats are found where each platform keeps them."""
    write_object(
        tmp_path / folder / "workspaceStorage" / "0" / "chatSessions" / "s.json", complete()
    )
    assert len(list(COPILOT.discover(Places(tmp_path, {}, platform)))) == 1


def test_portable_editors_and_folders_of_the_user(tmp_path: Path) -> None:
    """A variable names the folder of a portable editor; the user may name any folder."""
    write_object(
        tmp_path / "p/user-data/User/globalStorage/emptyWindowChatSessions/s.json", complete()
    )
    assert (
        len(
            list(COPILOT.discover(Places(tmp_path / "h", {"VSCODE_PORTABLE": str(tmp_path / "p")})))
        )
        == 1
    )
    write_object(tmp_path / "kept" / "s.json", complete())
    named = Places(tmp_path / "h", extra={"copilot": (tmp_path / "kept",)})
    assert talk(read_all(COPILOT, named)) == TOLD


@pytest.mark.parametrize(
    ("file", "directory"),
    [
        ('{"folders": [{"path": "api"}, {"path": "web"}]}', "{home}/api"),
        ('{ // first\n "folders": [{"path": "."}]}', "{home}"),
        ('{"folders": [{"path": "/src/api"}]}', "/src/api"),
        ('{"folders": [{"uri": "vscode-remote://ssh/src/a%20b"}]}', "/src/a b"),
        ('{"folders": []}', "{home}"),
        (None, "{home}"),
    ],
)
def test_workspaces_of_several_folders(file: str | None, directory: str, tmp_path: Path) -> None:
    """The first folder counts, relative to the file of the workspace."""
    if file is not None:
        (tmp_path / "all.code-workspace").write_text(file)
    storage = chats(tmp_path).parent
    uri = (tmp_path / "all.code-workspace").as_uri()
    write_object(storage / "workspace.json", {"workspace": uri})
    write_object(storage / "chatSessions" / "s.json", complete())
    turns = read_all(COPILOT, Places(tmp_path))
    assert {turn.directory for turn in turns} == {directory.format(home=tmp_path)}


def test_the_session_may_name_its_directory(tmp_path: Path) -> None:
    """What the session says itself comes before what its window says."""
    value = session(request(1, "How?"), workingDirectory={"path": "/src/other"})
    assert read_object(tmp_path, value).turns[0].directory == "/src/other"


REQUESTS: list[Any] = ["requests"]
MUTATIONS: dict[str, tuple[list[dict[str, Any]], list[str]]] = {
    "push": ([{"kind": 2, "k": REQUESTS, "v": [request(1, "a"), request(2, "b")]}], ["a", "b"]),
    "cut to nothing": (
        [{"kind": 2, "k": REQUESTS, "v": [request(1, "a")]}, {"kind": 2, "k": REQUESTS, "i": 0}],
        [],
    ),
    "set an element": (
        [
            {"kind": 2, "k": REQUESTS, "v": [request(1, "a"), request(2, "b")]},
            {"kind": 1, "k": ["requests", 0], "v": request(3, "c")},
        ],
        ["c", "b"],
    ),
    "set all": ([{"kind": 1, "k": REQUESTS, "v": [request(1, "a")]}], ["a"]),
    "delete": (
        [{"kind": 2, "k": REQUESTS, "v": [request(1, "a")]}, {"kind": 3, "k": REQUESTS}],
        [],
    ),
    "delete an element": (
        [
            {"kind": 2, "k": REQUESTS, "v": [request(1, "a"), request(2, "b")]},
            {"kind": 3, "k": ["requests", 0]},
        ],
        ["b"],
    ),
    "set deep inside": (
        [
            {"kind": 2, "k": REQUESTS, "v": [request(1, "a")]},
            {"kind": 1, "k": ["requests", 0, "message", "text"], "v": "b"},
        ],
        ["b"],
    ),
    "ways to nowhere": (
        [
            {"kind": 2, "k": REQUESTS, "v": [request(1, "a")]},
            {"kind": 1, "k": ["requests", 7, "message"], "v": "HIDDEN"},
            {"kind": 1, "k": ["requests", "x", "message"], "v": "HIDDEN"},
            {"kind": 2, "k": ["requests", 0, "response", 3, "x"], "v": ["HIDDEN"]},
            {"kind": 1, "k": [], "v": "HIDDEN"},
            {"kind": 1, "v": "HIDDEN"},
        ],
        ["a"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTATIONS)
def test_mutations(name: str) -> None:
    """Each line has the effect that the program gives it; those that fit nowhere have none."""
    records, questions = MUTATIONS[name]
    state = CopilotState()
    for record in [{"kind": 0, "v": session()}, *records]:
        assert not state.apply(record)
    requests = state.state.get("requests") or []
    assert [each["message"]["text"] for each in requests if each] == questions


def test_nothing_invisible_is_kept(tmp_path: Path) -> None:
    """What is never shown does not stay in memory while a session is replayed."""
    state = CopilotState()
    for record in ({"kind": 0, "v": complete()}, {"kind": 1, "k": ["inputState"], "v": "HIDDEN"}):
        state.apply(record)
    assert "HIDDEN" not in str(state.state).replace("HIDDEN?", "")


def test_a_log_that_is_emptied_is_being_written_anew(tmp_path: Path) -> None:
    """While the program compacts a log, nothing of it is lost."""
    for _ in log_steps(tmp_path):
        pass
    shelf = Shelf(COPILOT)
    (log,) = COPILOT.discover(Places(tmp_path))
    shelf.read(log)
    log.path.write_bytes(b'{"kind":0,"v":{"sess')
    with pytest.raises(LogUnavailable, match="busy"):
        shelf.read(log)
    assert talk(shelf.turns) == TOLD
