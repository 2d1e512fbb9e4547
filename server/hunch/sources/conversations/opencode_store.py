"""The database of opencode and Kilo Code.

Rows are updated in place while an answer is written, so a session is read again when the number of
its rows or their latest change differ. Only the three tables named here are read; others hold
credentials.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hunch.sources.conversations.base import Conversation, Cursor, Log, Reading
from hunch.sources.conversations.foreign_sqlite import ForeignDatabase, open_foreign
from hunch.sources.conversations.jsonl import LONGEST_LINE, Record, parse
from hunch.sources.conversations.opencode_records import Revert, Said, messages_of
from hunch.sources.conversations.shapes import object_at, text_of
from hunch.sources.conversations.times import from_milliseconds
from hunch.sources.conversations.whole import Tally, Whole, is_known, read_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from hunch.sources.conversations.assemble import Message

_TABLES = frozenset({"session", "message", "part"})
_NEEDED = {"id", "parent_id", "directory", "title", "time_created", "time_updated"}
_PAGE = 64
_PARTS_PAGE = 16
"""Rows at a time; the result of a tool may have megabytes."""
_BEGINNING = (-1, "")


def read_database(log: Log, since: Mapping[str, Cursor]) -> Iterator[Reading]:
    """Yield what is new in the sessions of a database; each has its id as key."""
    with open_foreign(log.path, _TABLES) as database:
        for session in _changed(database, since):
            tally = Tally()
            messages = _messages(database, session, tally)
            whole = Whole(session.conversation, messages, tally)
            yield from read_whole(whole, session.mark, since, session.conversation.id)


def holds(path: Path, session: str) -> bool:
    """Say whether a session is in the database at `path`. Raises `LogUnavailable`."""
    with open_foreign(path, _TABLES) as database:
        if not database.columns("session"):
            return False
        return bool(database.rows("SELECT 1 FROM session WHERE id = ?", (session,)))


@dataclass(frozen=True, slots=True)
class _Session:
    conversation: Conversation
    revert: Revert
    mark: str


def _changed(database: ForeignDatabase, since: Mapping[str, Cursor]) -> list[_Session]:
    columns = database.columns("session")
    if not columns >= _NEEDED:
        return []
    revert = "revert" if "revert" in columns else "NULL"
    rows = database.rows(
        f"SELECT id, parent_id, directory, title, {revert}, time_created, time_updated"  # noqa: S608 -- constants
        " FROM session ORDER BY time_created, id"
    )
    counts = {table: _counts(database, table) for table in ("message", "part")}
    sessions = (_session(row, [counts[table].get(row[0]) for table in counts]) for row in rows)
    return [each for each in sessions if not is_known(since, each.conversation.id, each.mark)]


def _counts(database: ForeignDatabase, table: str) -> dict[str, tuple[int, int]]:
    """Return how many rows each session has and when one was last changed."""
    rows = database.rows(
        f"SELECT session_id, count(*), max(time_updated) FROM {table} GROUP BY session_id"  # noqa: S608 -- constants
    )
    return {session: (number, latest) for session, number, latest in rows}


def _session(row: tuple[Any, ...], counts: list[tuple[int, int] | None]) -> _Session:
    id_, parent, directory, title, revert, created, updated = row
    conversation = Conversation(
        id_,
        text_of(title),
        text_of(directory),
        parent=text_of(parent),
        is_subagent=bool(parent),
        started=from_milliseconds(created),
    )
    mark = f"{updated} {revert} {counts}"
    return _Session(conversation, Revert.of(parse(text_of(revert)) or {}), mark)


def _messages(database: ForeignDatabase, session: _Session, tally: Tally) -> Iterator[Message]:
    conversation = session.conversation
    for said in _said(database, conversation.id, tally):
        left = session.revert.cut(said)
        yield from messages_of(
            left or said,
            conversation.directory,
            tally,
            is_subagent=conversation.is_subagent,
        )
        if left:
            return


def _said(database: ForeignDatabase, session: str, tally: Tally) -> Iterator[Said]:
    pages = _Pages(database, "message", "session_id", session, _PAGE)
    for id_, data in pages:
        info = _object(data, tally)
        parts = _Pages(database, "part", "message_id", id_, _PARTS_PAGE)
        objects = [(id_of_part, _object(each, tally)) for id_of_part, each in parts]
        if info:
            yield Said(id_, info, [_slim(key, part) for key, part in objects if part])


class _Pages:
    """The rows of a table that belong to one thing, in order, some at a time."""

    def __init__(
        self, database: ForeignDatabase, table: str, column: str, value: str, size: int
    ) -> None:
        self._database = database
        self._value = value
        self._statement = (
            "SELECT time_created, id,"  # noqa: S608 -- constants
            f" CASE WHEN length(data) <= {LONGEST_LINE} THEN data END"
            f" FROM {table} WHERE {column} = ? AND (time_created, id) > (?, ?)"
            f" ORDER BY time_created, id LIMIT {size}"
        )

    def __iter__(self) -> Iterator[tuple[str, object]]:
        last: tuple[int, str] = _BEGINNING
        while page := self._database.rows(self._statement, (self._value, *last)):
            for time, id_, data in page:
                last = (time, id_)
                yield id_, data


def _object(data: object, tally: Tally) -> Record:
    record = parse(data) if isinstance(data, str | bytes) else None
    if record is None:
        tally.broken += 1
    return record or {}


def _slim(id_: str, part: Record) -> Record:
    """Return a part without what is large and not visible."""
    kept = {"id": id_, "type": part.get("type")}
    match part.get("type"):
        case "text":
            return part | kept
        case "tool":
            given = object_at(part, "state").get("input")
            return kept | {"tool": part.get("tool"), "state": {"input": given}}
        case _:
            return kept
