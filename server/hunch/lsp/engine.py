"""Opens the engine in the background, so that `initialize` never waits for it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from hunch.config import DEFAULTS, database_path
from hunch.errors import HunchError, IndexBusy, IndexFull, IndexUnavailable
from hunch.lsp.dispatch import log_bug
from hunch.model import Counts, EmbedderState, IndexState

if TYPE_CHECKING:
    from collections.abc import Callable

    from hunch.app import App
    from hunch.config import Settings

_PATIENCE = 60.0
"""Seconds that a request waits for an index that is being opened."""

_PATIENCE_WITH_OTHERS = 5.0
"""The same while the index waits for another program, or for room on its disk."""

_RETRY_SECONDS = 1.0
"""Between two attempts to open an index that cannot be opened for now."""


class Engine:
    """The one App of a session: being opened, open, or impossible to open."""

    def __init__(self) -> None:
        self._opening: asyncio.Task[App] | None = None
        self._settings: Settings = DEFAULTS
        self._changed: Callable[[IndexState], None] = lambda _: None
        self._started = asyncio.Event()
        self.failure = ""
        """Why the App could not be opened, as a sentence; empty while that did not happen."""
        self.waiting = ""
        """What the App cannot be opened for as yet, as a sentence; else empty."""

    def start(
        self, settings: Settings, changed: Callable[[IndexState], None] = lambda _: None
    ) -> None:
        """Begin to open the App; must be called once.

        Args:
            settings: what to open it with.
            changed: told the state when the App cannot be opened for now.
        """
        self._settings = settings
        self._changed = changed
        self._opening = asyncio.create_task(self._open(settings), name="open the engine")
        # Whoever needs the App sees the failure; if nobody does, `failure` still tells it.
        self._opening.add_done_callback(lambda task: task.cancelled() or task.exception())
        self._started.set()

    async def _open(self, settings: Settings) -> App:
        try:
            app_class = await asyncio.to_thread(_import)
            return await self._open_patiently(app_class, settings)
        except HunchError as error:
            self.failure = str(error)
            raise
        except Exception as error:  # noqa: BLE001 - the edge of a background task
            self.failure = f"internal error {log_bug(error)}; the server's log holds the details"
            raise IndexUnavailable(self.failure) from None

    async def _open_patiently(self, app_class: type[App], settings: Settings) -> App:
        """Open the App as soon as what is in the way is gone, however long that takes."""
        while True:
            try:
                app = await app_class.open(settings)
            except (IndexBusy, IndexFull) as error:
                self.waiting = str(error)
                self._changed(self._closed_state())
            else:
                self.waiting = ""
                return app
            await asyncio.sleep(_RETRY_SECONDS)

    async def opened(self) -> App:
        """Wait until the App is open, however long that takes.

        Raises:
            IndexUnavailable: it cannot be opened.
        """
        await self._started.wait()
        assert self._opening is not None
        # A request that is cancelled must not take the engine with it.
        return await asyncio.shield(self._opening)

    async def app(self) -> App:
        """Wait until the App is open, for as long as a request may wait.

        Raises:
            IndexBusy: another program is in the way.
            IndexUnavailable: it cannot be opened, or that takes more than a minute.
        """
        try:
            async with asyncio.timeout(_PATIENCE_WITH_OTHERS if self.waiting else _PATIENCE):
                return await self.opened()
        except TimeoutError:
            if self.waiting:
                raise IndexBusy(self.waiting) from None
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
        return self._closed_state()

    def _closed_state(self) -> IndexState:
        failed = bool(self.failure)
        return IndexState(
            state="failed" if failed else "starting",
            message=self.failure or self.waiting or "the index is being opened",
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
