"""Vectors by content, their order, and their sign blocks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from hunch.store import sources, vectors
from hunch.store.signs import SignCode
from hunch.store.snapshot import load
from hunch.store.vectors import BLOCK
from support.engine_store import clustered, memory, touch, write

if TYPE_CHECKING:
    import sqlite3

WIDTH = 64


@pytest.fixture
def connection() -> sqlite3.Connection:
    """An index of 6,000 texts without vectors; text n has the id n + 1."""
    connection = memory()
    write(connection, {"a.py": [(f"text {n}", ([], [], [])) for n in range(6_000)]})
    return connection


def save(connection: sqlite3.Connection, made: np.ndarray, first: int, last: int) -> int:
    """Save the vectors of the texts first..last (exclusive); return the embedder."""
    embedder = vectors.ensure_embedder(connection, "test", made.shape[1])
    vectors.save_vectors(connection, embedder, range(first + 1, last + 1), made[first:last], {})
    touch(connection)
    return embedder


def test_vectors_come_in_the_order_asked_for(connection: sqlite3.Connection) -> None:
    """Row i belongs to text id i, repeated ids repeat, and a text without a vector has zeros."""
    made = clustered(10, WIDTH)
    embedder = save(connection, made, 0, 10)
    read = vectors.read_vectors(connection, embedder, [7, 2, 5_000, 7, 1], WIDTH)
    assert read.dtype == np.float32
    np.testing.assert_allclose(
        read, np.stack([made[6], made[1], made[0] * 0, made[6], made[0]]), atol=1e-3
    )
    assert vectors.read_vectors(connection, embedder, [], WIDTH).shape == (0, WIDTH)
    assert not vectors.read_vectors(connection, embedder + 1, [7], WIDTH).any()


def test_a_vector_is_saved_once(connection: sqlite3.Connection) -> None:
    """What another process saved in the meantime is left as it is."""
    made = clustered(10, WIDTH)
    save(connection, made, 0, 6)
    embedder = save(connection, -made, 3, 10)
    read = vectors.read_vectors(connection, embedder, range(1, 11), WIDTH)
    np.testing.assert_allclose(read, np.concatenate([made[:6], -made[6:]]), atol=1e-3)
    [block] = vectors.block_ids(connection, embedder)
    held = vectors.read_block(connection, block, WIDTH)
    assert held.text_ids.tolist() == [*range(1, 11)]


def test_what_one_process_could_not_embed_another_can(connection: sqlite3.Connection) -> None:
    """A text never counts as embedded and failed, whichever of the two came first."""
    made = clustered(4, WIDTH)
    embedder = vectors.ensure_embedder(connection, "test", WIDTH)
    vectors.save_vectors(connection, embedder, [1, 2], made[:2], {0: "no"})
    vectors.save_vectors(connection, embedder, [1, 2], made[:2], {1: "no"})
    assert vectors.failed_texts(connection, embedder) == []
    assert vectors.read_vectors(connection, embedder, [1, 2], WIDTH).any(axis=1).all()


def test_only_texts_without_vector_or_failure_are_pending(connection: sqlite3.Connection) -> None:
    """Pending texts are given by id, a page at a time, for each embedder by itself."""
    made = clustered(4, WIDTH)
    embedder = vectors.ensure_embedder(connection, "test", WIDTH)
    vectors.save_vectors(connection, embedder, [1, 2, 4], made[:3], {1: "poison"})
    page = vectors.pending_texts(connection, embedder, 0, 3)
    assert [(text.text_id, text.text) for text in page] == [
        (3, "text 2"),
        (5, "text 4"),
        (6, "text 5"),
    ]
    assert [text.text_id for text in vectors.pending_texts(connection, embedder, 6, 2)] == [7, 8]
    other = vectors.ensure_embedder(connection, "other", 8)
    assert vectors.pending_texts(connection, other, 0, 1)[0].text_id == 1
    assert vectors.failures(connection, embedder) == [(1, "a.py", "poison")]


@pytest.mark.parametrize("batch", [32, 700, 2_048, 6_000])
def test_blocks_hold_every_vector_with_one_code(connection: sqlite3.Connection, batch: int) -> None:
    """However they came, all vectors lie in full blocks and a last one, coded around one center."""
    made = clustered(6_000, WIDTH)
    embedder = 0
    for first in range(0, 6_000, batch):
        embedder = save(connection, made, first, min(first + batch, 6_000))
    blocks = [
        vectors.read_block(connection, i, WIDTH) for i in vectors.block_ids(connection, embedder)
    ]
    assert [len(block.text_ids) for block in blocks] == [BLOCK, BLOCK, 6_000 - 2 * BLOCK]
    assert np.concatenate([block.text_ids for block in blocks]).tolist() == [*range(1, 6_001)]
    center = vectors.read_center(connection, embedder, WIDTH)
    assert 0.9 < center @ made.mean(axis=0) / np.linalg.norm(center) ** 2 < 1.1
    expected = SignCode(center).encode(made)
    held = vectors.read_signs(blocks, WIDTH)
    differing = np.bitwise_count(held.bits ^ expected.bits).sum(axis=0)
    assert differing.max() <= 8  # rounding moves what lies next to a plane
    np.testing.assert_allclose(held.scalars, expected.scalars, atol=2e-3)


def test_the_center_stays_once_a_block_is_full(connection: sqlite3.Connection) -> None:
    """Full blocks are never written again."""
    made = clustered(6_000, WIDTH)
    embedder = save(connection, made, 0, BLOCK)
    center = vectors.read_center(connection, embedder, WIDTH)
    [block] = vectors.block_ids(connection, embedder)
    for first in range(BLOCK, 6_000, 1_000):
        save(connection, -made, first, min(first + 1_000, 6_000))
    assert vectors.read_center(connection, embedder, WIDTH).tolist() == center.tolist()
    assert vectors.block_ids(connection, embedder)[0] == block


def test_dropped_vectors_are_pending_again(connection: sqlite3.Connection) -> None:
    """After a drop nothing is left of a source's vectors, and other embedders keep theirs."""
    made = clustered(600, WIDTH)
    embedder = save(connection, made, 0, 600)
    other = vectors.ensure_embedder(connection, "other", WIDTH)
    vectors.save_vectors(connection, other, [1], made[:1], {})
    vectors.drop_vectors(connection, embedder, 1)
    touch(connection)
    assert vectors.pending_texts(connection, embedder, 0, 1)[0].text_id == 1
    snapshot = load(connection, "test")
    assert (snapshot.vector_rows == -1).all()
    assert vectors.read_vectors(connection, other, [1], WIDTH).any()
    save(connection, made, 0, 600)
    assert np.count_nonzero(load(connection, "test", snapshot).vector_rows >= 0) == 600


def test_a_drop_leaves_the_vectors_of_other_sources(connection: sqlite3.Connection) -> None:
    """Only what the source has is dropped, and the sign blocks hold the rest."""
    sources.ensure_source(connection, "workspace", Path("/other"), "other")
    write(connection, {"b.py": [(f"other {n}", ([], [], [])) for n in range(100)]}, source_id=2)
    made = clustered(6_100, WIDTH)
    embedder = save(connection, made, 0, 6_100)
    vectors.drop_vectors(connection, embedder, 2)
    touch(connection)
    snapshot = load(connection, "test")
    assert snapshot.vectors is not None
    assert sorted(snapshot.vectors.text_ids.tolist()) == [*range(1, 6_001)]
    pending = vectors.pending_texts(connection, embedder, 0, 1_000)
    assert [text.text_id for text in pending] == [*range(6_001, 6_101)]
