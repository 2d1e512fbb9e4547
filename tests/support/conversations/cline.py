"""Tasks and sessions as Cline writes them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from support.conversations.copilot import write_object
from support.conversations.lines import Records, moment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TASK = "1795000000000"
DIRECTORY = "/home/robin/api"
TOLD = [
    ("REST or gRPC?", "I will read both clients.\n\nREST — ünïcode 日本."),
    ("And versions?", "Path or header?"),
    ("path", ""),
]


def storage(home: Path, extension: str = "saoudrizwan.claude-dev") -> Path:
    """The folder that an extension has."""
    return home / ".config" / "Code" / "User" / "globalStorage" / extension


def says(second: int, what: str, text: str, **extra: Any) -> dict[str, Any]:
    """Something that is said, by anybody."""
    at = int(moment(second).timestamp() * 1000)
    return {"ts": at, "type": "say", "say": what, "text": text, **extra}


def asks(second: int, what: str, text: str) -> dict[str, Any]:
    """Something that the agent asks."""
    return says(second, what, text, type="ask", ask=what)


def shown() -> Records:
    """What the panel shows at the end."""
    options = json.dumps({"question": TOLD[1][1], "options": ["path", "header"]})
    return [
        says(1, "text", TOLD[0][0], images=[]),
        says(2, "api_req_started", '{"request": "HIDDEN"}'),
        says(3, "reasoning", "HIDDEN"),
        says(4, "text", "I will read both clients.", partial=False),
        says(5, "tool", json.dumps({"tool": "readFile", "path": "a.py", "content": "HIDDEN"})),
        says(6, "completion_result", "REST — ünïcode 日本.HAS_CHANGES"),
        asks(7, "completion_result", ""),
        says(8, "user_feedback", TOLD[1][0], images=["HIDDEN"]),
        asks(9, "followup", options),
        says(10, "user_feedback", "path"),
    ]


def task_steps(home: Path) -> Iterator[None]:
    """Write a task message by message; the last one is always still being written first."""
    folder = storage(home)
    listed = [{"id": TASK, "cwdOnTaskInitialization": DIRECTORY}]
    write_object(folder / "state" / "taskHistory.json", listed)
    messages = shown()
    for end in range(1, len(messages) + 1):
        half = says(end, "text", "HIDDEN half a sen", partial=True)
        write_object(folder / "tasks" / TASK / "ui_messages.json", [*messages[:end], half])
        yield


def sent() -> Records:
    """What was sent to the model and came back, in the form of tasks."""
    return [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": f"<task>\n{TOLD[0][0]}\n</task>"},
                {"type": "text", "text": "<environment_details>HIDDEN</environment_details>"},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "<thinking>HIDDEN</thinking>I will read both clients."},
                {"type": "tool_use", "name": "read_file", "input": {"path": "a.py"}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "content": "HIDDEN"}]},
        {"role": "user", "content": "HIDDEN summary", "isSummary": True},
        {"role": "assistant", "content": "REST — ünïcode 日本."},
        {
            "role": "user",
            "content": [{"type": "text", "text": f"<feedback>{TOLD[1][0]}</feedback>"}],
        },
        {"role": "assistant", "content": TOLD[1][1]},
        {"role": "user", "content": "<answer>path</answer>"},
    ]


def session_messages() -> Records:
    """The messages of a session of the SDK."""
    hidden = {"kind": "context", "displayOnly": False}
    messages: Records = [
        {"role": "user", "content": TOLD[0][0]},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I will read both clients."},
                {"type": "tool_use", "name": "read_file", "input": {"path": "a.py"}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "content": "HIDDEN"}]},
        {"role": "user", "content": "HIDDEN notice", "metadata": hidden},
        {"role": "assistant", "content": "HIDDEN hint", "metadata": {"displayOnly": True}},
        {"role": "assistant", "content": "REST — ünïcode 日本."},
        {"role": "user", "content": TOLD[1][0]},
        {"role": "assistant", "content": TOLD[1][1]},
        {"role": "user", "content": "path"},
    ]
    for second, message in enumerate(messages):
        message["ts"] = int(moment(second).timestamp() * 1000)
    return messages


def session_steps(home: Path) -> Iterator[None]:
    """Write a session of the SDK message by message."""
    session = "session-1"
    folder = home / ".cline" / "data" / "sessions" / session
    manifest = {"cwd": DIRECTORY, "started_at": "2026-10-05T09:00:00Z"}
    write_object(folder / f"{session}.json", manifest)
    messages = session_messages()
    for end in range(len(messages) + 1):
        value = {"version": 1, "sessionId": session, "messages": messages[:end]}
        write_object(folder / f"{session}.messages.json", value)
        yield
