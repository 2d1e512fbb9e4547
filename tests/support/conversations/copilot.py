"""Sessions as VS Code Copilot Chat writes them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from support.conversations.lines import Records, moment, write_lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SESSION = "22222222-3333-4444-8555-666666666666"
TOLD = [
    ("Which type for prices?", "I will look at cart.ts first.\n\nIntegers of the smallest coin."),
    ("And for discounts?", "A fraction — ünïcode 日本."),
    ("Canceled", ""),
]


def text(value: str) -> dict[str, Any]:
    """A piece of an answer."""
    return {"value": value, "supportThemeIcons": False, "baseUri": {"path": "/x"}}


def request(number: int, question: str, *parts: dict[str, Any], **extra: Any) -> dict[str, Any]:
    """A question and what was answered so far."""
    return {
        "requestId": f"request_{number}",
        "timestamp": int(moment(number).timestamp() * 1000),
        "message": {"text": question, "parts": [{"kind": "text", "text": "HIDDEN"}]},
        "variableData": {"variables": [{"kind": "file", "name": "HIDDEN"}]},
        "response": list(parts),
        "result": {"metadata": {"renderedUserMessage": "HIDDEN"}},
        "modelId": "copilot/model-5",
        **extra,
    }


def session(*requests: dict[str, Any], **extra: Any) -> dict[str, Any]:
    """A session as one object."""
    return {
        "version": 3,
        "sessionId": SESSION,
        "creationDate": int(moment(0).timestamp() * 1000),
        "customTitle": "Money",
        "requests": list(requests),
        "inputState": {"inputText": "HIDDEN draft"},
        **extra,
    }


THINKING = {"kind": "thinking", "value": "HIDDEN"}
REFERENCE = {"kind": "inlineReference", "inlineReference": {"path": "/src/cart.ts"}}
CALL = {
    "kind": "toolInvocationSerialized",
    "toolId": "copilot_readFile",
    "toolSpecificData": {"path": "cart.ts"},
    "resultDetails": {"output": "HIDDEN"},
}
FIRST = (
    *(THINKING, text("I will look at "), REFERENCE, text(" first."), CALL),
    *(text("Integers of the "), {"kind": "undoStop", "id": "u"}, text("smallest coin.")),
)


def mutations() -> Records:
    """A log in which everything happens that changes what was said before."""
    path = ["requests", 0, "response"]
    return [
        {"kind": 0, "v": session()},
        {"kind": 1, "k": ["inputState", "inputText"], "v": "HIDDEN draft"},
        {"kind": 2, "k": ["requests"], "v": [request(1, TOLD[0][0])]},
        {"kind": 2, "k": path, "v": [THINKING, text("I will")]},
        {"kind": 2, "k": path, "i": 1, "v": list(FIRST[1:5])},
        {"kind": 2, "k": path, "v": [*FIRST[5:7], text("ABANDONED")]},
        {"kind": 1, "k": [*path, 7], "v": FIRST[7]},
        {"kind": 1, "k": ["requests", 0, "result"], "v": {"metadata": {"x": "HIDDEN"}}},
        {"kind": 2, "k": ["requests"], "v": [request(2, "ABANDONED?", text("ABANDONED"))]},
        {"kind": 2, "k": ["requests"], "i": 1, "v": [request(3, TOLD[1][0])]},
        {"kind": 1, "k": ["requests", 1, "response"], "v": [text("A fraction — ")]},
        {"kind": 2, "k": ["requests", 1, "response"], "v": [text("ünïcode 日本.")]},
        {"kind": 2, "k": ["requests"], "v": [request(4, "HIDDEN?", isHidden=True)]},
        {"kind": 2, "k": ["requests"], "v": [request(5, TOLD[2][0], isCanceled=True)]},
        {"kind": 1, "k": ["requests", 2, "shouldBeRemovedOnSend"], "v": {"requestId": "x"}},
        {"kind": 3, "k": ["inputState", "inputText"]},
    ]


def complete() -> dict[str, Any]:
    """The session after all mutations."""
    return session(
        request(1, TOLD[0][0], *FIRST),
        request(3, TOLD[1][0], text("A fraction — "), text("ünïcode 日本.")),
        request(4, "HIDDEN?", isHidden=True),
        request(5, TOLD[2][0], isCanceled=True),
    )


def chats(home: Path) -> Path:
    """The folder of chats of a window with a folder."""
    storage = home / ".config" / "Code" / "User" / "workspaceStorage" / "0a1b"
    storage.mkdir(parents=True, exist_ok=True)
    (storage / "workspace.json").write_text('{"folder": "file:///home/robin/web%20shop"}')
    return storage / "chatSessions"


def write_object(path: Path, value: object) -> None:
    """Rewrite a file as one JSON value."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False), "utf-8")


def log_steps(home: Path) -> Iterator[None]:
    """Write the log line by line, at last compacted."""
    path = chats(home) / f"{SESSION}.jsonl"
    records = mutations()
    for end in range(1, len(records) + 1):
        write_lines(path, records[:end], tail=b'{"kind":1,"k":["requ')
        yield
    write_lines(path, [{"kind": 0, "v": complete()}])
    yield


def object_steps(home: Path) -> Iterator[None]:
    """Write the object with more and more requests."""
    path = chats(home) / f"{SESSION}.json"
    whole = complete()
    for end in range(len(whole["requests"]) + 1):
        write_object(path, session(*whole["requests"][:end]))
        yield
