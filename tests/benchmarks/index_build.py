"""What building an index costs: per stage, as a whole, again with nothing changed, after one change.

    python tests/benchmarks/index_build.py FOLDER

Stages are timed alone, in CPU seconds on one thread; the whole in wall and CPU seconds, with the
built-in embedder, into a fresh database. FOLDER is not changed: what is changed is a copy of it.
"""

from __future__ import annotations

import asyncio
import os
import resource
import shutil
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"

from hunch.app import App
from hunch.chunking.chunker import chunk_document
from hunch.config import DEFAULTS
from hunch.embedding.builtin import MODEL
from hunch.embedding.static_model import read
from hunch.model import Problem
from hunch.ranking.terms import Terms, count_terms
from hunch.sources import folder
from hunch.text import embedding_text

LIMIT = DEFAULTS.index_max_file_bytes


def stages(root: Path) -> None:
    """Print what each stage costs by itself."""
    clock = time.process_time
    started = clock()
    found = folder.scan(root, max_file_bytes=LIMIT).files
    print(f"scan   {clock() - started:7.2f} s  {len(found)} files")
    started = clock()
    files = [(f.path, folder.read(root, f.path, max_file_bytes=LIMIT)) for f in found]
    texts = [(path, read_.text) for path, read_ in files if not isinstance(read_, Problem)]
    megabytes = sum(len(text) for _, text in texts) / 1e6
    print(f"read   {clock() - started:7.2f} s  {megabytes:.1f} MB")
    started = clock()
    cut = [chunk_document(path, text) for path, text in texts]
    chunks = [chunk for document in cut for chunk in document.chunks]
    took = clock() - started
    print(f"chunk  {took:7.2f} s  {megabytes / took:.1f} MB/s  {len(chunks)} chunks")
    started, terms = clock(), Terms()
    for at in range(0, len(chunks), 500):
        count_terms((terms.of(c.title), (), terms.of(c.text)) for c in chunks[at : at + 500])
    took = clock() - started
    print(f"terms  {took:7.2f} s  {megabytes / took:.1f} MB/s")
    started, model = clock(), read(MODEL)
    model.embed_all([embedding_text(c.title, c.context, c.text) for c in chunks])
    took = clock() - started
    print(f"embed  {took:7.2f} s  {megabytes / took:.1f} MB/s")


async def whole(root: Path, database: Path) -> None:
    """Print what the indexer needs for everything, for nothing, and for one file."""
    settings = replace(DEFAULTS, embedder="builtin", database=str(database))
    async with await App.open(settings) as app:
        wall, cpu = time.perf_counter(), time.process_time()
        app.index.open_folder(root)
        state = await app.index.until_settled()
        print(
            f"whole  {time.perf_counter() - wall:7.2f} s wall, {time.process_time() - cpu:.2f} s CPU,"
            f" {state.counts.documents} documents, {state.counts.chunks} chunks"
        )
    size = database.stat().st_size
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"disk   {size / state.counts.chunks:7.0f} bytes a chunk; peak memory {peak:.0f} MiB")
    async with await App.open(settings) as app:
        wall = time.perf_counter()
        app.index.open_folder(root)
        await app.index.until_settled()
        print(f"again  {time.perf_counter() - wall:7.2f} s wall, nothing changed")
        changed = max(root.rglob("*.*"), key=lambda path: path.stat().st_size < 50_000)
        changed.write_bytes(changed.read_bytes() + b"\n# one more line\n")
        wall = time.perf_counter()
        app.index.request()
        await app.index.until_settled()
        print(f"change {time.perf_counter() - wall:7.2f} s wall, one file")


def main() -> None:
    """Measure the folder that the first argument names."""
    root = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch).resolve() / root.name
        shutil.copytree(root, copy, symlinks=True)
        asyncio.run(whole(copy, Path(scratch) / "index.db"))
        stages(copy)


if __name__ == "__main__":
    main()
