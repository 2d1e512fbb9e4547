"""Reading one log into the index: what is new in it, redacted, as turns of conversations."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hunch.errors import LogUnavailable
from hunch.indexing.turns import hash_of_turn, plan_turns
from hunch.model import Problem
from hunch.sources import git
from hunch.sources.conversations.base import Step
from hunch.sources.conversations.readers import READERS
from hunch.sources.redaction import Redactor, is_excluded
from hunch.store import conversations as stored
from hunch.store import documents, postings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hunch.config import Settings
    from hunch.model import Source
    from hunch.ranking.terms import Terms
    from hunch.sources.conversations.base import Conversation, Log, Reader, Reading, Turn
    from hunch.store.database import Database

__all__ = ["READERS", "LogReading", "Outcome"]

_ENDED: Any = object()


@dataclass(slots=True)
class Outcome:
    """What came of reading a log."""

    turns: int = 0
    """New and changed ones."""
    unknown: int = 0
    """Records that nobody understood."""
    is_busy: bool = False
    """Whether it is being written, and is to be tried again soon."""


class LogReading:
    """Reads logs by the settings of one moment."""

    def __init__(
        self, settings: Settings, database: Database, terms: Terms, running: asyncio.Event
    ) -> None:
        """Prepare to read.

        Args:
            settings: what is to be redacted and left out.
            database: where turns go.
            terms: splits words.
            running: while it is not set, nothing is written.

        Raises:
            InvalidSetting: a pattern to be redacted is no regular expression.
        """
        self._database = database
        self._terms = terms
        self._running = running
        self._redactor = Redactor(settings.conversations_redact)
        self._excluded = [Path(p).expanduser() for p in settings.conversations_exclude]

    async def read(
        self, reader: Reader, source: Source, found: Log, known: stored.StoredLog | None
    ) -> Outcome:
        """Read a log to its end.

        Args:
            reader: of the agent.
            source: of the agent.
            found: the log.
            known: what is remembered of it.
        """
        log_id = await self._database.write(stored.open_log, source.id, str(found.path))
        outcome, unknown = Outcome(), Counter[str]()
        readings = reader.read(found, known.cursors if known else {})
        problem: Problem | None = None
        try:
            while (reading := await asyncio.to_thread(next, readings, _ENDED)) is not _ENDED:
                await self._running.wait()
                outcome.turns += await self._store(reader, source, found, log_id, reading)
                unknown.update(reading.unknown)
                unknown["broken lines"] += reading.broken
        except LogUnavailable as error:
            if error.reason == "busy":
                outcome.is_busy = True
            elif error.reason != "gone":
                problem = Problem(str(found.path), str(error), "failed")
        else:
            await self._database.write(stored.close_log, log_id, found.stamp)
        outcome.unknown = unknown.total()
        if outcome.unknown:
            problem = Problem(str(found.path), _clause(unknown), "not understood")
        if problem is not None:
            unread = documents.UnreadFile(problem, None)
            await self._database.write(documents.write_unread, source.id, [unread])
        return outcome

    async def _store(
        self, reader: Reader, source: Source, found: Log, log_id: int, reading: Reading
    ) -> int:
        """Store one reading; returns how many turns were new or changed."""
        conversation = replace(
            reading.conversation, title=self._redactor.redact(reading.conversation.title)
        )
        head = _head(conversation)
        turns = await asyncio.to_thread(self._redacted, reading.turns)
        if await self._is_unwanted(source, head, turns):
            turns = []
        known = await self._database.read(stored.known_turns, source.id, [t.id for t in turns])
        ours = _Holder(log_id, reading.key, found, conversation)
        wanted = [
            turn
            for turn in turns
            if ours.may_write(turn, known.get(turn.id), replace=reading.replace)
        ]
        planned, terms = await asyncio.to_thread(
            plan_turns, wanted, conversation, reader.label, self._terms
        )
        await self._database.write(
            stored.write_reading,
            source.id,
            stored.NewReading(
                log_id=log_id,
                rank=found.rank,
                head=head,
                turns=planned,
                terms=terms,
                key=reading.key,
                cursor=reading.cursor,
                replace=reading.replace,
            ),
        )
        while segments := await self._database.read(postings.mergeable):
            await self._database.write(postings.merge, segments)
        return len(wanted)

    async def _is_unwanted(
        self, source: Source, head: stored.ConversationHead, turns: Iterable[Turn]
    ) -> bool:
        """Tell whether a conversation is to be left out; what there was of it goes."""
        place = head.directory
        if place and any(Path(place).is_relative_to(folder) for folder in self._excluded):
            await self._database.write(stored.drop_conversation, source.id, head.name)
            return True
        if any(map(_is_marked, turns)):
            await self._database.write(stored.exclude_conversation, source.id, head)
            return True
        return await self._database.read(stored.is_excluded, source.id, head.name)

    def _redacted(self, turns: Iterable[Turn]) -> list[Turn]:
        redact = self._redactor.redact
        return [
            replace(
                turn,
                question=redact(turn.question),
                steps=tuple(Step(redact(step.text), step.is_tool) for step in turn.steps),
            )
            for turn in turns
        ]


@dataclass(frozen=True, slots=True)
class _Holder:
    """A part of a log that gives a turn, which other parts and other logs may hold as well."""

    log_id: int
    key: str
    log: Log
    conversation: Conversation

    def may_write(self, turn: Turn, known: stored.KnownTurn | None, *, replace: bool) -> bool:
        """Tell whether the turn is news, and this the one that should hold it.

        Of the conversations in one log the one that began first does: forks copy what was said.
        """
        if known is None:
            return True
        at = self.conversation.started
        started = at.timestamp() if at else 0.0
        is_ours = known.key == self.key or started <= known.conversation_started
        if known.log_id == self.log_id and is_ours:
            return replace or known.hash != hash_of_turn(turn)
        ours = self.log.rank, started, str(self.log.path)
        return ours < (known.rank, known.conversation_started, known.log_path)


def _is_marked(turn: Turn) -> bool:
    return is_excluded(turn.question) or any(is_excluded(step.text) for step in turn.steps)


def _head(conversation: Conversation) -> stored.ConversationHead:
    return stored.ConversationHead(
        name=conversation.id,
        title=conversation.title,
        directory=conversation.directory,
        remote=git.remote_name(conversation.remote),
        branch=conversation.branch,
        parent=conversation.parent,
        is_subagent=conversation.is_subagent,
        started=conversation.started,
    )


def _clause(unknown: Counter[str]) -> str:
    kinds = ", ".join(f"{count} × {kind}" for kind, count in unknown.most_common(5) if count)
    return f"not understood: {kinds}"
