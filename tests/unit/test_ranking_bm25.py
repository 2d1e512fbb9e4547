"""BM25F against a computation by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hunch.ranking.bm25 import K1, WEIGHTS, B, idf, term_scores


@pytest.mark.parametrize(
    ("total", "containing", "expected"),
    [
        (10, 1, math.log(1 + 9.5 / 1.5)),
        (10, 5, math.log(2)),
        (10, 10, math.log(1 + 0.5 / 10.5)),
        (1, 1, math.log(1 + 0.5 / 1.5)),
        (0, 0, math.log(2)),
        (3, 9, 0.0),
    ],
)
def test_rarity(total: int, containing: int, expected: float) -> None:
    """Rare terms weigh more, and no term weighs less than nothing."""
    assert idf(total, containing) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("counts", "lengths"),
    [
        ((1, 0, 0), (2, 4, 50)),
        ((0, 0, 3), (2, 4, 100)),
        ((2, 1, 7), (1, 3, 300)),
        ((0, 0, 0), (9, 9, 9)),
    ],
)
def test_a_score_is_what_the_formula_says(
    counts: tuple[int, ...], lengths: tuple[int, ...]
) -> None:
    """Weighted, length-normalised counts of the fields are summed and saturated once."""
    means, rarity = (3.0, 4.0, 80.0), 2.5
    frequency = 0.0
    for count, length, mean, weight, b in zip(counts, lengths, means, WEIGHTS, B, strict=True):
        frequency += float(weight) * count / (1 - float(b) + float(b) * length / mean)
    expected = rarity * frequency * (K1 + 1) / (K1 + frequency)
    [score] = term_scores(
        np.array([counts], np.uint8),
        np.array([lengths], np.uint16),
        np.array(means, np.float32),
        rarity,
    )
    assert score == pytest.approx(expected, rel=1e-5)
    assert 0 <= score <= rarity * (K1 + 1)


def test_a_name_tells_more_than_a_path_and_a_path_more_than_the_text() -> None:
    """One occurrence counts most among the symbols, least in the body."""
    lengths = np.full((3, 3), 5, np.uint16)
    means = np.full(3, 5, np.float32)
    scores = term_scores(np.eye(3, dtype=np.uint8), lengths, means, 1.0)
    assert scores[0] > scores[1] > scores[2] > 0
