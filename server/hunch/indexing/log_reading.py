"""Reading one log into the index: what is new in it, redacted, as turns of conversations."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hunch.errors import LogUnavailable
from hunch.indexing.log_writing import Piece, TurnBatch, head_of
from hunch.indexing.turns import hash_of_turn
from hunch.model import Problem
from hunch.sources.conversations.base import Step
from hunch.sources.conversations.readers import READERS
from hunch.sources.redaction import Redactor, is_excluded
from hunch.store import conversations as stored
from hunch.store import documents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hunch.config import Settings
    from hunch.model import Source
    from hunch.ranking.terms import Terms
    from hunch.sources.conversations.base import Conversation, Log, Reader, Reading, Turn
    from hunch.store.database import Database

__all__ = ["READERS", "LogReading", "Outcome"]


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

    def batch(self, reader: Reader, source: Source) -> TurnBatch:
        """Return what the turns of an agent's logs are collected in."""
        return TurnBatch(self._database, source, reader.label, self._terms)

    async def read(
        self,
        reader: Reader,
        source: Source,
        batch: TurnBatch,
        found: Log,
        log_id: int,
        known: stored.StoredLog | None,
    ) -> Outcome:
        """Read a log to its end; what is in it is written with the batch.

        Args:
            reader: of the agent.
            source: of the agent.
            batch: of the source.
            found: the log.
            log_id: of the log.
            known: what is remembered of it.
        """
        outcome, unknown = Outcome(), Counter[str]()
        readings = reader.read(found, known.cursors if known else {})
        problem: Problem | None = None
        try:
            while reading := await asyncio.to_thread(self._next, readings):
                await self._running.wait()
                piece = await self._piece(source, batch, found, log_id, reading)
                await batch.add(piece)
                outcome.turns += len(piece.turns)
                unknown.update(reading.unknown)
                unknown["broken lines"] += reading.broken
        except LogUnavailable as error:
            if error.reason == "busy":
                outcome.is_busy = True
            elif error.reason != "gone":
                problem = Problem(str(found.path), str(error), "failed")
        else:
            batch.close(log_id, found)
        outcome.unknown = unknown.total()
        if outcome.unknown:
            problem = Problem(str(found.path), _clause(unknown), "not understood")
        if problem is not None:
            unread = documents.UnreadFile(problem, None)
            await self._database.write(documents.write_unread, source.id, [unread])
        return outcome

    def _next(self, readings: Iterator[Reading]) -> Reading | None:
        """Return the next reading, redacted; None after the last one; blocks."""
        reading = next(readings, None)
        if reading is None:
            return None
        told = reading.conversation
        conversation = replace(told, title=self._redactor.redact(told.title))
        turns = tuple(self._redacted(reading.turns))
        return replace(reading, conversation=conversation, turns=turns)

    async def _piece(
        self, source: Source, batch: TurnBatch, found: Log, log_id: int, reading: Reading
    ) -> Piece:
        """Return what of a reading is to be written."""
        if await self._is_unwanted(source, batch, reading):
            return Piece(log_id, found, reading, ())
        if batch.meets(log_id, reading):
            await batch.write()
        ids = [turn.id for turn in reading.turns]
        known = await self._database.read(
            stored.known_turns, source.id, reading.conversation.id, ids
        )
        if known is None:
            return Piece(log_id, found, reading, ())
        ours = _Holder(log_id, reading.key, found, reading.conversation)
        wanted = [
            turn
            for turn in reading.turns
            if ours.may_write(turn, known.get(turn.id), replace=reading.replace)
        ]
        return Piece(log_id, found, reading, wanted)

    async def _is_unwanted(self, source: Source, batch: TurnBatch, reading: Reading) -> bool:
        """Tell whether a conversation says that it is to be left out, or the settings do.

        What there was of it goes.
        """
        head = head_of(reading.conversation)
        place = head.directory
        if place and any(Path(place).is_relative_to(folder) for folder in self._excluded):
            await batch.write()
            await self._database.write(stored.drop_conversation, source.id, head.name)
            return True
        if any(map(_is_marked, reading.turns)):
            await batch.write()
            await self._database.write(stored.exclude_conversation, source.id, head)
            return True
        return False

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


def _clause(unknown: Counter[str]) -> str:
    kinds = ", ".join(f"{count} × {kind}" for kind, count in unknown.most_common(5) if count)
    return f"not understood: {kinds}"
