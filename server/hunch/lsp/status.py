"""Tells the client about every change of the index, at most a few times a second."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from hunch.lsp import results
from hunch.lsp.progress import IndexProgress
from hunch.protocol import methods

if TYPE_CHECKING:
    from hunch.lsp.server import HunchServer
    from hunch.model import IndexState

_INTERVAL = 0.25
"""Seconds between two notifications; the last state is always sent."""


class StatusReporter:
    """Keeps the latest state and sends it when its turn comes."""

    def __init__(self, ls: HunchServer) -> None:
        self._ls = ls
        self._latest: IndexState | None = None
        self._changed = asyncio.Event()
        self.progress = IndexProgress(ls)

    @property
    def latest(self) -> IndexState | None:
        """The state that was told last; None before the first."""
        return self._latest

    def changed(self, state: IndexState) -> None:
        """Take note of a state; never waits and never sends by itself."""
        self._latest = state
        self._changed.set()

    async def run(self) -> None:
        """Send states until cancelled."""
        sent: IndexState | None = None
        try:
            while True:
                await self._changed.wait()
                self._changed.clear()
                state = self._latest
                if state is not None and state != sent:
                    sent = state
                    body = results.index_state(state, self._ls.folders)
                    self._ls.protocol.notify(methods.DID_CHANGE_STATUS, body)
                    await self.progress.show(state)
                await asyncio.sleep(_INTERVAL)
        finally:
            self.progress.end()
