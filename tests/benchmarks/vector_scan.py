"""The vector scan against one resident float32 product `M @ q`, and its recall.

    python tests/benchmarks/vector_scan.py 20000 300000 1000000
    python tests/benchmarks/vector_scan.py --index index.db      # vectors of a real index

Synthetic vectors are unit vectors around 200 centres. Times are CPU milliseconds, the median of
30 queries, both ways in the same process; BLAS runs on one thread. The scan is the real thing:
sign bits resident, candidates rescored from SQLite rows, in a server that has answered 200 queries
before, so that as many pages of rows are in memory as SQLite keeps (64 MB).
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from statistics import median

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

from hunch.search.retrieve import by_meaning
from hunch.store import vectors
from hunch.store.connecting import connect
from hunch.store.database import Database
from hunch.store.snapshot import Documents, Snapshot, VectorIndex, _load_vectors

QUERIES = 30
WARM_UP = 200
BATCH = 16_384


def synthetic(count: int, dimensions: int, generator: np.random.Generator):
    """Yield batches of clustered unit vectors, float32 (n, dimensions); the centres never change."""
    centres = np.random.default_rng(3).standard_normal((200, dimensions)).astype(np.float32)
    for start in range(0, count, BATCH):
        n = min(BATCH, count - start)
        rows = centres[generator.integers(200, size=n)]
        rows = rows + generator.standard_normal((n, dimensions), np.float32)
        yield rows / np.linalg.norm(rows, axis=1, keepdims=True)


def build(path: Path, count: int, dimensions: int, generator) -> np.ndarray:
    """Write vectors as the indexer does; return them as one float32 matrix."""
    Database.open(path).close()
    connection = connect(path.resolve(), {}, seconds=1)
    embedder = vectors.ensure_embedder(connection, "benchmark", dimensions)
    matrix = np.empty((count, dimensions), np.float32)
    at = 0
    for rows in synthetic(count, dimensions, generator):
        n = len(rows)
        matrix[at : at + n] = rows
        ids = range(at + 1, at + n + 1)
        connection.execute("BEGIN")
        connection.executemany(
            "INSERT INTO texts VALUES (?, ?, NULL)", ((i, i.to_bytes(16, "big")) for i in ids)
        )
        vectors.save_vectors(connection, embedder, [*ids], rows, {})
        connection.commit()
        at += n
    connection.close()
    return matrix


def snapshot_of(index: VectorIndex) -> Snapshot:
    """Return a snapshot with one chunk a vector."""
    n = len(index.text_ids)
    none = np.empty(0)
    return Snapshot(
        generation=0,
        fingerprint=None,
        sources={},
        indexed_at={},
        documents=Documents(none, none, [], none, none, none),
        chunk_ids=np.arange(n),
        document_of=np.zeros(n, np.int32),
        text_ids=index.text_ids,
        lengths=np.zeros((n, 3), np.uint16),
        vectors=index,
    )


def measure(path: Path, matrix: np.ndarray, queries: np.ndarray, fingerprint: str) -> None:
    """Print one line of the table."""
    connection = connect(path.resolve(), {}, seconds=1, for_reading=True)
    index = _load_vectors(connection, fingerprint, None)
    snapshot = snapshot_of(index)
    resident = index.signs.bits.nbytes + index.signs.scalars.nbytes
    resident += index.text_ids.nbytes + snapshot.vector_rows.nbytes + index.row_of_text.nbytes
    resident += sum(array.nbytes for array in snapshot._by_row)
    nothing = np.empty(0, np.intp)
    truths, exact_ms, scan_ms, recall = [], [], [], []
    for query in queries:
        started = time.process_time()
        scores = matrix @ query
        exact_ms.append((time.process_time() - started) * 1e3)
        truths.append(set(np.argpartition(-scores, 10)[:10].tolist()))
    generator = np.random.default_rng(11)
    for _ in range(WARM_UP):
        query = matrix[generator.integers(len(matrix))]
        by_meaning(connection, snapshot, query, None, nothing, 100)
    for query, truth in zip(queries, truths, strict=True):
        started = time.process_time()
        slots, cosines = by_meaning(connection, snapshot, query, None, nothing, 100)
        scan_ms.append((time.process_time() - started) * 1e3)
        found = set(slots[np.argsort(-cosines)[:10]].tolist())
        recall.append(len(found & truth) / 10)
    exact, scan = median(exact_ms), median(scan_ms)
    print(
        f"| {len(matrix):,} × {matrix.shape[1]} | {exact:.2f} | {scan:.2f} | {scan / exact:.2f}"
        f" | {np.mean(recall):.3f} | {resident / len(matrix):.0f} |",
        flush=True,
    )


def real(path: Path) -> None:
    """Measure on the vectors of an index; the queries are vectors of the same index, disturbed."""
    connection = connect(path.resolve(), {}, seconds=1, for_reading=True)
    fingerprint, embedder_id, dimensions = connection.execute(
        "SELECT fingerprint, id, dimensions FROM embedders"
    ).fetchone()
    index = _load_vectors(connection, fingerprint, None)
    matrix = vectors.read_vectors(connection, embedder_id, index.text_ids.tolist(), dimensions)
    generator = np.random.default_rng(1)
    chosen = matrix[generator.choice(len(matrix), QUERIES, replace=False)]
    noise = generator.standard_normal(chosen.shape).astype(np.float32)
    noise *= 0.5 / np.linalg.norm(noise, axis=1, keepdims=True)
    queries = chosen + noise
    measure(path, matrix, queries / np.linalg.norm(queries, axis=1, keepdims=True), fingerprint)


def main() -> None:
    """Run what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("counts", nargs="*", type=int)
    parser.add_argument("--dimensions", type=int, default=768)
    parser.add_argument("--index", type=Path)
    options = parser.parse_args()
    print("| vectors | M @ q, ms | scan, ms | ratio | recall@10 | bytes a vector |")
    print("| --- | --- | --- | --- | --- | --- |")
    if options.index:
        real(options.index)
    for count in options.counts:
        generator = np.random.default_rng(7)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "index.db"
            matrix = build(path, count, options.dimensions, generator)
            queries = np.concatenate([*synthetic(QUERIES, options.dimensions, generator)])
            measure(path, matrix, queries, "benchmark")


if __name__ == "__main__":
    main()
