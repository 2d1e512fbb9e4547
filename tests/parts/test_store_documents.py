"""Documents, postings and snapshots after any sequence of changes."""

from __future__ import annotations

import time
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hunch.store import documents, postings, vectors
from hunch.store.chunks import read_heads, read_texts
from hunch.store.documents import PURGE_AFTER, storable
from hunch.store.snapshot import Snapshot, load
from support.engine_store import digest, memory, touch, write

if TYPE_CHECKING:
    import sqlite3

    from hunch.store.snapshot import Documents, VectorIndex

PATHS = [f"{name}.py" for name in "abcdef"]
TEXTS = [f"text {n}" for n in range(8)]
FINGERPRINT = "test/4"

field_terms = st.lists(st.integers(1, 6), max_size=4)
chunk = st.tuples(st.sampled_from(TEXTS), st.tuples(field_terms, field_terms, field_terms))
files = st.dictionaries(st.sampled_from(PATHS), st.lists(chunk, max_size=3), max_size=4)
change = st.one_of(
    st.tuples(st.just("write"), files),
    st.tuples(st.just("remove"), st.lists(st.sampled_from(PATHS), max_size=3)),
    st.tuples(st.just("merge"), st.none()),
    st.tuples(st.just("embed"), st.sets(st.sampled_from(TEXTS), max_size=3)),
)
Model = dict[str, list[Any]]


def apply(connection: sqlite3.Connection, model: Model, kind: str, what: Any) -> None:
    """Make one change, to the index and to a dict of path → chunks."""
    if kind == "write":
        write(connection, what)
        model.update(what)
    elif kind == "remove":
        documents.remove_documents(connection, 1, what)
        for path in what:
            model.pop(path, None)
    elif kind == "merge":
        segments = postings.segment_ids(connection)
        if segments:
            postings.merge(connection, segments)
    else:
        _embed(connection, what)
    touch(connection)


def _embed(connection: sqlite3.Connection, texts: set[str]) -> None:
    embedder = vectors.ensure_embedder(connection, FINGERPRINT, 4)
    pending = vectors.pending_texts(connection, embedder, 0, 100)
    ids = [text.text_id for text in pending if text.text in texts]
    made = np.eye(4, dtype=np.float32)[[text_id % 4 for text_id in ids]]
    failures = {row: "no" for row, text_id in enumerate(ids) if text_id % 5 == 0}
    vectors.save_vectors(connection, embedder, ids, made, failures)


def places(snapshot: Snapshot) -> dict[int, tuple[str, int]]:
    """Return chunk id → (path, number in the document)."""
    found: dict[int, tuple[str, int]] = {}
    numbers: dict[int, int] = {}
    for chunk_id, at in zip(
        snapshot.chunk_ids.tolist(), snapshot.document_of.tolist(), strict=True
    ):
        numbers[at] = numbers.get(at, -1) + 1
        found[chunk_id] = (snapshot.documents.paths[at], numbers[at])
    return found


def expected_postings(model: Model, term: int) -> dict[tuple[str, int], list[int]]:
    """Count a term naively."""
    found: dict[tuple[str, int], list[int]] = {}
    for path, chunks in model.items():
        for number, (_, terms) in enumerate(chunks):
            counts = [list(field).count(term) for field in terms]
            if any(counts):
                found[path, number] = counts
    return found


def same(left: Any, right: Any) -> bool:
    """Compare snapshots and what they are made of, arrays by content."""
    if isinstance(left, np.ndarray):
        return np.array_equal(left, right)
    if hasattr(left, "__dataclass_fields__"):
        return all(same(getattr(left, f.name), getattr(right, f.name)) for f in fields(left))
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


@settings(deadline=None, max_examples=60)
@given(st.lists(change, min_size=1, max_size=10))
def test_any_sequence_of_changes_keeps_exactly_the_living(changes: list[tuple[str, Any]]) -> None:
    """Postings, chunks and vectors are those of the present documents, whatever happened before.

    A snapshot that was carried from change to change equals one that is loaded at the end.
    """
    connection, model = memory(), Model()
    carried: Snapshot | None = None
    for kind, what in changes:
        apply(connection, model, kind, what)
        carried = load(connection, FINGERPRINT, carried)
    assert carried is not None
    assert same(carried, load(connection, FINGERPRINT))
    _check_chunks(connection, carried, model)
    _check_postings(connection, carried, model)
    _check_vectors(connection, carried)


def _check_chunks(connection: sqlite3.Connection, snapshot: Snapshot, model: Model) -> None:
    ids = snapshot.chunk_ids.tolist()
    assert ids == sorted(set(ids))
    texts, heads = read_texts(connection, ids), read_heads(connection, ids)
    found = {places(snapshot)[i]: texts[i] for i in ids}
    wanted = {
        (path, n): text for path, chunks in model.items() for n, (text, _) in enumerate(chunks)
    }
    assert found == wanted
    assert all(heads[i].definitions[0].name == texts[i] for i in ids)
    lengths = [[len(f) for f in model[path][n][1]] for path, n in places(snapshot).values()]
    assert snapshot.lengths.tolist() == lengths
    assert sorted(snapshot.documents.paths) == sorted(model)
    used = {
        row[0] for row in connection.execute("SELECT hash FROM texts WHERE unused_since IS NULL")
    }
    assert used == {digest(text) for text in wanted.values()}


def _check_postings(connection: sqlite3.Connection, snapshot: Snapshot, model: Model) -> None:
    for term in range(1, 7):
        chunks, counts = postings.read_term(connection, postings.segment_ids(connection), term)
        _, living = snapshot.slots(chunks)
        where = places(snapshot)
        found = {
            where[i]: count
            for i, count in zip(chunks[living].tolist(), counts[living].tolist(), strict=True)
        }
        assert len(found) == np.count_nonzero(living)
        assert found == expected_postings(model, term)


def _check_vectors(connection: sqlite3.Connection, snapshot: Snapshot) -> None:
    index: VectorIndex | None = snapshot.vectors
    if index is None:
        assert (snapshot.vector_rows == -1).all()
        return
    read = vectors.read_vectors(
        connection, index.embedder_id, snapshot.text_ids.tolist(), index.dimensions
    )
    assert (read.any(axis=1) == (snapshot.vector_rows >= 0)).all()
    rows = snapshot.vector_rows[snapshot.vector_rows >= 0]
    assert index.text_ids[rows].tolist() == snapshot.text_ids[snapshot.vector_rows >= 0].tolist()
    assert not np.isin(index.failed_texts, index.text_ids).any()
    pending = {
        text.text_id for text in vectors.pending_texts(connection, index.embedder_id, 0, 100)
    }
    known = {*index.text_ids.tolist(), *index.failed_texts.tolist()}
    assert pending == set(snapshot.text_ids.tolist()) - known


def test_segments_of_one_size_are_merged_eight_at_a_time() -> None:
    """Many small changes leave few segments, and a merge drops what is dead."""
    connection = memory()
    for n in range(100):
        write(connection, {f"{n % 3}.py": [(f"text {n}", ([1], [], [2, n + 10]))]})
        while segments := postings.mergeable(connection):
            postings.merge(connection, segments)
    assert len(postings.segment_ids(connection)) <= 2 * 7
    chunks, _ = postings.read_term(connection, postings.segment_ids(connection), 1)
    snapshot = load(connection, None)
    assert np.count_nonzero(snapshot.slots(chunks)[1]) == 3
    postings.merge(connection, postings.segment_ids(connection))
    terms = {row[0] for row in connection.execute("SELECT term FROM postings")}
    assert terms == {1, 2, 107, 108, 109}
    assert postings.count_terms(connection, postings.segment_ids(connection), [1, 107, 5]) == {
        1: 3,
        107: 1,
    }


def test_a_merge_that_another_process_made_is_not_made_again() -> None:
    """Segments that are gone are left to whoever merged them."""
    connection = memory()
    for n in range(8):
        write(connection, {f"{n}.py": [(f"text {n}", ([1], [], []))]})
    segments = postings.mergeable(connection)
    postings.merge(connection, segments)
    present = postings.segment_ids(connection)
    postings.merge(connection, segments)
    postings.merge(connection, [*segments, *present])
    assert postings.segment_ids(connection) == present
    assert len(postings.read_term(connection, present, 1)[0]) == 8


def test_texts_that_nobody_has_are_kept_for_a_month() -> None:
    """A purge drops only texts, vectors and failures that were unused for longer than that."""
    connection = memory()
    write(connection, {f"{name}.py": [(name, ([1], [], []))] for name in ("a", "b", "c", "d")})
    embedder = vectors.ensure_embedder(connection, FINGERPRINT, 4)
    made = np.eye(4, dtype=np.float32)
    vectors.save_vectors(connection, embedder, [1, 2, 3, 4], made, {3: "no"})
    documents.remove_documents(connection, 1, ["a.py", "b.py", "d.py"])
    long_ago = time.time() - PURGE_AFTER - 1
    connection.execute("UPDATE texts SET unused_since = ? WHERE id IN (1, 4)", (long_ago,))
    documents.purge(connection)
    rows = connection.execute("SELECT id & 0xffff FROM vectors ORDER BY id")
    assert [row[0] for row in rows] == [2, 3]
    assert [row[0] for row in connection.execute("SELECT id FROM texts")] == [2, 3]
    assert vectors.failed_texts(connection, embedder) == []
    write(connection, {"again.py": [("b", ([], [], [])), ("a", ([], [], []))]})
    pending = vectors.pending_texts(connection, embedder, 0, 9)
    assert [text.text for text in pending] == ["a"]
    assert pending[0].text_id > 4


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("", ""),
        ("plain", "plain"),
        ("naïve 日本 😀", "naïve 日本 😀"),
        ("half \ud83d", "half \ufffd"),
        ("\ude00 other half", "\ufffd other half"),
        ("split \ud83d\ude00", "split 😀"),
        ("nul \0 stays", "nul \0 stays"),
    ],
)
def test_any_text_can_be_stored(text: str, stored: str) -> None:
    """Lone surrogates become U+FFFD, everything else comes back as it was."""
    assert storable(text) == stored
    connection = memory()
    write(connection, {"a.py": [("x", ([], [], []))]})
    connection.execute("UPDATE chunks SET text = ?", (storable(text),))
    assert read_texts(connection, [1]) == {1: stored}


def test_an_empty_index_has_an_empty_snapshot() -> None:
    """Nothing is there, and every question about it has an answer."""
    snapshot = load(memory(), FINGERPRINT)
    found: Documents = snapshot.documents
    assert (len(snapshot), len(found.paths), snapshot.vectors) == (0, 0, None)
    assert snapshot.mean_lengths.tolist() == [1, 1, 1]
    assert snapshot.slots(np.array([1, 2], np.uint32))[1].tolist() == [False, False]
    assert snapshot.vector_rows.tolist() == []
