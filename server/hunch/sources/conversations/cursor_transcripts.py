"""The transcripts of Cursor's agent: JSON lines of roles and contents, without ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hunch.sources.conversations.assemble import Message
from hunch.sources.conversations.base import Conversation
from hunch.sources.conversations.cursor_text import answers_in, text_of, time_in, typed
from hunch.sources.conversations.identity import QuestionIds
from hunch.sources.conversations.shapes import object_at, text_at
from hunch.sources.conversations.whole import Tally, Whole

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from hunch.sources.conversations.jsonl import Record


class Transcript:
    """What is visible of one transcript."""

    def __init__(self, path: Path) -> None:
        is_subagent = path.parent.name == "subagents"
        parent = path.parent.parent.name if is_subagent else ""
        self._conversation = Conversation(path.stem, parent=parent, is_subagent=is_subagent)
        self._ids = QuestionIds(path.stem)
        self._messages: list[Message] = []
        self._started: datetime | None = None

    def apply(self, record: Record) -> str:
        """See `Replayed.apply`."""
        content = object_at(record, "message").get("content")
        match record.get("role"):
            case "user":
                self._ask(text_of(content))
            case "assistant":
                self._messages.extend(answers_in(content))
            case "system" | "tool":
                pass
            case _:
                kind = text_at(record, "type")
                return "" if kind == "turn_ended" else kind or "no-role"
        return ""

    def whole(self, tally: Tally) -> Whole:
        """See `Replayed.whole`."""
        known = self._conversation
        conversation = Conversation(
            known.id, parent=known.parent, is_subagent=known.is_subagent, started=self._started
        )
        return Whole(conversation, self._messages, tally)

    def _ask(self, text: str) -> None:
        question = typed(text)
        if not question:
            return
        at = time_in(text)
        self._started = self._started or at
        id_ = self._ids.next(question)
        is_subagent = self._conversation.is_subagent
        self._messages.append(Message("user", question, at, id_, is_subagent=is_subagent))
