"""A conversation of Claude.ai as an export holds it: a list of messages, in later ones with parents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hunch.sources.conversations.assemble import Message
from hunch.sources.conversations.base import Conversation
from hunch.sources.conversations.identity import QuestionIds
from hunch.sources.conversations.shapes import objects_in, text_at
from hunch.sources.conversations.times import from_iso
from hunch.sources.conversations.visible import summarize_call
from hunch.sources.conversations.whole import Tally, Whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from hunch.sources.conversations.jsonl import Record

_SILENT = {"thinking", "redacted_thinking", "tool_result", "token_budget", "flag", "image"}
_SPOKEN = ("text", "voice_note")


def claude_ai_whole(record: Record, tally: Tally) -> Whole:
    """Return what a conversation of an export says."""
    conversation = Conversation(
        text_at(record, "id"),
        text_at(record, "name"),
        started=from_iso(record.get("created_at")),
    )
    if "chat_messages" not in record:
        tally.count("no-conversation")
    path = _path(list(objects_in(record.get("chat_messages"))))
    return Whole(conversation, list(_messages(path, conversation, tally)), tally)


def _path(messages: list[Record]) -> list[Record]:
    """Return the messages on the way to the last one; without parents that is all of them."""
    if not any(text_at(message, "parent_message_uuid") for message in messages):
        return messages
    by_id = {text_at(message, "uuid"): message for message in messages}
    id_ = text_at(messages[-1], "uuid")
    path: list[Record] = []
    while id_ in by_id:
        message = by_id.pop(id_)
        path.append(message)
        id_ = text_at(message, "parent_message_uuid")
    return path[::-1]


def _messages(path: list[Record], conversation: Conversation, tally: Tally) -> Iterator[Message]:
    ids = QuestionIds(conversation.id)
    for message in path:
        sender, at = text_at(message, "sender"), from_iso(message.get("created_at"))
        blocks = list(objects_in(message.get("content")))
        if not blocks:
            blocks = [{"type": "text", "text": text_at(message, "text")}]
        if sender == "human":
            texts = (text_at(block, "text") for block in blocks if block.get("type") in _SPOKEN)
            text = "\n\n".join(filter(None, texts))
            yield Message("user", text, at, text_at(message, "uuid") or ids.next(text))
        elif sender == "assistant":
            yield from _answers(blocks, at, tally)
        else:
            tally.count(f"sender:{sender}")


def _answers(blocks: list[Record], at: datetime | None, tally: Tally) -> Iterator[Message]:
    for block in blocks:
        match text_at(block, "type"):
            case kind if kind in _SPOKEN:
                yield Message("assistant", text_at(block, "text"), at)
            case "tool_use":
                summary = summarize_call(text_at(block, "name"), block.get("input"))
                yield Message("tool", summary, at)
            case kind:
                tally.count("" if kind in _SILENT else f"block:{kind}")
