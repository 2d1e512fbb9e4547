"""Who may use the embedding server next: people first, the index afterwards."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator


class Turns:
    """Lets queries pass at once, and a few documents at a time while no query is under way."""

    def __init__(self, documents_at_once: int) -> None:
        self._places = asyncio.Semaphore(documents_at_once)
        self._queries = 0
        self._no_query = asyncio.Event()
        self._no_query.set()

    @asynccontextmanager
    async def query(self) -> AsyncGenerator[None, None]:
        """Hold back documents that have not been sent yet."""
        self._queries += 1
        self._no_query.clear()
        try:
            yield
        finally:
            self._queries -= 1
            if not self._queries:
                self._no_query.set()

    @asynccontextmanager
    async def documents(self) -> AsyncGenerator[None, None]:
        """Wait for a place and for a moment without queries."""
        async with self._places:
            await self._no_query.wait()
            yield
