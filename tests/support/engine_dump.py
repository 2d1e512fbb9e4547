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

    documents: dict[str, tuple[Any, ...]]
    """Path → hash, size, language, kind, lengths."""
    chunks: dict[tuple[str, int], tuple[Any, ...]]
    """(path, number in the document) → place, title, text, definitions, content hash, vector."""
    postings: dict[int, list[tuple[Any, ...]]]
    """Term → sorted (path, number, counts) of every living chunk."""
    problems: list[tuple[str, str, str]]


def dump(database: Path, *, root: Path | None = None) -> Dump:
    """Read an index that nobody has open, and check that the file is sound.

    Args:
        database: the file.
        root: only what belongs to this folder; None for all of it.
    """
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        wanted = {"root": root and str(root)}
        names = _names(connection, wanted)
        return Dump(
            {row[0]: row[1:] for row in connection.execute(_DOCUMENTS, wanted)},
            {names[row[0]]: row[1:] for row in connection.execute(_CHUNKS) if row[0] in names},
            _postings(connection, names),
            connection.execute(_PROBLEMS, wanted).fetchall(),
        )


_OF_ROOT = "source_id IN (SELECT id FROM sources WHERE root = :root OR :root IS NULL)"
_DOCUMENTS = f"""
SELECT path, hash, size, language, kind, lengths FROM documents WHERE {_OF_ROOT}
"""
_CHUNKS = """
SELECT c.id, start_line, start_character, end_line, end_character, title, context, text,
       (SELECT group_concat(name || ':' || path || ':' || line, ' ') FROM definitions
        WHERE chunk_id = c.id), t.hash,
       (SELECT data FROM vectors WHERE id & ((1 << 40) - 1) = c.text_id)
FROM chunks AS c JOIN texts AS t ON t.id = c.text_id
"""
_PROBLEMS = f"SELECT path, reason, state FROM problems WHERE {_OF_ROOT} ORDER BY path"


def _names(connection: sqlite3.Connection, wanted: dict[str, Any]) -> dict[int, tuple[str, int]]:
    names: dict[int, tuple[str, int]] = {}
    for path, first, text_ids in connection.execute(
        f"SELECT path, first_chunk, text_ids FROM documents WHERE {_OF_ROOT}", wanted
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
