"""What an index file holds, in a form in which two of them can be compared."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hunch.store import postings

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Dump:
    """Everything that a search depends on, without the ids that depend on the order of events."""

    chunks: dict[tuple[str, int], tuple[Any, ...]]
    """(path, number in the document) → place, title, text, definitions, content hash, vector."""
    postings: dict[int, list[tuple[Any, ...]]]
    """Term → sorted (path, number, counts) of every living chunk."""
    problems: list[tuple[str, str, str]]


def dump(database: Path) -> Dump:
    """Read an index that nobody has open, and check that the file is sound."""
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        names = _names(connection)
        return Dump(
            {names[row[0]]: row[1:] for row in connection.execute(_CHUNKS)},
            _postings(connection, names),
            connection.execute("SELECT path, reason, state FROM problems ORDER BY path").fetchall(),
        )


_CHUNKS = """
SELECT c.id, start_line, start_character, end_line, end_character, title, context, text,
       (SELECT group_concat(name || ':' || path || ':' || line, ' ') FROM definitions
        WHERE chunk_id = c.id), t.hash,
       (SELECT data FROM vectors WHERE id & ((1 << 40) - 1) = c.text_id)
FROM chunks AS c JOIN texts AS t ON t.id = c.text_id
"""


def _names(connection: sqlite3.Connection) -> dict[int, tuple[str, int]]:
    names: dict[int, tuple[str, int]] = {}
    for path, first, text_ids in connection.execute(
        "SELECT path, first_chunk, text_ids FROM documents"
    ):
        for i in range(len(text_ids) // 8):
            names[first + i] = (path, i)
    return names


def _postings(
    connection: sqlite3.Connection, names: dict[int, tuple[str, int]]
) -> dict[int, list[tuple[Any, ...]]]:
    segments = postings.segment_ids(connection)
    terms = [row[0] for row in connection.execute("SELECT DISTINCT term FROM postings")]
    found: dict[int, list[tuple[Any, ...]]] = {}
    for term in terms:
        chunks, counts = postings.read_term(connection, segments, term)
        rows = [
            (*names[chunk], tuple(count))
            for chunk, count in zip(chunks.tolist(), np.asarray(counts).tolist(), strict=True)
            if chunk in names
        ]
        if rows:
            found[term] = sorted(rows)
    return found
