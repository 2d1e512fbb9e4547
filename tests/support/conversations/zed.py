"""Threads as Zed keeps them."""

from __future__ import annotations

import json
from contextlib import closing
from io import BytesIO
from typing import TYPE_CHECKING, Any

from hunch.sources.conversations.zstd import open_zstd
from support.conversations.databases import connect
from support.conversations.lines import stamp

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

THREAD = "77777777-8888-4999-8aaa-bbbbbbbbbbbb"
DIRECTORY = "/home/robin/game"
TOLD = [
    ("Fixed or variable step?", "I will read the loop.\n\nFixed — ünïcode 日本."),
    ("And for replays?", "The same step."),
]


def packed(data: bytes) -> bytes:
    """Compress as the program does."""
    buffer = BytesIO()
    with open_zstd(buffer, "wb") as file:
        file.write(data)
    return buffer.getvalue()


class ZedThreads:
    """The database of threads."""

    def __init__(self, home: Path, columns: str = "parent_id, folder_paths, created_at") -> None:
        self.path = home / ".local" / "share" / "zed" / "threads" / "threads.db"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        more = f", {columns}" if columns else ""
        with closing(connect(self.path)) as database:
            database.execute(
                "CREATE TABLE threads"
                f" (id TEXT PRIMARY KEY, summary TEXT, updated_at TEXT, data_type TEXT, data BLOB{more})"
            )
        self._changes = 0

    def put(
        self, thread: dict[str, Any], *, id_: str = THREAD, kind: str = "zstd", **columns: Any
    ) -> None:
        """Write a thread."""
        data = json.dumps(thread, ensure_ascii=False).encode()
        self.put_bytes(packed(data) if kind == "zstd" else data, id_=id_, kind=kind, **columns)

    def put_bytes(
        self, data: bytes, *, id_: str = THREAD, kind: str = "zstd", **columns: Any
    ) -> None:
        """Write the bytes of a thread."""
        self._changes += 1
        row = {
            "id": id_,
            "summary": "Loop",
            "updated_at": stamp(self._changes),
            "data_type": kind,
            "data": data,
            **columns,
        }
        marks = ", ".join("?" * len(row))
        with closing(connect(self.path)) as database, database:
            statement = f"INSERT OR REPLACE INTO threads ({', '.join(row)}) VALUES ({marks})"
            database.execute(statement, tuple(row.values()))


def messages() -> list[Any]:
    """The messages of a thread."""
    mention = {"Mention": {"uri": "file:///x", "content": "HIDDEN"}}
    call = {"ToolUse": {"id": "t", "name": "read_file", "input": {"path": "loop.rs"}}}
    return [
        {
            "User": {
                "id": "u-1",
                "content": [{"Text": TOLD[0][0]}, mention, {"Image": {"x": "HIDDEN"}}],
            }
        },
        {
            "Agent": {
                "content": [
                    {"Thinking": {"text": "HIDDEN"}},
                    {"Text": "I will read the loop."},
                    call,
                ],
                "tool_results": {"t": {"content": "HIDDEN"}},
            }
        },
        "Resume",
        {"Agent": {"content": [{"RedactedThinking": "HIDDEN"}, {"Text": "Fixed — ünïcode 日本."}]}},
        {"Compaction": {"summary": "HIDDEN"}},
        {"User": {"id": "u-2", "content": [{"Text": TOLD[1][0]}]}},
        {"Agent": {"content": [{"Text": TOLD[1][1]}], "tool_results": {}}},
    ]


def thread(*said: Any) -> dict[str, Any]:
    """A thread of the present version."""
    return {"version": "0.3.0", "title": "Loop", "messages": list(said)}


def steps(home: Path, kind: str = "zstd") -> Iterator[None]:
    """Write a thread message by message, with one that is taken back."""
    threads = ZedThreads(home)
    columns = {"kind": kind, "folder_paths": f"{DIRECTORY}\n/else", "created_at": stamp(0)}
    said = messages()
    for end in range(len(said) + 1):
        again = {"User": {"id": f"u-{end}x", "content": [{"Text": "ABANDONED?"}]}}
        threads.put(thread(*said[:end], again), **columns)
        yield
        threads.put(thread(*said[:end]), **columns)
        yield


def plain_steps(home: Path) -> Iterator[None]:
    """Write the same without compression."""
    yield from steps(home, "json")
