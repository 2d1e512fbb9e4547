"""Shows indexing in the editor's progress bar, where the client has one."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types as lsp

from hunch.moments import duration

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from hunch.lsp.server import HunchServer
    from hunch.model import IndexState, Progress

_TITLE = "Hunch: indexing"
_CREATE_SECONDS = 5.0


class IndexProgress:
    """One progress bar at a time: begun, reported and ended in pairs, whatever happens."""

    def __init__(self, ls: HunchServer) -> None:
        self._ls = ls
        self._token: str | None = None
        self._refused = False

    def is_token(self, token: int | str) -> bool:
        """Say whether the client means the bar that is shown."""
        return self._token is not None and token == self._token

    async def show(self, state: IndexState) -> None:
        """Begin, move or end the bar, so that it agrees with `state`."""
        if state.state != "indexing":
            self.end()
        elif self._token is None:
            await self._begin(state)
        else:
            self._report(state.progress)

    def end(self) -> None:
        """End the bar if there is one."""
        token, self._token = self._token, None
        if token is not None:
            self._ls.work_done_progress.end(token, lsp.WorkDoneProgressEnd())
            cast("Any", self._ls.work_done_progress).tokens.pop(token, None)

    async def _begin(self, state: IndexState) -> None:
        window = self._ls.client_capabilities.window
        if self._refused or not (window and window.work_done_progress):
            return
        token = uuid.uuid4().hex
        create = lsp.WorkDoneProgressCreateParams(token)
        asked = self._ls.protocol.send_request_async(lsp.WINDOW_WORK_DONE_PROGRESS_CREATE, create)
        answered = await self._ls.ask(accepted(asked), seconds=_CREATE_SECONDS)
        if not answered:
            self._refused = True
            return
        self._token = token
        begin = lsp.WorkDoneProgressBegin(
            title=_TITLE, cancellable=True, message=_message(state.progress), percentage=0
        )
        self._ls.work_done_progress.begin(token, begin)

    def _report(self, progress: Progress | None) -> None:
        if self._token is None or progress is None:
            return
        percentage = 100 * progress.done // max(progress.total, 1)
        report = lsp.WorkDoneProgressReport(
            message=_message(progress), percentage=min(percentage, 100)
        )
        self._ls.work_done_progress.report(self._token, report)


def _message(progress: Progress | None) -> str:
    if progress is None:
        return ""
    parts = [f"{progress.done:,} of {progress.total:,} files"]
    if progress.rate is not None:
        parts.append(f"{progress.rate:,.0f}/s" if progress.rate >= 10 else f"{progress.rate:.1f}/s")
    if progress.eta_seconds is not None:
        parts.append(f"{duration(progress.eta_seconds)} left")
    return " · ".join([*parts, progress.current] if progress.current else parts)


async def accepted(asked: Awaitable[Any]) -> bool:
    """Return True once the client has answered; its answer is null when all is well."""
    await asked
    return True
