"""Giving every text of the index its vector.

What is missing is asked of the database and not kept in a queue, so that a run which was cut off
goes on where it was. Several requests are in flight while the vectors of earlier ones are saved.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from hunch.embedding.base import Embedded
from hunch.errors import HunchError
from hunch.store import vectors
from hunch.text import embedding_text

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from numpy.typing import NDArray

    from hunch.embedding.base import Embedder
    from hunch.store.database import Database
    from hunch.store.vectors import PendingText

    Recall = Callable[[str, str], NDArray[np.float32] | None]

_PAGE_BATCHES = 8
"""How many batches are fetched from the database at once."""
_AHEAD = 2
"""Batches beyond the embedder's concurrency that may be made and not yet saved."""


class EmbedRun:
    """One pass over the texts that lack a vector of one embedder."""

    def __init__(
        self,
        database: Database,
        embedder: Embedder,
        *,
        running: asyncio.Event,
        recall: Recall,
        embedded: Callable[[int], object],
    ) -> None:
        """Prepare a pass.

        Args:
            database: where texts are taken from and vectors go.
            embedder: makes the vectors.
            running: while it is not set, no batch is started.
            recall: returns the vector of an embedding text that is known already, by fingerprint.
            embedded: called after every batch that was saved, with the number of its texts.
        """
        self._database = database
        self._embedder = embedder
        self._running = running
        self._recall = recall
        self._embedded = embedded
        self._failure: HunchError | None = None
        self._slots = asyncio.Semaphore(embedder.concurrency + _AHEAD)

    async def run(self) -> int:
        """Embed until nothing is missing that was there when the pass reached its end.

        Returns:
            The number of texts that were given a vector or marked as failed.

        Raises:
            EmbedderUnavailable: some texts still have no vector; all that were made are saved.
            IndexUnavailable: the index cannot be read or changed; what was not saved is lost.
        """
        embedder_id = await self._embedder_id()
        count = 0
        async with asyncio.TaskGroup() as group:
            with self._noted():
                count = await self._start_batches(embedder_id, group)
        if self._failure is not None:
            raise self._failure
        return count

    @contextmanager
    def _noted(self) -> Generator[None]:
        """Keep a known problem for the end of the pass.

        Raised in a group of tasks, it would cancel the batches beside it, which may be made.
        """
        try:
            yield
        except HunchError as error:
            self._failure = error

    async def _embedder_id(self) -> int:
        # Every write is a new generation, which all processes take note of: only when needed.
        fingerprint = self._embedder.fingerprint
        known = await self._database.read(vectors.find_embedder, fingerprint)
        return known or await self._database.write(
            vectors.ensure_embedder, fingerprint, self._embedder.dimensions
        )

    async def _start_batches(self, embedder_id: int, group: asyncio.TaskGroup) -> int:
        size = self._embedder.batch_size
        count, after = 0, 0
        while page := await self._database.read(
            vectors.pending_texts, embedder_id, after, size * _PAGE_BATCHES
        ):
            for start in range(0, len(page), size):
                await self._slots.acquire()
                await self._running.wait()
                if self._failure is not None:
                    return count
                batch = page[start : start + size]
                group.create_task(self._embed_and_release(embedder_id, batch))
            count, after = count + len(page), page[-1].text_id
        return count

    async def _embed_and_release(self, embedder_id: int, batch: Sequence[PendingText]) -> None:
        try:
            with self._noted():
                await self._embed_batch(embedder_id, batch)
        finally:
            self._slots.release()

    async def _embed_batch(self, embedder_id: int, batch: Sequence[PendingText]) -> None:
        texts = [embedding_text(text.title, text.context, text.text) for text in batch]
        result = await self._made(texts)
        await self._database.write(
            vectors.save_vectors,
            embedder_id,
            [text.text_id for text in batch],
            result.vectors,
            result.failures,
        )
        self._embedded(len(batch))

    async def _made(self, texts: Sequence[str]) -> Embedded:
        """Embed texts, but for those that are recalled."""
        fingerprint = self._embedder.fingerprint
        vectors = np.zeros((len(texts), self._embedder.dimensions), np.float32)
        missing: list[int] = []
        for row, text in enumerate(texts):
            recalled = self._recall(fingerprint, text)
            if recalled is None:
                missing.append(row)
            else:
                vectors[row] = recalled
        if not missing:
            return Embedded(vectors)
        made = await self._embedder.embed_documents([texts[row] for row in missing])
        vectors[missing] = made.vectors
        return Embedded(vectors, {missing[row]: reason for row, reason in made.failures.items()})
