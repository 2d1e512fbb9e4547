"""Reading a transcript, from its beginning or from where the last reading stopped.

A transcript is read twice. The first pass looks at every record and remembers numbers only: which
are visible, and on which branch. Only then is it known what counts, for an edit at the end of the
file can abandon what stands before it. The second pass fetches the visible records and gives turns,
piece by piece. Both passes hold one record at a time, so memory does not grow with the log.

Reading resumes at the beginning of the last turn, because its answer may go on. When the records
since then do not continue what was known (another branch, a roll-back, a rewritten file), all of the
log is read again.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from datetime import datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Protocol

from hunch.sources.conversations.assemble import Assembler
from hunch.sources.conversations.base import Conversation, Cursor, Reading, Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from hunch.sources.conversations.assemble import Message
    from hunch.sources.conversations.jsonl import Record, Records, Row

FORM = 1
"""Cursors of another form are not understood: the log is read again. Raise it with the rules."""

_PIECE_TURNS = 200
_PIECE_TEXT = 1 << 20


class Format(Protocol):
    """Understands the records of one agent; made anew for each reading of a transcript."""

    conversation: Conversation
    """What is known of the conversation; complete after the first pass."""

    def note(self, position: int, record: Record) -> str:
        """Look at the next record in the first pass; return its kind if that is unknown, else ``."""
        ...

    def chosen(self) -> Iterable[int] | None:
        """Return the ascending positions of the records that count, after the first pass.

        Returns:
            `None` when that cannot be known without what stands before the start.
        """
        ...

    def messages(self, position: int, record: Record) -> Iterator[Message]:
        """Yield what is visible of a chosen record, in the second pass."""
        ...

    def state(self) -> Cursor:
        """Return what the format must know to resume at the next record of the second pass."""
        ...


def derived_id(*parts: str) -> str:
    """Return an id for a turn that has none, made of what every copy of it holds."""
    return blake2b("\n".join(parts).encode("utf-8", "replace"), digest_size=16).hexdigest()


def is_finished(cursor: Cursor | None) -> bool:
    """Say whether a reading came to the end of what there was."""
    return cursor is not None and cursor.get("form") == FORM and cursor["done"]


def is_read(cursor: Cursor | None, end: int, mark: str) -> bool:
    """Say whether a reading reached `end` of a transcript that still has the fingerprint `mark`."""
    if cursor is None or not is_finished(cursor):
        return False
    return cursor["seen"] == end and cursor["mark"] == mark


def read_transcript(
    records: Records,
    make: Callable[[Conversation | None, Cursor | None], Format],
    since: Mapping[str, Cursor],
    key: str = "",
) -> Iterator[Reading]:
    """Yield what is new in one transcript; see `Reader.read`.

    Args:
        records: where its rows are.
        make: makes the format; is given what an earlier reading knew, or `None` twice.
        since: the cursors of the log; that under `key` is this transcript's.
        key: becomes the key of the readings.
    """
    cursor = since.get(key)
    if cursor and cursor.get("form") == FORM and _is_intact(records, cursor):
        known = _to_conversation(cursor["conversation"])
        survey = _Survey(make(known, cursor["state"]), cursor["resume"], cursor["state"])
        survey.run(records, cursor["seen"])
        if survey.end == cursor["seen"]:
            return
        if pieces := _continuation(records, survey, cursor, key):
            yield from pieces
            return
    survey = _Survey(make(None, None))
    survey.run(records, 0)
    yield from _pieces(records, survey, survey.format.chosen() or (), key, replace=True)


@dataclass(slots=True)
class _Survey:
    """What the first pass found."""

    format: Format
    start: int = 0
    state: Cursor | None = None
    """What the format knew at the start."""
    end: int = 0
    unknown: Counter[str] = field(default_factory=Counter[str])
    broken: int = 0

    def run(self, records: Records, seen: int) -> None:
        """Look at all records from the start; those before `seen` were counted before."""
        self.end = self.start
        for row in records.scan(self.start):
            self._look(row, is_new=row.position >= seen)
            self.end = row.end

    def _look(self, row: Row, *, is_new: bool) -> None:
        if row.record is None:
            self.broken += is_new
            return
        kind = self.format.note(row.position, row.record)
        if kind and is_new:
            self.unknown[harmless(kind)] += 1


def _is_intact(records: Records, cursor: Cursor) -> bool:
    return records.fingerprint(cursor["resume"]) == cursor["mark"]


def harmless(kind: str) -> str:
    """Return a kind that may be shown: a short name and no text of a person."""
    is_name = len(kind) <= 60 and kind.isascii() and not any(char.isspace() for char in kind)
    return kind if is_name else "other"


def _continuation(
    records: Records, survey: _Survey, cursor: Cursor, key: str
) -> Iterator[Reading] | None:
    """Return the pieces since the cursor, or `None` when they do not continue what was known."""
    chosen = survey.format.chosen()
    if chosen is None:
        return None
    pieces = _pieces(records, survey, chosen, key, replace=False)
    first = next(pieces)
    if cursor["open"] and cursor["open"] not in {turn.id for turn in first.turns[:1]}:
        return None
    return _chain(first, pieces)


def _chain(first: Reading, rest: Iterator[Reading]) -> Iterator[Reading]:
    yield first
    yield from rest


def _pieces(
    records: Records, survey: _Survey, chosen: Iterable[int], key: str, *, replace: bool
) -> Iterator[Reading]:
    """Yield at least one reading; the last one carries the counts and the cursor at the end."""
    format = survey.format  # noqa: A001 -- its name
    work = _Work(records, survey)
    for row in records.fetch(chosen):
        work.take(row)
        if work.is_full():
            yield Reading(format.conversation, work.cut(), work.cursor(), key, replace)
            replace = False
    turns = work.finish()
    cursor = work.cursor(seen=survey.end, open_turn=turns[-1].id if work.is_open else "")
    yield Reading(format.conversation, turns, cursor, key, replace, survey.unknown, survey.broken)


class _Work:
    """The second pass: turns that wait for their piece, and where reading could resume."""

    def __init__(self, records: Records, survey: _Survey) -> None:
        self.is_open = False
        """The last turn given is the one that may go on."""
        self._records = records
        self._format = survey.format
        self._assembler = Assembler(survey.format.conversation.id)
        self._turns: list[Turn] = []
        self._size = 0
        self._resume = survey.start
        self._state = survey.state

    def take(self, row: Row) -> None:
        """Take a chosen row."""
        if row.record is None:
            return
        state = self._format.state()
        before = self._assembler.opening
        for message in self._format.messages(row.position, row.record):
            self._keep(self._assembler.add(message))
        if self._assembler.opening is not before:
            self._resume, self._state = row.position, state

    def is_full(self) -> bool:
        """Say whether the turns that wait make a piece."""
        return len(self._turns) >= _PIECE_TURNS or self._size >= _PIECE_TEXT

    def cut(self) -> tuple[Turn, ...]:
        """Return the turns that wait, and wait for others."""
        turns = tuple(self._turns)
        self._turns, self._size = [], 0
        return turns

    def finish(self) -> tuple[Turn, ...]:
        """Return the turns that wait and the one that may go on."""
        last = self._assembler.finish()
        self.is_open = last is not None
        self._keep(last)
        return self.cut()

    def cursor(self, seen: int | None = None, open_turn: str = "") -> Cursor:
        """Return the cursor that resumes at the open turn."""
        return {
            "form": FORM,
            "resume": self._resume,
            "mark": self._records.fingerprint(self._resume),
            "seen": self._resume if seen is None else seen,
            "done": seen is not None,
            "open": open_turn,
            "state": self._state,
            "conversation": _from_conversation(self._format.conversation),
        }

    def _keep(self, turn: Turn | None) -> None:
        if turn:
            self._turns.append(turn)
            self._size += len(turn.question) + sum(len(step.text) for step in turn.steps)


def _from_conversation(conversation: Conversation) -> dict[str, Any]:
    started = conversation.started
    return asdict(conversation) | {"started": started.isoformat() if started else None}


def _to_conversation(values: dict[str, Any]) -> Conversation:
    started = values["started"]
    known: dict[str, Any] = {
        **values,
        "started": datetime.fromisoformat(started) if started else None,
    }
    return Conversation(**known)
