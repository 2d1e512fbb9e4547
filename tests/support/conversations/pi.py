"""Sessions as pi writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from support.conversations.lines import Records, stamp, write_lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SESSION = "55555555-6666-4777-8888-999999999999"
DIRECTORY = "/home/robin/cli"
TOLD = [("argparse or click?", "argparse — ünïcode."), ("Colour by default?", "On a terminal.")]


def records() -> Records:
    """A session with a branch that was left."""
    log: Records = []

    def entry(kind: str, parent: str | None = "", **fields: Any) -> str:
        number = len(log)
        above = log[-1]["id"] if log and parent == "" else parent
        id_ = f"{number:08x}"
        log.append(
            {"type": kind, "id": id_, "parentId": above, "timestamp": stamp(number), **fields}
        )
        return id_

    def message(role: str, content: Any, parent: str = "") -> str:
        return entry("message", parent, message={"role": role, "content": content, "model": "m"})

    entry("model_change", None, provider="p", modelId="m")
    entry("message", message={"role": "system", "content": "", "sections": {"x": "HIDDEN"}})
    message("user", [{"type": "text", "text": TOLD[0][0]}])
    call = {"type": "toolCall", "id": "c", "name": "bash", "arguments": {"command": "ls"}}
    message("assistant", [{"type": "thinking", "thinking": "HIDDEN"}, call])
    message("toolResult", [{"type": "text", "text": "HIDDEN"}])
    fork = message("assistant", [{"type": "text", "text": TOLD[0][1]}])
    message("user", "ABANDONED?")
    message("assistant", [{"type": "text", "text": "ABANDONED."}])
    summary = entry("branch_summary", fork, fromId="x", summary="HIDDEN")
    message("user", TOLD[1][0], summary)
    message("assistant", [{"type": "text", "text": TOLD[1][1]}])
    entry("compaction", summary="HIDDEN", firstKeptEntryId=fork)
    entry("context_edit", edits=[])
    head = {"type": "session", "version": 3, "id": SESSION, "timestamp": stamp(0), "cwd": DIRECTORY}
    return [head, *log]


def steps(home: Path) -> Iterator[None]:
    """Write the session line by line."""
    name = f"2026-10-05T09-00-00-000Z_{SESSION}.jsonl"
    path = home / ".pi" / "agent" / "sessions" / "--home-robin-cli--" / name
    lines = records()
    for end in range(1, len(lines) + 1):
        write_lines(path, lines[:end], tail=b'{"type":"mess')
        yield
