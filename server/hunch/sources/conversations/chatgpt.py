"""A conversation of ChatGPT as an export holds it: a tree of messages and the leaf that was open."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hunch.sources.conversations.assemble import Message
from hunch.sources.conversations.base import Conversation
from hunch.sources.conversations.identity import QuestionIds
from hunch.sources.conversations.shapes import as_object, object_at, text_at
from hunch.sources.conversations.times import from_milliseconds
from hunch.sources.conversations.whole import Tally, Whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from hunch.sources.conversations.jsonl import Record

_VISIBLE = {"text", "multimodal_text"}
_SILENT = {
    *("thoughts", "reasoning_recap", "code", "execution_output", "user_editable_context"),
    *("model_editable_context", "system_error", "sonic_webpage", "app_pairing_content"),
}
_CITATION = re.compile("\\ue200[^\\ue201]*\\ue201|[\\ue200-\\ue20f]")
"""Marks of the program's own around a citation, for which the page shows a link."""


def chatgpt_whole(record: Record, tally: Tally) -> Whole:
    """Return what a conversation of an export says."""
    conversation = Conversation(
        text_at(record, "id"),
        text_at(record, "title"),
        started=_time(record),
    )
    if "mapping" not in record:
        tally.count("no-conversation")
    return Whole(conversation, list(_messages(_path(record), conversation, tally)), tally)


def _path(record: Record) -> list[Record]:
    """Return the messages on the way from the root to the open leaf, else to the latest message."""
    nodes = {key: as_object(node) for key, node in object_at(record, "mapping").items()}
    id_ = text_at(record, "current_node")
    if id_ not in nodes:
        id_ = max(nodes, key=lambda key: _seconds(object_at(nodes[key], "message")), default="")
    path: list[Record] = []
    while id_ in nodes:
        node = nodes.pop(id_)
        path.append(object_at(node, "message"))
        id_ = text_at(node, "parent")
    return path[::-1]


def _messages(path: list[Record], conversation: Conversation, tally: Tally) -> Iterator[Message]:
    ids = QuestionIds(conversation.id)
    times = _times(path, conversation.started)
    for message, at in zip(path, times, strict=True):
        role = text_at(object_at(message, "author"), "role")
        if role not in ("user", "assistant") or _is_hidden(message):
            continue
        id_ = text_at(message, "id")
        recipient = text_at(message, "recipient") or "all"
        if recipient != "all":
            if role == "assistant":
                yield Message("tool", recipient, at, id_)
            continue
        text = _text(object_at(message, "content"), tally)
        if role == "user":
            yield Message("user", text, at, id_ or ids.next(text))
        else:
            model = text_at(object_at(message, "metadata"), "model_slug")
            yield Message("assistant", text, at, id_, model=model)


def _is_hidden(message: Record) -> bool:
    metadata = object_at(message, "metadata")
    return message.get("weight") == 0 or bool(metadata.get("is_visually_hidden_from_conversation"))


def _text(content: Record, tally: Tally) -> str:
    kind = text_at(content, "content_type")
    if kind not in _VISIBLE:
        is_known = kind in _SILENT or kind.startswith("tether_")
        tally.count("" if is_known else f"content:{kind or 'untyped'}")
        return ""
    parts = content.get("parts")
    texts = map(_part, parts) if isinstance(parts, list) else ()  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] -- JSON
    text = "".join(texts)
    return text if text.isascii() else _CITATION.sub("", text)


def _part(part: object) -> str:
    if isinstance(part, str):
        return part
    spoken = as_object(part)
    return text_at(spoken, "text") if spoken.get("content_type") == "audio_transcription" else ""


def _times(path: list[Record], started: datetime | None) -> list[datetime | None]:
    """Return the time of each message; what has none has that of the next one, at last the start."""
    times: list[datetime | None] = []
    later = started
    for message in reversed(path):
        later = _time(message) or later
        times.append(later)
    return times[::-1]


def _time(record: Record) -> datetime | None:
    seconds = record.get("create_time")
    return from_milliseconds(seconds * 1000) if isinstance(seconds, int | float) else None


def _seconds(message: Record) -> float:
    seconds = message.get("create_time")
    return seconds if isinstance(seconds, int | float) else -1.0
