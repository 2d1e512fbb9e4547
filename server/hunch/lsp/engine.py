"""Opens the engine in the background, so that `initialize` never waits for it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from hunch.config import DEFAULTS, database_path
from hunch.errors import HunchError, IndexUnavailable
from hunch.lsp.dispatch import log_bug
from hunch.model import Counts, EmbedderState, IndexState

if TYPE_CHECKING:
    from hunch.app import App
    from hunch.config import Settings

_PATIENCE = 60.0
"""Seconds that a request waits for an index that is being opened."""


class Engine:
    """The one App of a session: being opened, open, or impossible to open."""

    def __init__(self) -> None:
        self._opening: asyncio.Task[App] | None = None
        self._settings: Settings = DEFAULTS
        self._started = asyncio.Event()
        self.failure = ""
        """Why the App could not be opened, as a sentence; empty while that did not happen."""

    def start(self, settings: Settings) -> None:
        """Begin to open the App; must be called once."""
        self._settings = settings
        self._opening = asyncio.create_task(self._open(settings), name="open the engine")
        # Whoever needs the App sees the failure; if nobody does, `failure` still tells it.
        self._opening.add_done_callback(lambda task: task.cancelled() or task.exception())
        self._started.set()

    async def _open(self, settings: Settings) -> App:
        try:
            app_class = await asyncio.to_thread(_import)
            return await app_class.open(settings)
        except HunchError as error:
            self.failure = str(error)
            raise
        except Exception as error:  # noqa: BLE001 - the edge of a background task
            self.failure = f"internal error {log_bug(error)}; the server's log holds the details"
            raise IndexUnavailable(self.failure) from None

    async def app(self) -> App:
        """Wait until the App is open.

        Raises:
            IndexUnavailable: it cannot be opened, or that takes more than a minute.
        """
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._started.wait()
                assert self._opening is not None
                # A request that is cancelled must not take the engine with it.
                return await asyncio.shield(self._opening)
        except TimeoutError:
            raise IndexUnavailable("the index is still being opened; try again later") from None

    def now(self) -> App | None:
        """Return the App if it is open already."""
        opening = self._opening
        is_open = opening and opening.done() and not opening.cancelled() and not opening.exception()
        return opening.result() if opening and is_open else None

    async def state(self) -> IndexState:
        """Say how things are, at once, whether the App is open or not."""
        app = self.now()
        if app is not None:
            return await app.index.state()
        failed = bool(self.failure)
        return IndexState(
            state="failed" if failed else "starting",
            message=self.failure if failed else "the index is being opened",
            embedder=EmbedderState("", "", 0, available=False),
            counts=Counts(),
            sources=(),
            database=database_path(self._settings),
            database_bytes=0,
            schema=0,
            writer="",
        )

    async def aclose(self) -> None:
        """Close the App, or stop opening it."""
        opening, self._opening = self._opening, None
        if opening is None:
            return
        opening.cancel()
        done, _ = await asyncio.wait({opening})
        for task in done:
            if not task.cancelled() and task.exception() is None:
                await task.result().aclose()


def _import() -> type[App]:
    # NumPy and the grammars cost a second; this runs in a thread after `initialize`.
    from hunch.app import App  # noqa: PLC0415

    return App
