"""Which conversations in the database of Cursor's window changed since it was read.

Nothing but keys and row numbers is looked at. The first time all keys of conversations are, by
ranges of the index; later only the rows that were written since.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hunch.sources.conversations.base import Cursor
    from hunch.sources.conversations.foreign_sqlite import ForeignDatabase

_CONVERSATION, _BUBBLE = "composerData", "bubbleId"
_PAGE = 4096
_TRIED = 64
_LATEST = 6
"""Conversations that are looked at each time, in case their rows are updated in place."""


def changed_composers(database: ForeignDatabase, since: Mapping[str, Cursor]) -> dict[str, int]:
    """Return the conversations to look at with their highest row numbers, ascending by these.

    The mark of a conversation begins with that number once it is read. As they are read in this
    order, all that was not read when reading stops has rows above the highest mark.
    """
    marks = {composer: _number(cursor) for composer, cursor in since.items()}
    latest = sorted(marks, key=lambda composer: marks[composer])
    seen = _seen(database, marks, latest)
    newest = dict[str, int]()
    for key, number in _rows_above(database, seen) if seen else _all_keys(database):
        if composer := _composer(key):
            newest[composer] = max(newest.get(composer, 0), number)
    for composer in latest[-_LATEST:]:
        newest.setdefault(composer, marks[composer])
    return dict(sorted(newest.items(), key=lambda pair: pair[1]))


def _number(cursor: Cursor) -> int:
    mark = cursor.get("mark", "")
    number = mark.partition(":")[0] if isinstance(mark, str) else ""
    return int(number) if number.isdecimal() else 0


def _seen(database: ForeignDatabase, marks: Mapping[str, int], latest: list[str]) -> int:
    """Return the number of the last row that was seen and is still there, or 0.

    A conversation may be deleted, and rows are numbered anew when the file is made anew.
    """
    for composer in latest[: -_TRIED - 1 : -1]:
        rows = database.rows("SELECT key FROM cursorDiskKV WHERE rowid = ?", (marks[composer],))
        if rows and _composer(rows[0][0]) == composer:
            return marks[composer]
    return 0


def _composer(key: object) -> str:
    kind, _, rest = key.partition(":") if isinstance(key, str) else ("", "", "")
    return rest.split(":", 1)[0] if kind in (_CONVERSATION, _BUBBLE) else ""


def _rows_above(database: ForeignDatabase, seen: int) -> Iterator[tuple[str, int]]:
    statement = (
        "SELECT key, rowid FROM cursorDiskKV NOT INDEXED WHERE rowid > ? ORDER BY rowid LIMIT ?"
    )
    while page := database.rows(statement, (seen, _PAGE)):
        yield from page
        seen = page[-1][1]


def _all_keys(database: ForeignDatabase) -> Iterator[tuple[str, int]]:
    """Yield the keys of conversations and bubbles; `;` is the character after `:`."""
    statement = "SELECT key, rowid FROM cursorDiskKV WHERE key > ? AND key < ? ORDER BY key LIMIT ?"
    for kind in (_CONVERSATION, _BUBBLE):
        last = f"{kind}:"
        while page := database.rows(statement, (last, f"{kind};", _PAGE)):
            yield from page
            last = page[-1][0]
