"""The database of OpenClaw: a transcript for each session, and archives of those that were reset.

Only the tables named here are read; the same file holds credentials in others. Tables and columns
came over time, so each is used only where it exists.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from hunch.sources.conversations.base import Conversation, Cursor, Log, Reading
from hunch.sources.conversations.foreign_sqlite import ForeignDatabase, open_foreign
from hunch.sources.conversations.jsonl import LONGEST_LINE, JsonLines, Row, parse
from hunch.sources.conversations.openclaw_keys import origin_of
from hunch.sources.conversations.openclaw_records import OpenClaw
from hunch.sources.conversations.transcript import is_finished, is_read, read_transcript
from hunch.sources.conversations.zstd import decompress

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_TABLES = frozenset(
    {
        "transcript_events",
        "session_windows",
        "session_nodes",
        "session_transcript_active_events",
        "session_transcript_index_state",
        "transcript_rewrite_watermarks",
        "session_transcript_archives",
        "session_transcript_cold_archives",
    }
)
_PAGE = 32
"""Rows at a time; one may hold an image of megabytes."""
_LARGEST_ARCHIVE = 256 << 20

_ARCHIVES = {
    "archive": ("session_transcript_archives", "session_key", "encoding = 'zstd'", "1"),
    "cold": ("session_transcript_cold_archives", "''", "1", "storage = 'sqlite'"),
}
"""By kind: table, and as expressions the key of the session, whether it is packed, which rows."""


def read_store(log: Log, since: Mapping[str, Cursor]) -> Iterator[Reading]:
    """Yield what is new in the sessions of a database; each has its id as key."""
    with open_foreign(log.path, _TABLES) as database:
        yield from _read_sessions(database, since)
        yield from _read_archives(database, since)


def _read_sessions(database: ForeignDatabase, since: Mapping[str, Cursor]) -> Iterator[Reading]:
    if not database.has("transcript_events", "session_id", "seq", "event_json"):
        return
    sessions = database.rows(
        "SELECT session_id, max(seq) FROM transcript_events GROUP BY session_id ORDER BY session_id"
    )
    for session, last in sessions:
        rows = _SessionRows(database, session)
        if is_read(since.get(session), last + 1, rows.fingerprint(0)):
            continue
        conversation = _conversation(database, session)
        if conversation:
            yield from _read_session(database, rows, conversation, last, since)


def _read_session(
    database: ForeignDatabase,
    rows: _SessionRows,
    conversation: Conversation,
    last: int,
    since: Mapping[str, Cursor],
) -> Iterator[Reading]:
    active = _active(database, rows.session, last)

    def make(known: Conversation | None, state: Cursor | None) -> OpenClaw:
        return OpenClaw(known or conversation, state, active)

    yield from read_transcript(rows, make, since, rows.session)


class _SessionRows:
    """The rows of one session; their positions are their sequence numbers."""

    def __init__(self, database: ForeignDatabase, session: str) -> None:
        self.session = session
        self._database = database
        columns = database.columns("transcript_events")
        packed = "event_zstd" if "event_zstd" in columns else "NULL"
        self._select = (
            f"SELECT seq, event_json, {packed} FROM transcript_events WHERE session_id = ?"  # noqa: S608 -- constants
        )
        # Taken once: rows of two generations mixed in one reading must not pass for the later one.
        self._generation = _generation(database, session)

    def scan(self, start: int) -> Iterator[Row]:
        """Yield the rows from a sequence number on."""
        statement = f"{self._select} AND seq >= ? ORDER BY seq LIMIT {_PAGE}"
        while page := self._database.rows(statement, (self.session, start)):
            yield from map(_row, page)
            start = page[-1][0] + 1

    def fetch(self, positions: Iterable[int]) -> Iterator[Row]:
        """Yield the rows with these sequence numbers."""
        for position in positions:
            rows = self._database.rows(f"{self._select} AND seq = ?", (self.session, position))
            yield from map(_row, rows)

    def fingerprint(self, position: int) -> str:  # noqa: ARG002 -- a generation covers all rows
        """Return the generation, which changes when history is rewritten."""
        return self._generation


def _row(values: tuple[Any, ...]) -> Row:
    seq, text, packed = values
    if text is None and isinstance(packed, bytes):
        with suppress(ValueError):
            text = decompress(packed, LONGEST_LINE)
    if not isinstance(text, str | bytes) or len(text) > LONGEST_LINE:
        return Row(seq, seq + 1, None)
    return Row(seq, seq + 1, parse(text))


def _generation(database: ForeignDatabase, session: str) -> str:
    if not database.has("transcript_rewrite_watermarks", "session_id", "generation"):
        return ""
    rows = database.rows(
        "SELECT generation FROM transcript_rewrite_watermarks WHERE session_id = ?", (session,)
    )
    return str(rows[0][0]) if rows else ""


def _active(database: ForeignDatabase, session: str, last: int) -> frozenset[int] | None:
    """Return the rows on the active branch where the program's own list of them is up to date."""
    if not (
        database.has("session_transcript_index_state", "needs_rebuild", "indexed_seq")
        and database.has("session_transcript_active_events", "session_id", "event_seq")
    ):
        return None
    state = database.rows(
        "SELECT needs_rebuild, indexed_seq FROM session_transcript_index_state"
        " WHERE session_id = ?",
        (session,),
    )
    if not state or state[0][0] or state[0][1] < last:
        return None
    rows = database.rows(
        "SELECT event_seq FROM session_transcript_active_events WHERE session_id = ?", (session,)
    )
    return frozenset(row[0] for row in rows)


def _conversation(database: ForeignDatabase, session: str) -> Conversation | None:
    """Return what the lists of sessions say, or `None` when no person or agent talks in it."""
    window = _entry(database, "session_windows", "session_id", session)
    key = window.get("session_key", "")
    node = _entry(database, "session_nodes", "session_key", key)
    origin = origin_of(key, node.get("created_via", ""))
    if origin == "program":
        return None
    return Conversation(
        session,
        window.get("display_name") or node.get("label") or node.get("display_name") or "",
        parent=window.get("parent_session_key") or window.get("spawned_by") or "",
        is_subagent=origin == "subagent",
    )


_LISTED = (
    "session_key",
    "display_name",
    "label",
    "created_via",
    "parent_session_key",
    "spawned_by",
)


def _entry(database: ForeignDatabase, table: str, key: str, value: str) -> dict[str, str]:
    """Return what one row of a list of sessions says, by column; what is not there is left out."""
    columns = [name for name in _LISTED if name in database.columns(table)]
    if not columns or not database.has(table, key):
        return {}
    statement = f"SELECT {', '.join(columns)} FROM {table} WHERE {key} = ?"  # noqa: S608 -- constants
    rows = database.rows(statement, (value,))
    values = zip(columns, rows[0], strict=True) if rows else ()
    return {name: text for name, text in values if isinstance(text, str)}


def _read_archives(database: ForeignDatabase, since: Mapping[str, Cursor]) -> Iterator[Reading]:
    """Read the archives that are held in rows; one never changes once it is written."""
    for kind, (table, session_key, is_packed, condition) in _ARCHIVES.items():
        if not database.has(table, "session_id", "generation", "archive_blob"):
            continue
        listing = f"SELECT session_id, generation, {session_key} FROM {table} WHERE {condition}"  # noqa: S608 -- constants
        for session, generation, listed_under in database.rows(listing):
            key = f"{kind}:{session}:{generation}"
            origin = origin_of(listed_under)
            if is_finished(since.get(key)) or origin == "program":
                continue
            blobs = database.rows(
                f"SELECT archive_blob, {is_packed} FROM {table}"  # noqa: S608 -- constants
                " WHERE session_id = ? AND generation = ? AND length(archive_blob) <= ?",
                (session, generation, _LARGEST_ARCHIVE),
            )
            conversation = Conversation(session, is_subagent=origin == "subagent")
            yield from _read_blobs(blobs, conversation, since, key)


def _read_blobs(
    blobs: list[tuple[Any, ...]],
    conversation: Conversation,
    since: Mapping[str, Cursor],
    key: str,
) -> Iterator[Reading]:
    def make(known: Conversation | None, state: Cursor | None) -> OpenClaw:
        return OpenClaw(known or conversation, state)

    for blob, is_packed in blobs:
        if isinstance(blob, bytes):
            lines = JsonLines.of_bytes(blob, is_packed=bool(is_packed))
            yield from read_transcript(lines, make, since, key)
