"""The inverted index: which chunks hold which terms, how often, in which field.

A *segment* is the postings of one batch of chunks, written once and never changed. Segments of
about the same size are merged eight at a time, so that there are only O(log n) of them. A chunk
that was deleted leaves its postings behind; they name an id that no snapshot knows, and the next
merge drops them.

A term is a 63-bit hash of its text (the odds that any two of a million terms collide are one in
ten million). One row holds one term in one segment: the chunk ids, ascending, as little-endian
uint32 (n,), then the counts as uint8 (n, FIELDS), larger ones cut to 255.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from hunch.store.ids import ids

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

FIELDS = 3
"""Fields of a chunk that are counted apart; what they mean is up to the ranking."""

FAN_IN = 8
"""How many segments of one size class are merged into one."""

_POSTING_BYTES = 4 + FIELDS
_ROWS_AT_ONCE = 5_000
"""Rows of a merge that are in memory at once."""


@dataclass(frozen=True, slots=True)
class Postings:
    """Postings of some terms, sorted by term and then by chunk."""

    terms: NDArray[np.int64]
    """Shape (t,): distinct, ascending."""
    offsets: NDArray[np.int64]
    """Shape (t + 1,): the postings of term i are rows offsets[i]..offsets[i + 1]."""
    chunks: NDArray[np.uint32]
    """Shape (n,)."""
    counts: NDArray[np.uint8]
    """Shape (n, FIELDS)."""

    def of(self, term: int) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
        """Return a term's chunks (m,) and counts (m, FIELDS); empty when it is not there."""
        at = int(np.searchsorted(self.terms, term))
        if at == len(self.terms) or self.terms[at] != term:
            return self.chunks[:0], self.counts[:0]
        place = slice(self.offsets[at], self.offsets[at + 1])
        return self.chunks[place], self.counts[place]


def add_segment(connection: sqlite3.Connection, postings: Postings, first_chunk: int) -> None:
    """Write the postings of one batch; `first_chunk` is added to their chunk numbers."""
    chunks = (postings.chunks + np.uint32(first_chunk)).astype("<u4")
    size = int(chunks.max()) - first_chunk + 1 if len(chunks) else 0
    if not size:
        return
    segment = connection.execute("INSERT INTO segments (chunks) VALUES (?)", (size,)).lastrowid
    bounds = postings.offsets.tolist()
    rows = (
        (
            segment,
            term,
            end - start,
            chunks[start:end].tobytes() + postings.counts[start:end].tobytes(),
        )
        for term, start, end in zip(postings.terms.tolist(), bounds, bounds[1:], strict=False)
    )
    connection.executemany("INSERT INTO postings VALUES (?, ?, ?, ?)", rows)


def read_term(
    connection: sqlite3.Connection, segments: Sequence[int], term: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Return a term's chunk ids (n,), in no order across segments, and counts (n, FIELDS)."""
    rows = connection.execute(
        "SELECT data FROM postings WHERE segment_id IN (SELECT value FROM json_each(?)) AND term = ?",
        (ids(segments), term),
    )
    return _unpack([data for (data,) in rows])


def count_terms(
    connection: sqlite3.Connection, segments: Sequence[int], terms: Sequence[int]
) -> dict[int, int]:
    """Return how many postings each term has, deleted chunks included; absent terms are left out."""
    rows = connection.execute(
        "SELECT term, sum(count) FROM postings WHERE segment_id IN (SELECT value FROM json_each(?))"
        " AND term IN (SELECT value FROM json_each(?)) GROUP BY term",
        (ids(segments), ids(terms)),
    )
    return dict(rows)


def segment_ids(connection: sqlite3.Connection) -> tuple[int, ...]:
    """Return the segments that make up the index at the moment."""
    return tuple(row[0] for row in connection.execute("SELECT id FROM segments"))


def mergeable(connection: sqlite3.Connection) -> list[int]:
    """Return the segments of the smallest size class that is full, or an empty list."""
    rows = connection.execute("SELECT id, chunks FROM segments ORDER BY chunks").fetchall()
    for _, group in groupby(rows, key=lambda row: _size_class(row[1])):
        full = [row[0] for row in group]
        if len(full) >= FAN_IN:
            return full
    return []


def merge(connection: sqlite3.Connection, segments: Sequence[int]) -> None:
    """Replace some segments by one that holds only the chunks that still exist.

    Does nothing when one of them is gone, since then another process has merged it.
    """
    found, size = connection.execute(
        "SELECT count(*), sum(chunks) FROM segments WHERE id IN (SELECT value FROM json_each(?))",
        (ids(segments),),
    ).fetchone()
    if found < len(segments) or not segments:
        return
    alive = _alive(connection)
    merged = connection.execute("INSERT INTO segments (chunks) VALUES (?)", (size,)).lastrowid
    in_order = [
        connection.execute(
            "SELECT term, data FROM postings WHERE segment_id = ? ORDER BY term", (segment,)
        )
        for segment in segments
    ]
    rows = _merged(heapq.merge(*in_order, key=itemgetter(0)), alive)
    while batch := list(islice(rows, _ROWS_AT_ONCE)):
        connection.executemany(
            "INSERT INTO postings VALUES (?, ?, ?, ?)", ((merged, *row) for row in batch)
        )
    connection.executemany("DELETE FROM segments WHERE id = ?", ((i,) for i in segments))


def _merged(
    rows: Iterable[tuple[int, bytes]], alive: NDArray[np.bool_]
) -> Iterator[tuple[int, int, bytes]]:
    for term, group in groupby(rows, key=itemgetter(0)):
        chunks, counts = _unpack([data for _, data in group])
        keep = alive[chunks]
        chunks, counts = chunks[keep], counts[keep]
        if len(chunks):
            order = np.argsort(chunks, kind="stable")
            yield term, len(chunks), chunks[order].tobytes() + counts[order].tobytes()


def _alive(connection: sqlite3.Connection) -> NDArray[np.bool_]:
    existing = np.fromiter(
        (row[0] for row in connection.execute("SELECT id FROM chunks")), np.int64
    )
    last = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'chunks'").fetchone()
    alive = np.zeros((last[0] if last else 0) + 1, np.bool_)
    alive[existing] = True
    return alive


def _unpack(blobs: Sequence[bytes]) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    chunks: list[NDArray[np.uint32]] = [np.empty(0, np.uint32)]
    counts: list[NDArray[np.uint8]] = [np.empty((0, FIELDS), np.uint8)]
    for blob in blobs:
        n = len(blob) // _POSTING_BYTES
        chunks.append(np.frombuffer(blob, "<u4", n))
        counts.append(np.frombuffer(blob, np.uint8, n * FIELDS, 4 * n).reshape(n, FIELDS))
    return np.concatenate(chunks), np.concatenate(counts)


def _size_class(chunks: int) -> int:
    """Return floor(log2(chunks) / 3): one class for every factor of FAN_IN."""
    return (max(chunks, 1).bit_length() - 1) // 3
