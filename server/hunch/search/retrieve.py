"""The two retrievers: by words and by meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hunch.ranking import bm25
from hunch.store import postings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hunch.store.database import Connection
    from hunch.store.view import View

POSTING_BUDGET = 150_000
"""Postings read for one query; the commonest terms, which tell least, are left out beyond it."""

RESCORED, RESCORED_SHARE, RESCORED_MOST = 80, 0.004, 2_600
"""Candidates by sign bits that are scored exactly: so many, and this share of all vectors, up to the
last. How many of the ten nearest they hold is measured in `tests/benchmarks/README.md`.
"""

_MOST_OF = 0.8
"""Share of all vectors above which a filter is applied after they were estimated."""


def by_keyword(
    connection: Connection,
    view: View,
    terms: Sequence[int],
    allowed: NDArray[np.bool_] | None,
    limit: int,
) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Rank chunks by BM25F.

    Args:
        connection: a reader.
        view: what to search.
        terms: of the query, distinct.
        allowed: shape (chunks,): which may be found; None for all.
        limit: how many are wanted.

    Returns:
        Slots, best first, and their scores; equal scores in the order of slots.
    """
    # Those of now, not of the snapshot: a merge may have replaced them, and their postings of chunks
    # that the snapshot does not know are passed over.
    segments = postings.segment_ids(connection)
    frequency = dict.fromkeys(terms, 0) | postings.count_terms(connection, segments, terms)
    scores = np.zeros(len(view), np.float32)
    budget = POSTING_BUDGET
    for term in sorted(frequency, key=lambda t: (frequency[t], t)):
        if frequency[term] > budget and budget < POSTING_BUDGET:
            break
        budget -= frequency[term]
        slots, counts = view.read_term(connection, segments, term)
        rarity = bm25.idf(len(view), len(slots))
        lengths = view.lengths[slots]
        scores[slots] += bm25.term_scores(counts, lengths, view.mean_lengths, rarity)
    if allowed is not None:
        scores[~allowed] = 0
    return _best(scores, limit)


def by_meaning(
    connection: Connection,
    view: View,
    query: NDArray[np.float32],
    allowed: NDArray[np.bool_] | None,
    also: NDArray[np.intp],
    limit: int,
) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Find the chunks nearest to a query: sign bits choose candidates, the vectors themselves rank them.

    Args:
        connection: a reader.
        view: what to search.
        query: shape (dimensions,), unit length.
        allowed: shape (chunks,): which may be found; None for all.
        also: further slots, shape (m,), whose cosine is wanted however far they are.
        limit: how many nearest are wanted.

    Returns:
        Slots, ascending, those of `also` among them, and their cosines; 0 without a vector.
    """
    nearest = _nearest(view, query, allowed, limit)
    slots = np.sort(np.concatenate([nearest, _of_overlays(view, allowed), also]))
    slots = slots[np.diff(slots, prepend=-1) > 0]
    scores = view.read_cosines(connection, slots, query)
    kept = np.zeros(len(slots), np.bool_)
    kept[_top(scores, limit)] = True
    kept[np.searchsorted(slots, also)] = True
    return slots[kept], scores[kept]


def _nearest(
    view: View,
    query: NDArray[np.float32],
    allowed: NDArray[np.bool_] | None,
    limit: int,
) -> NDArray[np.intp]:
    """Return the nearest stored chunks by the sign bits alone, in no order; more than `limit`."""
    snapshot = view.stored
    index = snapshot.vectors
    if index is None or not len(index.signs):
        return np.empty(0, np.intp)
    count, columns, unwanted = len(index.signs), None, None
    if allowed is not None:
        wanted_rows = np.zeros(count + 1, np.bool_)  # the last one stands for row -1, "no vector"
        wanted_rows[snapshot.vector_rows[allowed[: len(snapshot)]]] = True
        columns = np.flatnonzero(wanted_rows[:count])
        if len(columns) > _MOST_OF * count:  # gathering them would cost more than estimating all
            columns, unwanted = None, ~wanted_rows[:count]
    estimates = index.code.estimate(query, index.signs, columns)
    if unwanted is not None:
        estimates[unwanted] = -np.inf
    wanted = min(RESCORED + int(RESCORED_SHARE * count), RESCORED_MOST)
    best = _top(estimates, max(wanted, limit))
    slots = snapshot.slots_of_rows(best if columns is None else columns[best])
    return slots if allowed is None else slots[allowed[slots]]


def _of_overlays(view: View, allowed: NDArray[np.bool_] | None) -> NDArray[np.intp]:
    own = np.arange(len(view.stored), len(view))
    return own if allowed is None else own[allowed[own]]


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
