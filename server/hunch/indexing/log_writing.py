"""Writing the turns of many small logs together.

A transaction and a segment of postings for each would cost more than reading the logs does.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hunch.indexing.turns import plan_turns
from hunch.sources import git
from hunch.store import conversations as stored
from hunch.store import postings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hunch.model import Source
    from hunch.ranking.terms import Terms
    from hunch.sources.conversations.base import Conversation, Log, Reading, Turn
    from hunch.store.database import Database

_MOST_TURNS = 256
_MOST_TEXT = 1 << 20
"""Characters that wait to be written at most, apart from one reading."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What is to be written of one reading."""

    log_id: int
    log: Log
    reading: Reading
    """Redacted."""
    turns: Sequence[Turn]
    """Those of the reading that are new or changed, and that no better log holds."""


class TurnBatch:
    """Keeps what was read of an agent's logs until it is worth a transaction."""

    def __init__(self, database: Database, source: Source, label: str, terms: Terms) -> None:
        """Begin with nothing.

        Args:
            database: where turns go.
            source: the agent's.
            label: the agent's name for people.
            terms: splits words.
        """
        self._database = database
        self._source = source
        self._label = label
        self._terms = terms
        self._forget()

    def _forget(self) -> None:
        self._pieces: list[Piece] = []
        self._closed: list[tuple[int, Sequence[int]]] = []
        self._parts = set[tuple[int, str]]()
        self._ids = set[str]()
        self._text = 0

    @property
    def is_empty(self) -> bool:
        """Whether everything is written."""
        return not self._pieces and not self._closed

    def meets(self, log_id: int, reading: Reading) -> bool:
        """Tell whether what waits has to be written before it is known what is new in a reading."""
        again = reading.replace and (log_id, reading.key) in self._parts
        return again or not self._ids.isdisjoint(turn.id for turn in reading.turns)

    async def add(self, piece: Piece) -> None:
        """Take a piece, and write all once there is enough."""
        self._pieces.append(piece)
        self._parts.add((piece.log_id, piece.reading.key))
        self._ids.update(turn.id for turn in piece.turns)
        self._text += sum(len(turn.question) + len(turn.answer) for turn in piece.turns)
        if len(self._ids) >= _MOST_TURNS or self._text >= _MOST_TEXT:
            await self.write()

    def close(self, log_id: int, log: Log) -> None:
        """Note that a log was read to its end."""
        self._closed.append((log_id, log.stamp))

    async def write(self) -> None:
        """Write what waits."""
        if self.is_empty:
            return
        readings, terms = await asyncio.to_thread(self._planned, self._pieces)
        await self._database.write(
            stored.write_readings, self._source.id, readings, terms, self._closed
        )
        self._forget()
        while segments := await self._database.read(postings.mergeable):
            await self._database.write(postings.merge, segments)

    def _planned(
        self, pieces: Iterable[Piece]
    ) -> tuple[list[stored.NewReading], postings.Postings]:
        """Cut the turns of all pieces and count their terms; blocks."""
        spoken = [(turn, piece.reading.conversation) for piece in pieces for turn in piece.turns]
        turns, terms = plan_turns(spoken, self._label, self._terms)
        rest = iter(turns)
        readings = [
            stored.NewReading(
                log_id=piece.log_id,
                rank=piece.log.rank,
                head=head_of(piece.reading.conversation),
                turns=[next(rest) for _ in piece.turns],
                key=piece.reading.key,
                cursor=piece.reading.cursor,
                replace=piece.reading.replace,
            )
            for piece in pieces
        ]
        return readings, terms


def head_of(conversation: Conversation) -> stored.ConversationHead:
    """Return what the store keeps of a conversation as a whole."""
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
