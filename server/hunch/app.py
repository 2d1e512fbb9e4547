"""Builds the parts of Hunch and connects them."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from hunch.config import Settings, database_path
from hunch.embedding.active import ActiveEmbedder
from hunch.embedding.choose import choose_embedder
from hunch.errors import EmbedderUnavailable
from hunch.indexing.embed_work import RETRY_SECONDS
from hunch.indexing.service import IndexService
from hunch.ranking.terms import Terms
from hunch.search.service import SearchService
from hunch.sources.conversations.places import current_places
from hunch.store.database import Database
from hunch.store.snapshot import Snapshots

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from types import TracebackType

    from hunch.embedding.choose import Chosen
    from hunch.model import EmbedderState
    from hunch.sources.conversations.places import Places


class App:
    """One open index with its two services. Use as an async context manager, or `aclose` it."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        *,
        choose: Callable[[Settings], Awaitable[Chosen]] = choose_embedder,
        places: Places | None = None,
        retry_seconds: tuple[float, float] = RETRY_SECONDS,
    ) -> None:
        """Connect the parts.

        Args:
            settings: what the user wants.
            database: the open index; closed by `aclose`.
            choose: opens the embedder that settings name.
            places: where agents keep their logs; those of this machine if not given.
            retry_seconds: shortest and longest wait for an embedder that does not answer.
        """
        self.settings = settings
        self._database = database
        terms = Terms()
        snapshots = Snapshots(database)
        self._embedder = ActiveEmbedder(settings, choose)
        self.index = IndexService(
            settings,
            places or current_places(),
            database,
            snapshots,
            self._embedder,
            terms,
            retry_seconds=retry_seconds,
        )
        self.search = SearchService(
            database, snapshots, self._embedder, terms, self.index, self.index.open_documents
        )

    @classmethod
    async def open(cls, settings: Settings) -> App:
        """Open the index and start working.

        Raises:
            IndexUnavailable: the database cannot be used.
        """
        database = await asyncio.to_thread(Database.open, database_path(settings))
        app = cls(settings, database)
        app.index.start()
        return app

    async def try_embedder(self) -> EmbedderState:
        """Choose the embedder if that has not happened yet, and tell whether it can be used."""
        with suppress(EmbedderUnavailable):
            await self._embedder.get()
        return self._embedder.state()

    async def aclose(self) -> None:
        """Stop all work and close the index."""
        await self.index.aclose()
        await self._embedder.aclose()
        await asyncio.to_thread(self._database.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()
