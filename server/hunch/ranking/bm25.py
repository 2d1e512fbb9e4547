"""BM25F: one score of a chunk from the counts of the query's terms in its fields.

Robertson, Zaragoza and Taylor, "Simple BM25 extension to multiple weighted fields" (CIKM 2004);
Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), section 3.5:

    tf'   = sum over fields f of  weight_f · tf_f / (1 − b_f + b_f · length_f / mean length_f)
    score = sum over terms of  idf · tf' · (k1 + 1) / (k1 + tf')
    idf   = ln(1 + (N − n + 0.5) / (n + 0.5))
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

K1 = 1.2
"""How soon further occurrences stop to matter."""

WEIGHTS = np.array([3.0, 2.0, 1.0], np.float32)
"""Weight of each field of `terms.FIELDS`."""

B = np.array([0.3, 0.3, 0.6], np.float32)
"""How far each field's length counts, 0..1."""


def idf(total: int, containing: int) -> float:
    """Return how rare a term is that `containing` of `total` chunks have."""
    return log(1 + max(total - containing + 0.5, 0.0) / (containing + 0.5))


def term_scores(
    counts: NDArray[np.uint8],
    lengths: NDArray[np.uint16],
    mean_lengths: NDArray[np.float32],
    rarity: float,
) -> NDArray[np.float32]:
    """Score one term in the chunks that have it.

    Args:
        counts: shape (n, fields).
        lengths: of the same chunks, shape (n, fields).
        mean_lengths: shape (fields,).
        rarity: the term's idf.

    Returns:
        Shape (n,), each from 0 to rarity · (K1 + 1).
    """
    norms = (1 - B) + (B / mean_lengths) * lengths
    frequency = ((WEIGHTS * counts) / norms).sum(axis=1)
    return (rarity * (K1 + 1)) * frequency / (K1 + frequency)
