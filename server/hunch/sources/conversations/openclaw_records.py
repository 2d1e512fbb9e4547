"""The records of OpenClaw, the same in its database and in its JSON lines.

Entries form a tree by `id` and `parentId`. The leaf is the last entry that is not put aside; a `leaf`
entry moves it. A `reset` ends the turn and keeps the history.
"""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from hunch.sources.conversations.assemble import Message
from hunch.sources.conversations.branches import Branches
from hunch.sources.conversations.jsonl import parse
from hunch.sources.conversations.openclaw_text import (
    agent_text,
    is_control,
    is_internal,
    is_of_other_agent,
    person_text,
)
from hunch.sources.conversations.shapes import blocks_of, object_at, text_at
from hunch.sources.conversations.times import from_iso, from_milliseconds
from hunch.sources.conversations.transcript import derived_id
from hunch.sources.conversations.visible import summarize_call

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from hunch.sources.conversations.base import Conversation, Cursor
    from hunch.sources.conversations.jsonl import Record

_ENTRIES = {
    *("message", "model_change", "thinking_level_change", "custom", "custom_message", "compaction"),
    *("reset", "branch_summary", "label", "session_info", "leaf", "context_edit", "usage"),
}
_OUTSIDE = {"session", "header", "identity"}
"""Records that stand beside the tree; the last two are of cold archives."""
_ROLES = {
    *("user", "assistant", "toolResult", "bashExecution", "custom", "branchSummary"),
    *("compactionSummary", "system"),
}
_SHORT_ID = 20
"""Ids below this length are unique in their session only."""


class OpenClaw:
    """Understands the records of one transcript."""

    def __init__(
        self, known: Conversation, state: Cursor | None, active: frozenset[int] | None = None
    ) -> None:
        self.conversation = known
        self._branches = Branches(is_whole=state is None)
        self._last = ""
        self._active = active
        """The positions on the active branch where the program itself keeps that list."""
        self._visible = array("Q")
        """Of each visible record: its number in the tree and its position."""

    def note(self, position: int, record: Record) -> str:
        """See `Format.note`."""
        record = unpack(record)
        kind = text_at(record, "type")
        if kind in _OUTSIDE:
            self._know(record)
            return ""
        if kind == "session_info":
            title = text_at(record, "name") or self.conversation.title
            self.conversation = replace(self.conversation, title=title)
        number = self._grow(position, record)
        role = text_at(object_at(record, "message"), "role")
        if kind == "reset" or role in ("user", "assistant"):
            self._visible.extend((number, position))
        if kind == "message":
            return "" if role in _ROLES else f"message:{role}"
        return "" if kind in _ENTRIES else kind or "untyped"

    def chosen(self) -> array[int] | None:
        """See `Format.chosen`."""
        pairs = zip(*[iter(self._visible)] * 2, strict=True)
        if self._active is not None:
            return array("Q", (position for _, position in pairs if position in self._active))
        flags = self._branches.on_path()
        if flags is None:
            return None
        return array("Q", (position for number, position in pairs if flags[number]))

    def messages(self, position: int, record: Record) -> Iterator[Message]:
        """See `Format.messages`."""
        record = unpack(record)
        message = object_at(record, "message")
        if record.get("type") == "reset":
            yield Message("control", position=position)
        elif message.get("role") == "assistant":
            yield from self._answers(position, record, message)
        elif not message.get("runtimeContext"):
            yield from self._questions(position, record, message)

    def state(self) -> Cursor:
        """See `Format.state`; where the first record hangs needs not be known."""
        return {}

    def _grow(self, position: int, record: Record) -> int:
        """Put an entry into the tree; those of the first versions have no ids and form a line."""
        id_ = text_at(record, "id") or f"@{position}"
        parent = text_at(record, "parentId") if "parentId" in record else self._last
        if record.get("type") == "leaf":
            parent = text_at(record, "targetId")
        is_aside = record.get("appendMode") == "side"
        if not is_aside:
            self._last = id_
        return self._branches.add(id_, parent, moves_leaf=not is_aside)

    def _questions(self, position: int, record: Record, message: Record) -> Iterator[Message]:
        texts = [text_at(b, "text") for b in blocks_of(message.get("content")) if _is_text(b)]
        whole = "\n\n".join(texts)
        text = person_text(whole)
        role: Literal["user", "control"] = "user"
        if self._is_of_program(message, whole, text):
            role, text = "control", ""
        at = _time(record, message)
        yield Message(
            role,
            text,
            at,
            self._turn_id(record, at, text),
            directory=self.conversation.directory,
            is_subagent=self.conversation.is_subagent,
            position=position,
        )

    def _is_of_program(self, message: Record, whole: str, text: str) -> bool:
        if is_control(text) or (not text and is_internal(whole)):
            return True
        if self.conversation.is_subagent:
            # Its task was written by the agent that called it; that is no interruption.
            return False
        source = text_at(object_at(message, "provenance"), "kind")
        return is_of_other_agent(text) or source not in ("", "external_user")

    def _turn_id(self, record: Record, at: datetime | None, text: str) -> str:
        """Return an id that copies in other sessions and archives share."""
        id_ = text_at(record, "id")
        if len(id_) >= _SHORT_ID:
            return id_
        when = at.isoformat() if at else self.conversation.id
        if id_:
            return f"{id_}@{when}"
        return derived_id(when, text)

    def _answers(self, position: int, record: Record, message: Record) -> Iterator[Message]:
        is_notice = message.get("provider") == "openclaw"
        if is_notice and message.get("model") != "delivery-mirror":
            return
        at = _time(record, message)
        for number, block in enumerate(blocks_of(message.get("content"))):
            id_ = f"{text_at(record, 'id')}:{number}" if "id" in record else ""
            if _is_text(block):
                yield Message(
                    "assistant",
                    agent_text(text_at(block, "text")),
                    at,
                    id_,
                    model="" if is_notice else text_at(message, "model"),
                    is_echo=is_notice,
                    position=position,
                )
            elif block.get("type") == "toolCall":
                summary = summarize_call(text_at(block, "name"), block.get("arguments"))
                yield Message("tool", summary, at, id_, position=position)

    def _know(self, record: Record) -> None:
        """Learn from the header where and when the conversation began."""
        known = self.conversation
        if record.get("type") != "session" or known.started:
            return
        self.conversation = replace(
            known,
            id=text_at(record, "id") or known.id,
            directory=text_at(record, "cwd") or known.directory,
            parent=text_at(record, "parentSession") or known.parent,
            started=from_iso(record.get("timestamp")),
        )


def unpack(record: Record) -> Record:
    """Return the entry inside of a line of a cold archive; other records are returned as they are."""
    if record.get("kind") in ("header", "identity"):
        return {"type": record["kind"]}
    if record.get("kind") != "event":
        return record
    return parse(text_at(object_at(record, "row"), "event_json")) or {"type": "event"}


def _is_text(block: Record) -> bool:
    return block.get("type") == "text"


def _time(record: Record, message: Record) -> datetime | None:
    return from_iso(record.get("timestamp")) or from_milliseconds(message.get("timestamp"))
