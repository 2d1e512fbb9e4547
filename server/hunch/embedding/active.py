"""The embedder that is in use, which can change while Hunch runs."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from hunch.embedding.choose import choose_embedder
from hunch.errors import EmbedderUnavailable, ModelChanged
from hunch.model import EmbedderState

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from hunch.config import Settings
    from hunch.embedding.base import Embedder
    from hunch.embedding.choose import Chosen


class ActiveEmbedder:
    """Chooses an embedder by the settings, keeps it, and knows whether it answers."""

    def __init__(
        self,
        settings: Settings,
        choose: Callable[[Settings], Awaitable[Chosen]] = choose_embedder,
    ) -> None:
        self._settings = settings
        self._choose = choose
        self._embedder: Embedder | None = None
        self._lock = asyncio.Lock()
        self.is_outdated = False
        """Whether the embedder in use is of no use any more, so that the next `get` chooses anew."""
        self.message = ""
        """One sentence about what is amiss or could be better; empty when there is nothing to say."""
        self.available = False
        """Whether the last attempt to use the embedder went well."""

    @property
    def fingerprint(self) -> str | None:
        """Of the embedder in use, None as long as there is none."""
        return self._embedder.fingerprint if self._embedder else None

    async def get(self) -> Embedder:
        """Return the embedder in use, choosing one if there is none.

        Raises:
            EmbedderUnavailable: the settings name one that does not answer.
        """
        async with self._lock:
            if self.is_outdated:
                await self._drop()
            if self._embedder is None:
                try:
                    chosen = await self._choose(self._settings)
                except EmbedderUnavailable as error:
                    self.failed(error)
                    raise
                self._embedder, self.message = chosen.embedder, chosen.message
                self.available = True
            return self._embedder

    def is_in_use(self, embedder: Embedder) -> bool:
        """Tell whether an embedder is still the one in use."""
        return self._embedder is embedder

    def failed(self, error: EmbedderUnavailable) -> None:
        """Note that the embedder in use does not answer."""
        self.available, self.message = False, str(error)
        self.is_outdated |= isinstance(error, ModelChanged)

    def worked(self) -> None:
        """Note that the embedder in use answers again."""
        if not self.available:
            self.available, self.message = True, ""

    async def reset(self, settings: Settings) -> None:
        """Drop the embedder in use; the next `get` chooses anew."""
        async with self._lock:
            self._settings = settings
            await self._drop()

    async def _drop(self) -> None:
        if self._embedder is not None:
            await self._embedder.aclose()
        self._embedder, self.available, self.message = None, False, ""
        self.is_outdated = False

    def state(self) -> EmbedderState:
        """Describe the embedder in use, or the wanted one as long as there is none."""
        if self._embedder is None:
            wanted = self._settings.embedder
            model = self._settings.ollama_model if wanted == "ollama" else ""
            return EmbedderState(wanted, model, 0, self.available, self.message)
        return EmbedderState(
            self._embedder.provider,
            self._embedder.model,
            self._embedder.dimensions,
            self.available,
            self.message,
        )

    async def aclose(self) -> None:
        """Release what the embedder in use holds."""
        await self.reset(self._settings)
