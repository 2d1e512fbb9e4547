"""Sessions as Gemini CLI writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from support.conversations.copilot import write_object
from support.conversations.lines import Records, stamp, write_lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SESSION = "44444444-5555-4666-8777-888888888888"
DIRECTORY = "/home/robin/radio"
TOLD = [
    ("Resample early or late?", "I will read the mixer.\n\nEarly — ünïcode ✓."),
    ("Which dither? See plot.", "Triangular; shaping needs a fixed rate."),
]


def person(second: int, content: Any, **extra: Any) -> dict[str, Any]:
    """A message in the person's name."""
    return _message(second, "user", content, extra)


def model(second: int, content: Any, **extra: Any) -> dict[str, Any]:
    """A message of the model."""
    return _message(second, "gemini", content, {"thoughts": ["HIDDEN"], "model": "g-3"} | extra)


def _message(second: int, kind: str, content: Any, extra: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": f"{SESSION[:8]}-{second:03}",
        "timestamp": stamp(second),
        "type": kind,
        "content": content,
        **extra,
    }


def header(**extra: Any) -> dict[str, Any]:
    """The first record of a session."""
    return {"sessionId": SESSION, "projectHash": "x", "startTime": stamp(0), "kind": "main"} | extra


RESPONSE = {"functionResponse": {"name": "read_file", "response": {"output": "HIDDEN"}}}
CALLS = [{"name": "read_file", "args": {"path": "mixer.c"}, "result": [RESPONSE]}]


def records() -> Records:
    """A session in which everything happens that changes what was said before."""
    typed = [{"text": TOLD[0][0]}]
    context = person(0, "<session_context>\nHIDDEN\n</session_context>")
    first = [
        person(1, [*typed, {"text": "\nHIDDEN file"}], displayContent=typed),
        model(2, "I will read the mixer."),
    ]
    return [
        header(),
        {"$set": {"messages": [context]}},
        *first,
        {"$set": {"lastUpdated": stamp(2)}},
        model(2, "I will read the mixer.", toolCalls=CALLS),
        person(3, [RESPONSE]),
        {"$patch": {"id": "none", "content": "HIDDEN"}},
        {"id": "i", "type": "info", "content": "HIDDEN", "timestamp": stamp(3)},
        model(4, "ABANDONED early"),
        {"$patch": {"updates": [{"id": f"{SESSION[:8]}-004", "content": "Early — ünïcode ✓."}]}},
        person(5, "/stats HIDDEN"),
        person(6, "ABANDONED?"),
        model(7, "ABANDONED."),
        {"$rewindTo": f"{SESSION[:8]}-006"},
        person(8, [{"text": TOLD[1][0]}, {"inlineData": {"data": "HIDDEN"}}]),
        model(9, [{"text": "Triangular; "}, {"text": "HIDDEN", "thought": True}]),
        model(10, "ABANDONED"),
        {"$patch": {"removeIds": [f"{SESSION[:8]}-010"]}},
        model(9, [{"text": "Triangular; "}, {"text": "shaping needs a fixed rate."}]),
    ]


def compressed() -> dict[str, Any]:
    """A record that replaces all messages by what they are at the end."""
    kept = [each for each in records() if each.get("type") in ("user", "gemini")]
    by_id = {each["id"]: each for each in kept}
    gone = {f"{SESSION[:8]}-{second:03}" for second in (4, 5, 6, 7, 10)}
    messages = [each for id_, each in by_id.items() if id_ not in gone]
    messages[-2:-2] = [model(4, "Early — ünïcode ✓.")]
    return {"$set": {"messages": messages}}


def project(home: Path, name: str = "radio") -> Path:
    """The folder of chats of a project."""
    folder = home / ".gemini" / "tmp" / name
    (folder / "chats").mkdir(parents=True, exist_ok=True)
    if name == "radio":
        (folder / ".project_root").write_text(DIRECTORY)
    return folder / "chats"


def line_steps(home: Path) -> Iterator[None]:
    """Write the session line by line."""
    path = project(home) / "session-2026-10-05T09-00-44444444.jsonl"
    lines = [*records(), compressed()]
    for end in range(1, len(lines) + 1):
        write_lines(path, lines[:end], tail=b'{"id":"x","type":"user","content":"HIDDEN')
        yield


def object_steps(home: Path) -> Iterator[None]:
    """Write the session as one object with more and more messages."""
    path = project(home) / "session-2026-10-05T09-00-44444444.json"
    messages = compressed()["$set"]["messages"]
    for end in range(len(messages) + 1):
        write_object(path, header(messages=messages[:end]))
        yield
