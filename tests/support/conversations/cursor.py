"""Chats as Cursor keeps them: in the database of its window, of its command line, and transcripts."""

from __future__ import annotations

import json
from contextlib import closing
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from support.conversations.databases import connect
from support.conversations.lines import Records, moment, stamp, write_lines

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

CHAT = "33333333-4444-4555-8666-777777777777"
DIRECTORY = "/home/robin/maps"
TOLD = [
    ("Memory or disk for tiles?", "I will look at the log.\n\nDisk — ünïcode ✓."),
    ("And eviction?", "Oldest first."),
]

_PERSON, _AGENT = 1, 2


def created() -> int:
    """Return when the chat began, in milliseconds."""
    return int(moment(0).timestamp() * 1000)


class CursorWindow:
    """The database of the window."""

    def __init__(self, home: Path, *, in_place: bool = False) -> None:
        self.user = home / ".config" / "Cursor" / "User"
        self.path = self.user / "globalStorage" / "state.vscdb"
        self._write = (
            "INSERT INTO {} VALUES (?, ?)"
            + " ON CONFLICT (key) DO UPDATE SET value = excluded.value" * in_place
        )
        make(self.path)
        self.put("cursorAuth/accessToken", "HIDDEN", table="ItemTable")
        self.put("checkpointId:x", {"files": "HIDDEN"})

    def put(self, key: str, value: object, table: str = "cursorDiskKV") -> None:
        """Write the value of a key."""
        text = None if value is None else json.dumps(value, ensure_ascii=False)
        with closing(connect(self.path)) as database, database:
            database.execute(self._write.format(table), (key, text))

    def bubble(self, number: int, kind: int, text: str, chat: str = CHAT, **extra: Any) -> None:
        """Write one bubble."""
        value = {"type": kind, "text": text, "createdAt": stamp(number), **extra}
        self.put(f"bubbleId:{chat}:b{number:03}", value)

    def chat(self, *numbers: int, chat: str = CHAT, **extra: Any) -> None:
        """Write which bubbles a chat has."""
        headers = [{"bubbleId": f"b{number:03}"} for number in numbers]
        value = {
            "composerId": chat,
            "name": "Tiles",
            "createdAt": created(),
            "fullConversationHeadersOnly": headers,
            "text": "HIDDEN draft",
        }
        self.put(f"composerData:{chat}", value | extra)


def make(path: Path) -> None:
    """Make a database as VS Code has it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(connect(path)) as database:
        for table in ("ItemTable", "cursorDiskKV"):
            database.execute(
                f"CREATE TABLE {table} (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)"
            )


def add_workspace(user: Path, *chats: str, folder: str = DIRECTORY) -> None:
    """Write which chats belong to a folder."""
    storage = user / "workspaceStorage" / "aa11"
    make(storage / "state.vscdb")
    (storage / "workspace.json").write_text(json.dumps({"folder": f"file://{folder}"}))
    listed = {"allComposers": [{"composerId": chat} for chat in chats]}
    with closing(connect(storage / "state.vscdb")) as database, database:
        row = ("composer.composerData", json.dumps(listed))
        database.execute("INSERT INTO ItemTable VALUES (?, ?)", row)


def window_steps(home: Path, *, in_place: bool = False) -> Iterator[None]:
    """Write a chat bubble by bubble, with one that is taken back."""
    window = CursorWindow(home, in_place=in_place)
    uris = {"workspaceUris": [f"file://{DIRECTORY}"]}
    window.put(f"composerData:{CHAT}", None)
    yield
    window.bubble(1, _PERSON, TOLD[0][0], **uris)
    window.chat(1)
    yield
    window.bubble(2, _AGENT, "", thinking={"text": "HIDDEN"})
    window.bubble(3, _AGENT, "I will")
    window.chat(1, 2, 3)
    yield
    window.bubble(3, _AGENT, "I will look at the log.")
    yield
    call = {"name": "read_file", "rawArgs": '{"path": "access.log"}', "result": "HIDDEN"}
    window.bubble(4, _AGENT, "", toolFormerData=call)
    window.bubble(5, _AGENT, "Disk — ünïcode ✓.")
    window.chat(1, 2, 3, 4, 5)
    yield
    window.bubble(6, _PERSON, "ABANDONED?")
    window.bubble(7, _AGENT, "ABANDONED.")
    window.chat(1, 2, 3, 4, 5, 6, 7)
    yield
    window.chat(1, 2, 3, 4, 5)
    yield
    window.bubble(8, _PERSON, TOLD[1][0], **uris)
    window.bubble(9, _AGENT, TOLD[1][1])
    window.chat(1, 2, 3, 4, 5, 8, 9)
    yield


def in_place_steps(home: Path) -> Iterator[None]:
    """Write the same in rows that keep their numbers."""
    yield from window_steps(home, in_place=True)


class CursorStore:
    """The database of one chat of the command line."""

    def __init__(self, home: Path, chat: str = CHAT) -> None:
        self.path = home / ".cursor" / "chats" / "0123abcd" / chat / "store.db"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._chat = chat
        with closing(connect(self.path)) as database:
            database.execute("CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB)")
            database.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
        self.about({"cwd": DIRECTORY, "createdAtMs": created()})

    def about(self, values: dict[str, Any]) -> None:
        """Write what lies beside the database."""
        (self.path.parent / "meta.json").write_text(json.dumps(values))

    def put(self, records: Records, **extra: Any) -> None:
        """Make these messages the chat."""
        root = b"\x10\x05"
        with closing(connect(self.path)) as database, database:
            for record in records:
                root += b"\x0a\x20" + bytes.fromhex(_blob(database, json.dumps(record).encode()))
            meta = {"agentId": self._chat, "name": "Tiles", "createdAt": created(), **extra}
            meta["latestRootBlobId"] = _blob(database, root + b"\x2a\x04test\x35abcd")
            row = (json.dumps(meta).encode().hex(),)
            database.execute("INSERT OR REPLACE INTO meta VALUES ('0', ?)", row)


def _blob(database: sqlite3.Connection, data: bytes) -> str:
    id_ = sha256(data).hexdigest()
    database.execute("INSERT OR IGNORE INTO blobs VALUES (?, ?)", (id_, data))
    return id_


def messages() -> Records:
    """The messages of a chat of the command line."""
    return [
        {"role": "system", "content": "HIDDEN"},
        {"role": "user", "content": [_text("<user_info>\nHIDDEN\n</user_info>")]},
        {"role": "user", "content": [_text(f"<user_query>\n{TOLD[0][0]}\n</user_query>")]},
        {
            "role": "assistant",
            "content": [
                {"type": "reasoning", "text": "HIDDEN"},
                _text("I will look at the log."),
                {"type": "tool-call", "toolName": "Shell", "args": {"command": "du"}},
            ],
        },
        {"role": "tool", "content": [{"type": "tool-result", "result": "HIDDEN"}]},
        {"role": "assistant", "content": "Disk — ünïcode ✓."},
        {"role": "user", "content": f"<user_query>{TOLD[1][0]}</user_query>"},
        {"role": "assistant", "content": [_text(TOLD[1][1])]},
    ]


def store_steps(home: Path) -> Iterator[None]:
    """Write a chat message by message, with one that is taken back."""
    store = CursorStore(home)
    yield
    records = messages()
    for end in range(1, len(records) + 1):
        store.put([*records[:end], {"role": "user", "content": "ABANDONED?"}])
        yield
        store.put(records[:end])
        yield


def _text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def transcript() -> Records:
    """The records of a transcript."""
    time = "<timestamp>Thursday, Oct 1, 2026, 12:00 PM (UTC+2)</timestamp>"
    said = [
        ("user", [_text(f"{time}\n<user_query>\n{TOLD[0][0]}\n</user_query>")]),
        ("assistant", [_text("I will look at the log."), {"type": "tool_use", "name": "Grep"}]),
        ("assistant", [_text("Disk — ünïcode ✓.")]),
        ("user", [_text(f"<user_query>\n{TOLD[1][0]}\n</user_query>")]),
        ("assistant", [_text(TOLD[1][1])]),
    ]
    records: Records = [{"role": role, "message": {"content": content}} for role, content in said]
    return [*records[:3], {"type": "turn_ended", "status": "success"}, *records[3:]]


def transcript_steps(home: Path) -> Iterator[None]:
    """Write a transcript line by line."""
    folder = home / ".cursor" / "projects" / "home-robin-maps" / "agent-transcripts" / CHAT
    records = transcript()
    for end in range(1, len(records) + 1):
        write_lines(folder / f"{CHAT}.jsonl", records[:end], tail=b'{"role":"us')
        yield
