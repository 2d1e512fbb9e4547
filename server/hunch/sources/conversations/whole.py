"""Reading a conversation that can only be read as a whole, and giving what is new of it.

Many agents rewrite a conversation whenever something happens in it, or write edits that reach back.
Such a conversation is read from its beginning each time, and compared with marks of the turns that
were given before: eight bytes for the id of a turn, eight for what it says. Only visible text is
held in memory, never tool results or images.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Protocol

from hunch.errors import LogUnavailable
from hunch.sources.conversations.assemble import assemble
from hunch.sources.conversations.base import Conversation, Cursor, Reading, Turn
from hunch.sources.conversations.transcript import harmless

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from hunch.sources.conversations.assemble import Message
    from hunch.sources.conversations.jsonl import JsonLines, Record

FORM = 1
"""Cursors of another form are not understood: all turns are given again. Raise it with the rules."""

_PIECE_TURNS = 200
_PIECE_TEXT = 1 << 20


@dataclass(slots=True)
class Tally:
    """What was not understood while a conversation was read."""

    unknown: Counter[str] = field(default_factory=Counter[str])
    broken: int = 0

    def count(self, kind: str) -> None:
        """Count a record of an unknown kind; an empty kind is a known one."""
        if kind:
            self.unknown[harmless(kind)] += 1


@dataclass(frozen=True, slots=True)
class Whole:
    """All that a conversation says at the moment."""

    conversation: Conversation
    messages: Iterable[Message]
    tally: Tally = field(default_factory=Tally)
    """Complete when the messages were taken."""


class Replayed(Protocol):
    """Understands records that change what was said before; made anew for each reading."""

    def apply(self, record: Record) -> str:
        """Take the next record; return its kind if that is unknown, else ``."""
        ...

    def whole(self, tally: Tally) -> Whole:
        """Return what holds after the last record."""
        ...


def is_known(since: Mapping[str, Cursor], key: str, mark: str) -> bool:
    """Say whether the conversation under `key` was read to its end when it had this mark."""
    return _mark_of(since.get(key)) == mark


def read_whole(
    whole: Whole, mark: str, since: Mapping[str, Cursor], key: str = ""
) -> Iterator[Reading]:
    """Yield what is new in one conversation; see `Reader.read`.

    Args:
        whole: the conversation.
        mark: a text that changes whenever the conversation may have changed.
        since: the cursors of the log; that under `key` is this conversation's.
        key: becomes the key of the readings.
    """
    turns = list(assemble(whole.messages, whole.conversation.id))
    before = since.get(key)
    if before is None or before.get("form") != FORM:
        before = None
    work = _Work(whole, turns, before, key)
    if before is None or work.is_news() or before["mark"] != mark:
        yield from work.pieces(mark)


def read_replayed(
    lines: JsonLines, replayed: Replayed, since: Mapping[str, Cursor]
) -> Iterator[Reading]:
    """Yield what is new in a file of JSON lines that are replayed from the first on.

    Raises `LogUnavailable`, also when a file that had lines has none.
    """
    end, _, print_ = _mark_of(since.get("")).partition(":")
    if print_ and _is_at_end(lines, int(end), print_):
        return
    tally = Tally()
    seen = 0
    for row in lines.scan(0):
        seen = row.end
        if row.record is None:
            tally.broken += 1
        else:
            tally.count(replayed.apply(row.record))
    if not seen and print_:
        raise LogUnavailable("busy")  # it is emptied to be written anew
    yield from read_whole(replayed.whole(tally), f"{seen}:{lines.fingerprint(seen)}", since)


def _mark_of(cursor: Cursor | None) -> str:
    return cursor["mark"] if cursor and cursor.get("form") == FORM else ""


def _is_at_end(lines: JsonLines, end: int, print_: str) -> bool:
    return lines.fingerprint(end) == print_ and next(lines.scan(end), None) is None


class _Work:
    """Compares the turns with those that were given before."""

    def __init__(self, whole: Whole, turns: list[Turn], before: Cursor | None, key: str) -> None:
        self._whole = whole
        self._turns = turns
        self._key = key
        self._marks = [_mark(turn) for turn in turns]
        known: list[str] = before["turns"] if before else []
        self._replace = before is None or not _continues(known, self._marks)
        self._known = [] if self._replace else known
        self._counted: Cursor = before if before and not self._replace else {}

    def is_news(self) -> bool:
        """Say whether there is anything to tell but the mark."""
        return self._replace or self._known != self._marks

    def pieces(self, mark: str) -> Iterator[Reading]:
        """Yield at least one reading; the last one carries the counts and the mark."""
        waiting: list[Turn] = []
        size = 0
        for number, turn in enumerate(self._turns):
            if len(waiting) >= _PIECE_TURNS or size >= _PIECE_TEXT:
                yield self._reading(waiting, self._cursor(number))
                waiting, size = [], 0
            if self._known[number : number + 1] != [self._marks[number]]:
                waiting.append(turn)
                size += _size(turn)
        tally = self._whole.tally
        yield Reading(
            self._whole.conversation,
            tuple(waiting),
            {
                "form": FORM,
                "mark": mark,
                "turns": self._marks,
                "unknown": dict(tally.unknown),
                "broken": tally.broken,
            },
            self._key,
            self._replace,
            tally.unknown - Counter(self._counted.get("unknown", {})),
            max(0, tally.broken - self._counted.get("broken", 0)),
        )

    def _reading(self, turns: list[Turn], cursor: Cursor) -> Reading:
        replace, self._replace = self._replace, False
        return Reading(self._whole.conversation, tuple(turns), cursor, self._key, replace)

    def _cursor(self, number: int) -> Cursor:
        """Return a cursor from which the next reading goes on at a turn."""
        return {
            "form": FORM,
            "mark": "",
            "turns": self._marks[:number] + self._known[number:],
            "unknown": self._counted.get("unknown", {}),
            "broken": self._counted.get("broken", 0),
        }


def _size(turn: Turn) -> int:
    return len(turn.question) + sum(len(step.text) for step in turn.steps)


def _continues(known: list[str], marks: list[str]) -> bool:
    """Say whether the turns that were given are still the first ones, whatever they say by now."""
    width = len(_digest(""))
    return [mark[:width] for mark in known] == [mark[:width] for mark in marks[: len(known)]]


def _mark(turn: Turn) -> str:
    return _digest(turn.id) + _digest(repr(turn))


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
