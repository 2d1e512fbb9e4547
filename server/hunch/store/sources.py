"""The sources of the index and what is wrong with their files."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from hunch.model import Problem, Source
from hunch.store.documents import remove_documents
from hunch.store.ids import ids

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

WANTED, FORCED = 1, 2
"""What one process may ask of another: to look for changes, or to read every file again."""

_UNDER_WAY = -1


def ensure_source(connection: sqlite3.Connection, kind: str, root: Path, label: str) -> Source:
    """Return the source of a folder, made when it is not there."""
    row = connection.execute(
        "INSERT INTO sources (kind, label, root) VALUES (?, ?, ?)"
        " ON CONFLICT (root) DO UPDATE SET label = excluded.label RETURNING id, kind, label, root",
        (kind, label, str(root)),
    ).fetchone()
    return _source(row)


def list_sources(connection: sqlite3.Connection) -> list[tuple[Source, datetime | None]]:
    """Return every source with the moment of its last complete look, oldest first."""
    rows = connection.execute("SELECT id, kind, label, root, indexed_at FROM sources ORDER BY id")
    return [(_source(row[:4]), _moment(row[4])) for row in rows]


def chunker_version(connection: sqlite3.Connection, source_id: int) -> int:
    """Return which version of the chunker cut all documents of a source; 0 when none did."""
    row = connection.execute("SELECT chunker FROM sources WHERE id = ?", (source_id,)).fetchone()
    return int(row[0]) if row else 0


def finish_look(connection: sqlite3.Connection, source_id: int, chunker: int) -> None:
    """Note that all files of a source have been looked at; no generation of its own."""
    connection.execute(
        "UPDATE sources SET indexed_at = ?, chunker = ? WHERE id = ?",
        (time.time(), chunker, source_id),
    )


def ask_look(connection: sqlite3.Connection, source_id: int, level: int) -> None:
    """Ask whoever keeps a source in line for `WANTED` or `FORCED`."""
    connection.execute("UPDATE sources SET asked = max(asked, ?) WHERE id = ?", (level, source_id))


def accept_look(connection: sqlite3.Connection, source_id: int) -> None:
    """Note that what is asked of a source is being done."""
    connection.execute("UPDATE sources SET asked = ? WHERE id = ?", (_UNDER_WAY, source_id))


def finish_asked(connection: sqlite3.Connection, source_id: int) -> None:
    """Note that what was asked of a source is done, unless more was asked meanwhile."""
    connection.execute(
        "UPDATE sources SET asked = 0 WHERE id = ? AND asked = ?", (source_id, _UNDER_WAY)
    )


def asked_looks(connection: sqlite3.Connection) -> dict[int, int]:
    """Return what is asked of each source of which anything is; below 0 when it is being done."""
    return dict(connection.execute("SELECT id, asked FROM sources WHERE asked"))


def list_problems(
    connection: sqlite3.Connection, source_ids: Sequence[int]
) -> list[tuple[int, Problem]]:
    """Return the problems of some sources with the source's id, by path."""
    rows = connection.execute(
        "SELECT source_id, path, reason, state, since FROM problems"
        " WHERE source_id IN (SELECT value FROM json_each(?)) ORDER BY source_id, path",
        (ids(source_ids),),
    )
    return [(row[0], Problem(row[1], row[2], row[3], _moment(row[4]))) for row in rows]


def count_problems(connection: sqlite3.Connection, source_ids: Sequence[int]) -> dict[str, int]:
    """Return how many files of some sources have a problem of each state."""
    return dict(
        connection.execute(
            "SELECT state, count(*) FROM problems"
            " WHERE source_id IN (SELECT value FROM json_each(?)) GROUP BY state",
            (ids(source_ids),),
        )
    )


def forget(connection: sqlite3.Connection, source_id: int) -> None:
    """Take a source and all its documents away; its vectors are kept until they are purged."""
    paths = connection.execute("SELECT path FROM documents WHERE source_id = ?", (source_id,))
    remove_documents(connection, source_id, [row[0] for row in paths.fetchall()])
    connection.execute("DELETE FROM sources WHERE id = ?", (source_id,))


def _source(row: Sequence[object]) -> Source:
    source_id, kind, label, root = row
    return Source(int(str(source_id)), kind, str(label), Path(str(root)))  # pyright: ignore[reportArgumentType] - the kinds are what Hunch wrote


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
