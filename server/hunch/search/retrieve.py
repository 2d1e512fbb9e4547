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

RESCORED, RESCORED_SHARE, RESCORED_MOST = 80, 0.004, 2_600
"""Candidates by sign bits that are scored exactly: so many, and this share of all vectors, up to the
last. How many of the ten nearest they hold is measured in `tests/benchmarks/README.md`.
"""


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
    # Those of now, not of the snapshot: a merge may have replaced them, and their postings of chunks
    # that the snapshot does not know are passed over.
    segments = postings.segment_ids(connection)
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
    """Find the chunks nearest to a query: sign bits choose candidates, the vectors themselves rank them.

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
    slots = np.sort(np.concatenate([_nearest(snapshot, query, allowed, limit), also]))
    slots = slots[np.diff(slots, prepend=-1) > 0]
    scores = _cosines(connection, snapshot, query, slots)
    kept = np.zeros(len(slots), np.bool_)
    kept[_top(scores, limit)] = True
    kept[np.searchsorted(slots, also)] = True
    return slots[kept], scores[kept]


def _nearest(
    snapshot: Snapshot,
    query: NDArray[np.float32],
    allowed: NDArray[np.bool_] | None,
    limit: int,
) -> NDArray[np.intp]:
    """Return the nearest chunks by the sign bits alone, in no order; more than `limit` of them."""
    index = snapshot.vectors
    if index is None or not len(index.signs):
        return np.empty(0, np.intp)
    count, columns = len(index.signs), None
    if allowed is not None:
        wanted_rows = np.zeros(count + 1, np.bool_)  # the last one stands for row -1, "no vector"
        wanted_rows[snapshot.vector_rows[allowed]] = True
        columns = np.flatnonzero(wanted_rows[:count])
    estimates = index.code.estimate(query, index.signs, columns)
    wanted = min(RESCORED + int(RESCORED_SHARE * count), RESCORED_MOST)
    best = _top(estimates, max(wanted, limit))
    slots = snapshot.slots_of_rows(best if columns is None else columns[best])
    return slots if allowed is None else slots[allowed[slots]]


def _cosines(
    connection: Connection,
    snapshot: Snapshot,
    query: NDArray[np.float32],
    slots: NDArray[np.intp],
) -> NDArray[np.float32]:
    index = snapshot.vectors
    if index is None or not len(slots):
        return np.zeros(len(slots), np.float32)
    text_ids = snapshot.text_ids[slots].tolist()
    read = vectors.read_vectors(connection, index.embedder_id, text_ids, index.dimensions)
    scores: NDArray[np.float32] = read @ query
    return scores


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
