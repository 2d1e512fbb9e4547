"""An immutable picture of the index: one generation, small enough to stay in memory.

It holds, for every chunk, the few numbers that candidates are chosen by, and the sign bits of the
vectors; everything else is read by id when it is needed. About 130 bytes a chunk.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hunch.errors import IndexReplaced
from hunch.store import faults, postings, vectors
from hunch.store.connecting import epoch_of, generation
from hunch.store.signs import SignCode, Signs
from hunch.store.sources import list_sources

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from numpy.typing import NDArray

    from hunch.model import Source
    from hunch.store.database import Database


@dataclass(frozen=True)
class Documents:
    """The documents, in order of their first chunk."""

    ids: NDArray[np.int64]
    """Shape (d,)."""
    sources: NDArray[np.int64]
    """Shape (d,): source ids."""
    paths: Sequence[str]
    languages: NDArray[np.str_]
    """Shape (d,)."""
    kinds: NDArray[np.str_]
    """Shape (d,): values of `Kind`."""
    mtimes: NDArray[np.float64]
    """Shape (d,): seconds since 1970."""


@dataclass(frozen=True)
class VectorIndex:
    """The sign codes of one embedder's vectors."""

    embedder_id: int
    dimensions: int
    code: SignCode
    signs: Signs
    text_ids: NDArray[np.int64]
    """Shape (v,): the text that each code belongs to."""
    failed_texts: NDArray[np.int64]
    """Shape (f,): the texts that this embedder could not embed."""
    blocks: tuple[vectors.Block, ...]

    @cached_property
    def row_of_text(self) -> NDArray[np.int32]:
        """Row of each text id in `signs`, or -1; shape (largest text id + 1,)."""
        rows = np.full(int(self.text_ids.max(initial=0)) + 1, -1, np.int32)
        rows[self.text_ids] = np.arange(len(self.text_ids), dtype=np.int32)
        return rows

    def rows(self, text_ids: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the row in `signs` of each text, -1 where it has no vector."""
        table = self.row_of_text
        return np.where(text_ids < len(table), table[np.minimum(text_ids, len(table) - 1)], -1)


@dataclass(frozen=True)
class Snapshot:
    """One generation of the index. Chunks are counted 0..n-1 ("slots") in the order of their ids."""

    generation: int
    fingerprint: str | None
    """Of the embedder whose vectors `vectors` holds."""
    sources: Mapping[int, Source]
    indexed_at: Mapping[int, datetime | None]
    documents: Documents
    chunk_ids: NDArray[np.int64]
    """Shape (n,), ascending."""
    document_of: NDArray[np.int32]
    """Shape (n,): index into `documents`."""
    text_ids: NDArray[np.int64]
    """Shape (n,)."""
    lengths: NDArray[np.uint16]
    """Shape (n, postings.FIELDS): terms in each field."""
    vectors: VectorIndex | None
    epoch: int = 0
    """Of the connection that it was read through: ids and generations of another one mean nothing."""

    def __len__(self) -> int:
        """Count the chunks."""
        return len(self.chunk_ids)

    def refuse_others(self, connection: sqlite3.Connection) -> None:
        """See that a connection reads the file that this is a picture of.

        Raises:
            IndexReplaced: another file has taken its place.
        """
        if epoch_of(connection) != self.epoch:
            raise IndexReplaced(faults.LOST)

    def slots(self, chunk_ids: NDArray[np.uint32]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return the slot of each chunk id, and whether that chunk is in this generation."""
        if not len(self):
            return np.zeros(len(chunk_ids), np.intp), np.zeros(len(chunk_ids), np.bool_)
        slots = np.minimum(np.searchsorted(self.chunk_ids, chunk_ids), len(self) - 1)
        return slots, self.chunk_ids[slots] == chunk_ids

    @cached_property
    def vector_rows(self) -> NDArray[np.int32]:
        """Row in `vectors.signs` of each chunk, or -1; shape (n,)."""
        if self.vectors is None:
            return np.full(len(self), -1, np.int32)
        return self.vectors.rows(self.text_ids)

    @cached_property
    def _by_row(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The slots in the order of their vector rows, and those rows; shape (n,) each."""
        order = np.argsort(self.vector_rows, kind="stable").astype(np.int32)
        return order, self.vector_rows[order]

    def slots_of_rows(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the slots of all chunks that have one of some vectors, in no order."""
        order, sorted_rows = self._by_row
        starts = np.searchsorted(sorted_rows, rows.astype(np.int32))
        counts = np.searchsorted(sorted_rows, rows.astype(np.int32), "right") - starts
        within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        return order[np.repeat(starts, counts) + within].astype(np.intp)

    @cached_property
    def mean_lengths(self) -> NDArray[np.float32]:
        """Mean number of terms in each field, at least 1; shape (FIELDS,)."""
        if not len(self):
            return np.ones(postings.FIELDS, np.float32)
        return np.maximum(self.lengths.mean(axis=0), 1).astype(np.float32)


def load(
    connection: sqlite3.Connection, fingerprint: str | None, before: Snapshot | None = None
) -> Snapshot:
    """Read the present generation.

    Args:
        connection: in a transaction, so that all of it is of one moment.
        fingerprint: of the embedder whose vectors are wanted.
        before: an earlier snapshot; what did not change is taken from it, if it is of this file.
    """
    present, epoch = generation(connection), epoch_of(connection)
    if before and before.epoch != epoch:
        before = None
    if before and (before.generation, before.fingerprint) == (present, fingerprint):
        return before
    known = list_sources(connection)
    rows = connection.execute(
        "SELECT id, source_id, path, language, kind, mtime_ns, first_chunk, text_ids, lengths"
        " FROM documents ORDER BY first_chunk"
    ).fetchall()
    counts = np.fromiter((len(row[7]) // 8 for row in rows), np.int64, len(rows))
    firsts = np.fromiter((row[6] for row in rows), np.int64, len(rows))
    total = int(counts.sum())
    within = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    return Snapshot(
        generation=present,
        fingerprint=fingerprint,
        sources={source.id: source for source, _ in known},
        indexed_at={source.id: moment for source, moment in known},
        documents=_documents(rows),
        chunk_ids=np.repeat(firsts, counts) + within,
        document_of=np.repeat(np.arange(len(rows), dtype=np.int32), counts),
        text_ids=np.frombuffer(b"".join(row[7] for row in rows), "<i8"),
        lengths=np.frombuffer(b"".join(row[8] for row in rows), "<u2").reshape(
            total, postings.FIELDS
        ),
        vectors=_load_vectors(connection, fingerprint, before.vectors if before else None),
        epoch=epoch,
    )


def _documents(rows: Sequence[tuple[int, int, str, str, str, int, int, bytes, bytes]]) -> Documents:
    return Documents(
        ids=np.fromiter((row[0] for row in rows), np.int64, len(rows)),
        sources=np.fromiter((row[1] for row in rows), np.int64, len(rows)),
        paths=[row[2] for row in rows],
        languages=np.array([row[3] for row in rows], np.str_),
        kinds=np.array([row[4] for row in rows], np.str_),
        mtimes=np.fromiter((row[5] / 1e9 for row in rows), np.float64, len(rows)),
    )


def _load_vectors(
    connection: sqlite3.Connection, fingerprint: str | None, before: VectorIndex | None
) -> VectorIndex | None:
    row = connection.execute(
        "SELECT id, dimensions FROM embedders WHERE fingerprint = ?", (fingerprint,)
    ).fetchone()
    if row is None:
        return None
    embedder_id, dimensions = row
    ids = vectors.block_ids(connection, embedder_id)
    held = {block.id: block for block in before.blocks} if before else {}
    failed = np.array(vectors.failed_texts(connection, embedder_id), np.int64)
    if before and before.embedder_id == embedder_id and list(held) == ids:
        return replace(before, failed_texts=failed)
    blocks = [held.get(i) or vectors.read_block(connection, i, dimensions) for i in ids]
    text_ids = [np.empty(0, np.int64), *(block.text_ids for block in blocks)]
    return VectorIndex(
        embedder_id,
        dimensions,
        SignCode(vectors.read_center(connection, embedder_id, dimensions)),
        vectors.read_signs(blocks, dimensions),
        np.concatenate(text_ids),
        failed,
        tuple(blocks),
    )


class Snapshots:
    """Hands out the snapshot of the present generation, loading it when it changed."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = asyncio.Lock()
        self._held: Snapshot | None = None
        self._next_load = 0.0

    async def get(self, fingerprint: str | None, *, busy: bool = False) -> Snapshot:
        """Return a snapshot with the vectors of one embedder.

        Args:
            fingerprint: whose vectors; None for none.
            busy: the index is changing all the time, so a snapshot may be older by twenty times
                what loading one costs.
        """
        held = self._held
        wanted = (self._database.epoch, fingerprint)
        if (
            busy
            and held
            and (held.epoch, held.fingerprint) == wanted
            and time.monotonic() < self._next_load
        ):
            return held
        async with self._lock:
            started = time.monotonic()
            self._held = await self._database.read(load, fingerprint, self._held)
            now = time.monotonic()
            self._next_load = now + 20 * (now - started)
            return self._held
