"""Whether indexing waits for Ollama and for nothing else.

    python tests/benchmarks/ollama_overlap.py FOLDER [MILLISECONDS]

A stub with Ollama's wire format, in a process of its own, sleeps MILLISECONDS (default 50) for
every batch of 32 texts. Printed is the share of the time in which it had a request of ours: the
rest is when cutting and storing did not overlap with embedding.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).parent.parent))

from hunch.app import App
from hunch.config import DEFAULTS
from hunch.embedding.ollama_api import OllamaApi
from support.stub_ollama import StubOllama

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


def stub(delay: float, pipe: Connection) -> None:
    """Run the stub until the other end of the pipe is closed."""
    with StubOllama(delay=delay) as ollama:
        pipe.send(ollama.url)
        pipe.poll(None)


class Waiting:
    """Measures how long at least one request is under way."""

    def __init__(self) -> None:
        self.seconds = self._since = 0.0
        self.requests = self._now = 0
        self._embed = OllamaApi.embed

    def __enter__(self) -> Self:
        async def embed(*args, **kwargs):
            self._since = self._since if self._now else time.perf_counter()
            self._now += 1
            self.requests += 1
            try:
                return await self._embed(*args, **kwargs)
            finally:
                self._now -= 1
                self.seconds += 0 if self._now else time.perf_counter() - self._since

        OllamaApi.embed = embed
        return self

    def __exit__(self, *_: object) -> None:
        OllamaApi.embed = self._embed


async def measure(root: Path, database: Path, url: str) -> None:
    """Index a folder and print the share of the time that Ollama was at work."""
    settings = replace(DEFAULTS, embedder="ollama", ollama_url=url, database=str(database))
    with Waiting() as waiting:
        async with await App.open(settings) as app:
            started = time.perf_counter()
            app.index.open_folder(root)
            state = await app.index.until_settled()
            took = time.perf_counter() - started
    print(
        f"{state.counts.chunks} chunks, {waiting.requests} requests: {took:.1f} s,"
        f" of which Ollama was at work {waiting.seconds:.1f} s ({waiting.seconds / took:.0%})"
    )
    print(f"{database.stat().st_size / state.counts.chunks:.0f} bytes a chunk at 768 dimensions")


def main() -> None:
    """Measure the folder that the first argument names."""
    delay = float(sys.argv[2]) / 1e3 if len(sys.argv) > 2 else 0.05
    ours, theirs = multiprocessing.Pipe()
    ollama = multiprocessing.get_context("spawn").Process(target=stub, args=(delay, theirs))
    ollama.start()
    theirs.close()
    with tempfile.TemporaryDirectory() as scratch:
        asyncio.run(measure(Path(sys.argv[1]).resolve(), Path(scratch) / "index.db", ours.recv()))
    ours.close()
    ollama.join()


if __name__ == "__main__":
    main()
