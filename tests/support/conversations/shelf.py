"""Keeps the turns of a log as an index would: replaces, completes, remembers cursors."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hunch.sources.conversations.base import Conversation, Cursor, Log, Reader, Reading, Turn
    from hunch.sources.conversations.places import Places


class Shelf:
    """What was read of one log so far."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._turns: dict[str, dict[str, Turn]] = {}
        self.cursors: dict[str, Cursor] = {}
        self.conversations: dict[str, Conversation] = {}
        self.unknown: Counter[str] = Counter()
        self.broken = 0

    def read(self, log: Log) -> list[Reading]:
        """Read what is new, store it, and return it."""
        readings = list(self._reader.read(log, self.cursors))
        for reading in readings:
            self.store(reading)
        return readings

    def store(self, reading: Reading) -> None:
        """Store one reading; the cursor takes the way through JSON that it takes in a database."""
        if reading.replace:
            self._turns[reading.key] = {}
            self.unknown, self.broken = Counter(), 0
        self._turns.setdefault(reading.key, {}).update({turn.id: turn for turn in reading.turns})
        self.cursors[reading.key] = json.loads(json.dumps(reading.cursor))
        self.conversations[reading.conversation.id] = reading.conversation
        self.unknown.update(reading.unknown)
        self.broken += reading.broken

    @property
    def turns(self) -> list[Turn]:
        """The turns of all transcripts of the log."""
        return [turn for turns in self._turns.values() for turn in turns.values()]


def read_all(reader: Reader, places: Places) -> list[Turn]:
    """Read every log that a reader finds; of copies, the one that `Turn.id` names is kept."""
    best: dict[str, tuple[tuple[int, str, str], Turn]] = {}
    for log in reader.discover(places):
        shelf = Shelf(reader)
        for reading in shelf.read(log):
            order = (log.rank, str(reading.conversation.started), str(log.path))
            for turn in reading.turns:
                best[turn.id] = min(best.get(turn.id, (order, turn)), (order, turn), key=_order)
    return [turn for _, turn in best.values()]


def talk(turns: list[Turn]) -> list[tuple[str, str]]:
    """Return questions and answers."""
    return [(turn.question, turn.answer) for turn in turns]


def _order(pair: tuple[tuple[int, str, str], Turn]) -> tuple[int, str, str]:
    return pair[0]
