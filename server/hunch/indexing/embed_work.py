"""The background task that embeds what has been written, through outages and changed settings."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from hashlib import blake2b
from typing import TYPE_CHECKING

from hunch.errors import EmbedderUnavailable, HunchError
from hunch.indexing.embed import EmbedRun
from hunch.store import vectors

if TYPE_CHECKING:
    from collections.abc import Callable

    from hunch.embedding.active import ActiveEmbedder
    from hunch.embedding.base import Embedder
    from hunch.indexing.embed import Recall
    from hunch.model import Source
    from hunch.store.database import Database
    from hunch.store.leases import Leases

log = logging.getLogger(__name__)

RETRY_SECONDS = (2.0, 30.0)
"""Seconds between attempts at an embedder that does not answer: doubled from the first to the last."""


class EmbedWork:
    """Embeds whenever it is wanted; what it finds wrong becomes part of the state."""

    def __init__(
        self,
        database: Database,
        embedder: ActiveEmbedder,
        leases: Leases,
        *,
        running: asyncio.Event,
        retry_seconds: tuple[float, float],
        recall: Recall,
        embedded: Callable[[int], object],
        moved: Callable[[], object],
    ) -> None:
        """Prepare the task.

        Args:
            database: where texts are taken from and vectors go.
            embedder: the one in use.
            leases: of this process.
            running: while it is not set, no batch is started.
            retry_seconds: see `RETRY_SECONDS`.
            recall: see `EmbedRun`.
            embedded: called after every batch that was saved, with the number of its texts.
            moved: called whenever anything else about this work changes.
        """
        self._database = database
        self._embedder = embedder
        self._running = running
        self._retry_first, self._retry_most = retry_seconds
        self._recall = recall
        self._saved = embedded
        self._moved = moved
        self._wanted = asyncio.Event()
        self._reconfigured = asyncio.Event()
        self._leases = leases
        self.is_following = False
        """Whether another process is embedding with the same embedder."""
        self._fingerprint = ""
        """Of the embedder that was used last."""
        self._lease = ""
        """The name of the work of embedding with the embedder that was used last."""
        self._working = False
        self.waiting = False
        """Whether the embedder, or the index, does not answer and is tried again from time to time."""
        self.failure = ""
        """One sentence about what keeps texts from being embedded for good; else empty."""

    @property
    def has_work(self) -> bool:
        """Whether something is left to do, possible at the moment or not."""
        return self._wanted.is_set() or self._working

    def others(self) -> list[int | None]:
        """Return the id of the process that embeds in place of this one; None if it is not known."""
        return [self._leases.holder(self._lease)] if self.is_following else []

    def want(self) -> None:
        """Have the texts embedded that lack a vector, soon."""
        self._wanted.set()

    def reconfigure(self) -> None:
        """Try again at once: the embedder is another one."""
        self.waiting = False
        self._reconfigured.set()
        # Whether it answers is told even if there is nothing to embed.
        self._wanted.set()
        self._moved()

    async def loop(self) -> None:
        """Work until cancelled."""
        delay = self._retry_first
        while True:
            await self._wanted.wait()
            self._working = True
            self._wanted.clear()
            try:
                await self._embed()
                self.waiting, self.failure, delay = False, "", self._retry_first
            except HunchError as error:
                if isinstance(error, EmbedderUnavailable):
                    self._embedder.failed(error)
                else:
                    self.failure = str(error)
                self.waiting = True
                self._moved()
                await self._wait(delay)
                delay = min(delay * 2, self._retry_most)
                self._wanted.set()
            except Exception:
                log.exception("texts could not be embedded")
                self.failure = (
                    "Texts could not be embedded because of a fault in Hunch; see the log."
                )
            finally:
                self._working = False
                self._moved()

    async def _wait(self, delay: float) -> None:
        """Wait until another attempt is worth it: for `delay` seconds, or until settings change."""
        self._reconfigured.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(delay):
                await self._reconfigured.wait()

    async def tick(self) -> None:
        """Take over from another process that embedded until now, and follow another model."""
        used = {None, self._fingerprint}
        if self._embedder.is_outdated or self._embedder.fingerprint not in used:
            self._wanted.set()
        if self.is_following and not self._wanted.is_set():
            lease = _lease(await self._embedder.get())
            if await asyncio.to_thread(self._leases.take, lease):
                self._wanted.set()

    async def _embed(self) -> None:
        embedder = await self._embedder.get()
        self._fingerprint = embedder.fingerprint
        lease = self._lease = _lease(embedder)
        self.is_following = not await asyncio.to_thread(self._leases.take, lease)
        if self.is_following:
            return
        try:
            await self._run(embedder)
        finally:
            await asyncio.to_thread(self._leases.give_back, lease)

    async def _run(self, embedder: Embedder) -> None:
        run = EmbedRun(
            self._database,
            embedder,
            running=self._running,
            recall=self._recall,
            embedded=self._embedded,
        )
        try:
            await run.run()
        except EmbedderUnavailable:
            if self._embedder.is_in_use(embedder):
                raise
            self._wanted.set()  # other settings closed it, and name one to go on with

    def _embedded(self, count: int) -> None:
        self._embedder.worked()
        self.waiting = False
        self._saved(count)

    async def drop_vectors(self, source: Source) -> None:
        """Take away the vectors of a source, so that all of it is embedded again."""
        try:
            embedder = await self._embedder.get()
        except EmbedderUnavailable:
            return
        embedder_id = await self._database.write(
            vectors.ensure_embedder, embedder.fingerprint, embedder.dimensions
        )
        await self._database.write(vectors.drop_vectors, embedder_id, source.id)


def _lease(embedder: Embedder) -> str:
    return f"embedder-{blake2b(embedder.fingerprint.encode(), digest_size=8).hexdigest()}"
