"""Sign bits: what they promise of the dot products they stand for."""

from __future__ import annotations

import numpy as np
import pytest

from hunch.store.signs import SignCode, join, words_of
from support.engine_store import clustered

COUNT, QUERIES = 4_000, 30


def coded(dimensions: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return vectors, queries near some of them, and the estimated dot products."""
    vectors = clustered(COUNT + QUERIES, dimensions)
    vectors, queries = vectors[:COUNT], vectors[COUNT:]
    code = SignCode(vectors[:2_048].mean(axis=0))
    signs = code.encode(vectors)
    return vectors, queries, np.stack([code.estimate(query, signs) for query in queries])


@pytest.mark.parametrize("dimensions", [256, 768])
def test_estimates_follow_the_true_dot_products(dimensions: int) -> None:
    """Estimated and true dot products of a query rise and fall together."""
    vectors, queries, estimates = coded(dimensions)
    for query, estimate in zip(queries, estimates, strict=True):
        assert np.corrcoef(vectors @ query, estimate)[0, 1] > 0.9


@pytest.mark.parametrize("dimensions", [256, 768])
def test_the_best_by_estimate_hold_the_ten_nearest(dimensions: int) -> None:
    """Of the ten nearest, at least 99 in 100 are among the few that are scored exactly."""
    vectors, queries, estimates = coded(dimensions)
    found = 0
    for query, estimate in zip(queries, estimates, strict=True):
        nearest = np.argsort(-(vectors @ query))[:10]
        found += len(np.intersect1d(nearest, np.argsort(-estimate)[:164]))
    assert found / (10 * QUERIES) >= 0.99


@pytest.mark.parametrize(
    ("dimensions", "words"), [(1, 12), (64, 12), (100, 13), (256, 12), (768, 12), (1000, 16)]
)
def test_short_vectors_have_as_many_bits_as_long_ones(dimensions: int, words: int) -> None:
    """A code has at least 768 bits, whatever the width of the vectors."""
    assert words_of(dimensions) == words
    signs = SignCode(np.zeros(dimensions, np.float32)).encode(clustered(5, dimensions))
    assert signs.bits.shape == (words, 5)
    assert signs.scalars.shape == (2, 5)


def test_the_code_is_the_same_everywhere() -> None:
    """Stored codes stay good: the rotation comes from a fixed seed."""
    vector = np.zeros((1, 768), np.float32)
    vector[0, 3] = 1
    [bits] = SignCode(np.zeros(768, np.float32)).encode(vector).bits[:1, 0].tolist()
    again = SignCode(np.zeros(768, np.float32)).encode(vector).bits[0, 0]
    assert bits == again
    assert 0 < bits.bit_count() < 64


def test_some_columns_are_estimated_like_all() -> None:
    """Looking at some vectors only gives what looking at all of them gives for these."""
    vectors = clustered(500, 64)
    code = SignCode(vectors.mean(axis=0))
    signs = code.encode(vectors)
    columns = np.array([499, 0, 77])
    np.testing.assert_array_equal(
        code.estimate(vectors[5], signs)[columns], code.estimate(vectors[5], signs, columns)
    )


def test_parts_that_are_joined_are_the_whole() -> None:
    """Codes side by side are those of all vectors; of no parts, none."""
    vectors = clustered(50, 64)
    code = SignCode(vectors.mean(axis=0))
    whole = code.encode(vectors)
    joined = join([whole.take(slice(0, 20)), whole.take(slice(20, 50))], words_of(64))
    np.testing.assert_array_equal(joined.bits, whole.bits)
    np.testing.assert_array_equal(joined.scalars, whole.scalars)
    assert len(join([], words_of(64))) == 0


def test_a_zero_vector_is_never_near() -> None:
    """A text without a known word stands behind everything that is like the query."""
    vectors = clustered(300, 256)
    vectors[7] = 0
    code = SignCode(vectors.mean(axis=0))
    estimates = code.estimate(vectors[8], code.encode(vectors))
    assert np.count_nonzero(estimates > estimates[7]) > 250
