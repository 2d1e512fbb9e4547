"""Sessions as Continue writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from support.conversations.copilot import write_object
from support.conversations.lines import Records, moment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SESSION = "66666666-7777-4888-8999-aaaaaaaaaaaa"
DIRECTORY = "/home/robin/web shop"
TOLD = [
    ("Which index? See table.", "I will look.\n\nA partial one — ünïcode 日本."),
    ("Which index? See table.", "The same."),
]


def history() -> Records:
    """What was said, by whom."""
    parts = [{"type": "text", "text": TOLD[0][0]}, {"type": "imageUrl", "imageUrl": "HIDDEN"}]
    call = {"id": "c", "function": {"name": "read_file", "arguments": '{"filepath": "a.sql"}'}}
    said: list[dict[str, Any]] = [
        {"role": "system", "content": "HIDDEN"},
        {"role": "user", "content": parts},
        {"role": "thinking", "content": "HIDDEN"},
        {"role": "assistant", "content": "I will look.", "toolCalls": [call]},
        {"role": "tool", "content": "HIDDEN"},
        {"role": "assistant", "content": TOLD[0][1].removeprefix("I will look.\n\n")},
        {"role": "user", "content": TOLD[1][0]},
        {"role": "assistant", "content": "The same."},
    ]
    return [{"message": each, "contextItems": ["HIDDEN"], "promptLogs": []} for each in said]


def steps(home: Path) -> Iterator[None]:
    """Write a session message by message."""
    folder = home / ".continue" / "sessions"
    began = str(int(moment(0).timestamp() * 1000))
    write_object(folder / "sessions.json", [{"sessionId": SESSION, "dateCreated": began}])
    said = history()
    about = {"sessionId": SESSION, "title": "Index", "workspaceDirectory": f"file://{DIRECTORY}"}
    for end in range(len(said) + 1):
        write_object(folder / f"{SESSION}.json", about | {"history": said[:end]})
        yield
