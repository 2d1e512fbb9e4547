"""The two retrievers: by words and by meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hunch.ranking import bm25
from hunch.store import postings, vectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hunch.store.database import Connection
    from hunch.store.snapshot import Snapshot

POSTING_BUDGET = 150_000
"""Postings read for one query; the commonest terms, which tell least, are left out beyond it."""

RESCORED = 400
"""Candidates by sign bits that are scored exactly."""


def by_keyword(
    connection: Connection,
    snapshot: Snapshot,
    terms: Sequence[int],
    allowed: NDArray[np.bool_] | None,
    limit: int,
) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Rank chunks by BM25F.

    Args:
        connection: a reader.
        snapshot: the generation to search.
        terms: of the query, distinct.
        allowed: shape (chunks,): which may be found; None for all.
        limit: how many are wanted.

    Returns:
        Slots, best first, and their scores; equal scores in the order of slots.
    """
    segments = snapshot.segments
    frequency = postings.count_terms(connection, segments, terms) if terms else {}
    scores = np.zeros(len(snapshot), np.float32)
    budget = POSTING_BUDGET
    for term in sorted(frequency, key=lambda t: (frequency[t], t)):
        if frequency[term] > budget and budget < POSTING_BUDGET:
            break
        budget -= frequency[term]
        chunks, counts = postings.read_term(connection, segments, term)
        slots, present = snapshot.slots(chunks)
        slots, counts = slots[present], counts[present]
        rarity = bm25.idf(len(snapshot), len(slots))
        lengths = snapshot.lengths[slots]
        scores[slots] += bm25.term_scores(counts, lengths, snapshot.mean_lengths, rarity)
    if allowed is not None:
        scores[~allowed] = 0
    return _best(scores, limit)


def by_meaning(
    connection: Connection,
    snapshot: Snapshot,
    query: NDArray[np.float32],
    allowed: NDArray[np.bool_] | None,
    also: NDArray[np.intp],
    limit: int,
) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Find the chunks nearest to a query: sign bits choose candidates, float16 vectors rank them.

    Args:
        connection: a reader.
        snapshot: the generation to search.
        query: shape (dimensions,), unit length.
        allowed: shape (chunks,): which may be found; None for all.
        also: further slots, shape (m,), whose cosine is wanted however far they are.
        limit: how many nearest are wanted.

    Returns:
        Slots, ascending, those of `also` among them, and their cosines; 0 without a vector.
    """
    near = _nearest(snapshot, query, allowed, max(RESCORED, limit))
    near_scores, also_scores = np.split(
        _cosines(connection, snapshot, query, np.concatenate([near, also])), [len(near)]
    )
    best, scores = _best(near_scores, limit)
    slots, first = np.unique(np.concatenate([near[best], also]), return_index=True)
    return slots, np.concatenate([scores, also_scores])[first]


def _nearest(
    snapshot: Snapshot,
    query: NDArray[np.float32],
    allowed: NDArray[np.bool_] | None,
    limit: int,
) -> NDArray[np.intp]:
    """Return about the nearest chunks, in no order, by the sign bits alone."""
    index, rows = snapshot.vectors, snapshot.vector_rows
    slots = np.flatnonzero(rows >= 0 if allowed is None else allowed & (rows >= 0))
    if index is None or not len(slots):
        return np.empty(0, np.intp)
    if len(slots) > len(index.signs) // 2:
        estimates = index.code.estimate(query, index.signs)[rows[slots]]
    else:
        estimates = index.code.estimate(query, index.signs, rows[slots].astype(np.intp))
    return slots[_top(estimates, limit)]


def _cosines(
    connection: Connection,
    snapshot: Snapshot,
    query: NDArray[np.float32],
    slots: NDArray[np.intp],
) -> NDArray[np.float32]:
    index = snapshot.vectors
    if index is None or not len(slots):
        return np.zeros(len(slots), np.float32)
    text_ids, of = np.unique(snapshot.text_ids[slots], return_inverse=True)
    read = vectors.read_vectors(connection, index.embedder_id, text_ids.tolist(), index.dimensions)
    return (read @ query)[of].astype(np.float32)


def _best(scores: NDArray[np.float32], limit: int) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    chosen = _top(scores, limit)
    chosen = chosen[scores[chosen] > 0]
    chosen = chosen[np.lexsort((chosen, -scores[chosen]))]
    return chosen, scores[chosen]


def _top(scores: NDArray[np.float32], limit: int) -> NDArray[np.intp]:
    """Return the indices of the `limit` largest scores, in no order."""
    if len(scores) <= limit:
        return np.arange(len(scores))
    return np.argpartition(scores, len(scores) - limit)[len(scores) - limit :]
