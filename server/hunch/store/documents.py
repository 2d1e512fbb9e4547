"""Documents and their chunks: writing them whole, finding out what changed, taking them away.

A document's rows, its postings and its references to texts change in one transaction. Functions
that write expect to be called through `Database.write`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hunch.store import postings
from hunch.store.ids import ids

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from hunch.model import Chunk, Kind, Problem

PURGE_AFTER = 30 * 86_400
"""Seconds for which the vectors of texts that no chunk has any more are kept."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells whether a file may have changed since it was read."""

    size: int
    mtime_ns: int
    hash: bytes
    """blake2b-16 of the file's bytes; empty for a file that was not read."""


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A document that is to be written, in place of the one with the same path."""

    path: str
    stamp: Stamp
    language: str
    kind: Kind
    chunks: Sequence[Chunk]
    text_hashes: Sequence[bytes]
    """blake2b-16 of each chunk's embedding text."""
    lengths: NDArray[np.uint16]
    """Shape (chunks, postings.FIELDS): terms in each field."""
    problem: Problem | None = None
    """What is wrong with the document as it is; noted until it is written again or goes."""


@dataclass(frozen=True, slots=True)
class UnreadFile:
    """A file that gave no document, or a poor one, and so is read again only once it changed."""

    problem: Problem
    stamp: Stamp | None


def stamps(connection: sqlite3.Connection, source_id: int) -> dict[str, Stamp]:
    """Return the stamps of all documents of a source by path."""
    rows = connection.execute(
        "SELECT path, size, mtime_ns, hash FROM documents WHERE source_id = ?", (source_id,)
    )
    return {path: Stamp(*rest) for path, *rest in rows}


def read_stamps(connection: sqlite3.Connection, document_ids: Sequence[int]) -> dict[int, Stamp]:
    """Return the stamps of some documents by id; those that are gone are left out."""
    rows = connection.execute(
        "SELECT id, size, mtime_ns, hash FROM documents"
        " WHERE id IN (SELECT value FROM json_each(?))",
        (ids(document_ids),),
    )
    return {document_id: Stamp(*rest) for document_id, *rest in rows}


def hash_of(connection: sqlite3.Connection, source_id: int, path: str) -> bytes | None:
    """Return blake2b-16 of a document's bytes as they were indexed; None when it is not there."""
    row = connection.execute(
        "SELECT hash FROM documents WHERE source_id = ? AND path = ?", (source_id, path)
    ).fetchone()
    return row[0] if row else None


def unread_stamps(connection: sqlite3.Connection, source_id: int) -> dict[str, Stamp]:
    """Return the stamps of the files that were opened and gave no document, or a poor one."""
    rows = connection.execute(
        "SELECT path, size, mtime_ns, hash FROM problems WHERE source_id = ? AND hash IS NOT NULL",
        (source_id,),
    )
    return {path: Stamp(*rest) for path, *rest in rows}


def write_documents(
    connection: sqlite3.Connection,
    source_id: int,
    documents: Sequence[NewDocument],
    terms: postings.Postings,
) -> None:
    """Write some documents, replacing those with the same paths.

    Args:
        connection: in a transaction.
        source_id: whose documents they are.
        documents: what to write.
        terms: the postings of all their chunks, numbered from 0 through the documents in order.
    """
    remove_documents(connection, source_id, [document.path for document in documents])
    first = _last_chunk(connection) + 1
    chunk_id = first
    for document in documents:
        text_ids = _text_ids(connection, document.text_hashes)
        _retry_failed(connection, text_ids)
        document_id = _write_document(connection, source_id, document, chunk_id, text_ids)
        _write_chunks(connection, document_id, chunk_id, document.chunks, text_ids)
        chunk_id += len(document.chunks)
    postings.add_segment(connection, terms, first)
    clear_problems(connection, source_id, [document.path for document in documents])
    found = [UnreadFile(d.problem, d.stamp) for d in documents if d.problem]
    _insert_problems(connection, source_id, found)


def _write_document(
    connection: sqlite3.Connection,
    source_id: int,
    document: NewDocument,
    first_chunk: int,
    text_ids: Sequence[int],
) -> int:
    cursor = connection.execute(
        "INSERT INTO documents (source_id, path, hash, size, mtime_ns, language, kind, first_chunk,"
        " text_ids, lengths) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            source_id,
            document.path,
            document.stamp.hash,
            document.stamp.size,
            document.stamp.mtime_ns,
            document.language,
            document.kind.value,
            first_chunk,
            np.asarray(text_ids, "<i8").tobytes(),
            document.lengths.astype("<u2").tobytes(),
        ),
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def _write_chunks(
    connection: sqlite3.Connection,
    document_id: int,
    first_chunk: int,
    chunks: Sequence[Chunk],
    text_ids: Sequence[int],
) -> None:
    connection.executemany(
        "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                first_chunk + i,
                document_id,
                text_ids[i],
                chunk.range.start.line,
                chunk.range.start.character,
                chunk.range.end.line,
                chunk.range.end.character,
                storable(chunk.title),
                storable(chunk.context),
                storable(chunk.text),
            )
            for i, chunk in enumerate(chunks)
        ),
    )
    connection.executemany(
        "INSERT INTO definitions VALUES (?, ?, ?, ?, ?, ?)",
        (
            (first_chunk + i, ordinal, storable(d.name), storable(d.path), int(d.kind), d.line)
            for i, chunk in enumerate(chunks)
            for ordinal, d in enumerate(chunk.definitions)
        ),
    )


def storable(text: str) -> str:
    """Return `text` with lone surrogates, which UTF-8 cannot hold, replaced by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _retry_failed(connection: sqlite3.Connection, text_ids: Sequence[int]) -> None:
    """Let what could not be embedded be tried again: a changed file is a reason to."""
    connection.execute(
        "DELETE FROM vector_failures WHERE text_id IN (SELECT value FROM json_each(?))",
        (ids(text_ids),),
    )


def _last_chunk(connection: sqlite3.Connection) -> int:
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'chunks'").fetchone()
    return int(row[0]) if row else 0


def _text_ids(connection: sqlite3.Connection, hashes: Sequence[bytes]) -> list[int]:
    text_ids: list[int] = []
    for text_hash in hashes:
        row = connection.execute(
            "SELECT id, unused_since FROM texts WHERE hash = ?", (text_hash,)
        ).fetchone()
        if row is None:
            cursor = connection.execute("INSERT INTO texts (hash) VALUES (?)", (text_hash,))
            assert cursor.lastrowid is not None
            text_ids.append(cursor.lastrowid)
            continue
        if row[1] is not None:
            connection.execute("UPDATE texts SET unused_since = NULL WHERE id = ?", (row[0],))
        text_ids.append(row[0])
    return text_ids


def remove_documents(connection: sqlite3.Connection, source_id: int, paths: Iterable[str]) -> None:
    """Take documents away; paths that are not there are passed over."""
    for path in paths:
        row = connection.execute(
            "DELETE FROM documents WHERE source_id = ? AND path = ? RETURNING text_ids",
            (source_id, path),
        ).fetchone()
        if row is not None:
            _mark_unused(connection, np.frombuffer(row[0], "<i8").tolist())


def _mark_unused(connection: sqlite3.Connection, text_ids: Sequence[int]) -> None:
    now = time.time()
    connection.executemany(
        "UPDATE texts SET unused_since = ? WHERE id = ?"
        " AND NOT EXISTS (SELECT 1 FROM chunks WHERE text_id = texts.id)",
        ((now, text_id) for text_id in text_ids),
    )


def restamp(
    connection: sqlite3.Connection, source_id: int, changes: Iterable[tuple[str, Stamp]]
) -> None:
    """Note new times of files whose content is what it was."""
    connection.executemany(
        "UPDATE documents SET size = ?, mtime_ns = ? WHERE source_id = ? AND path = ?",
        ((stamp.size, stamp.mtime_ns, source_id, path) for path, stamp in changes),
    )


def write_unread(
    connection: sqlite3.Connection, source_id: int, files: Sequence[UnreadFile]
) -> None:
    """Note files that gave no document, and take away the documents they once gave.

    A file that could not be read keeps its document: nothing is known of what is in it now.
    """
    gone = [file.problem.path for file in files if file.problem.state != "failed"]
    remove_documents(connection, source_id, gone)
    _insert_problems(connection, source_id, files)


def skipped_files(connection: sqlite3.Connection, source_id: int) -> dict[str, str]:
    """Return the files that discovery passed over without opening them: path → reason."""
    return dict(
        connection.execute(
            "SELECT path, reason FROM problems WHERE source_id = ? AND hash IS NULL", (source_id,)
        )
    )


def write_skipped(
    connection: sqlite3.Connection, source_id: int, problems: Iterable[Problem]
) -> None:
    """Note files that discovery passes over without opening them."""
    _insert_problems(connection, source_id, [UnreadFile(problem, None) for problem in problems])


def clear_problems(connection: sqlite3.Connection, source_id: int, paths: Iterable[str]) -> None:
    """Forget what was wrong with some files."""
    connection.executemany(
        "DELETE FROM problems WHERE source_id = ? AND path = ?",
        ((source_id, path) for path in paths),
    )


def _insert_problems(
    connection: sqlite3.Connection, source_id: int, files: Sequence[UnreadFile]
) -> None:
    now = time.time()
    connection.executemany(
        "INSERT OR REPLACE INTO problems VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                source_id,
                storable(file.problem.path),
                file.problem.reason,
                file.problem.state,
                now,
                file.stamp.hash if file.stamp else None,
                file.stamp.size if file.stamp else None,
                file.stamp.mtime_ns if file.stamp else None,
            )
            for file in files
        ),
    )


def purge(connection: sqlite3.Connection) -> None:
    """Drop texts, and with them vectors, that no chunk has had for `PURGE_AFTER` seconds."""
    old = [
        row[0]
        for row in connection.execute(
            "SELECT id FROM texts WHERE unused_since < ?", (time.time() - PURGE_AFTER,)
        )
    ]
    embedders = [row[0] for row in connection.execute("SELECT id FROM embedders")]
    connection.executemany(
        "DELETE FROM vectors WHERE id = ?", ((e << 40 | t,) for t in old for e in embedders)
    )
    connection.executemany("DELETE FROM texts WHERE id = ?", ((t,) for t in old))
