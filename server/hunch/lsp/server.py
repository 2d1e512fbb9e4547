"""The server object: what one session with an editor holds."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

import hunch
from hunch.config import DEFAULTS
from hunch.errors import HunchError, InvalidQuery
from hunch.lsp.dispatch import log_bug
from hunch.lsp.documents import LiveWorkspace
from hunch.lsp.engine import Engine
from hunch.lsp.folders import Folders
from hunch.lsp.protocol import HunchProtocol
from hunch.lsp.status import StatusReporter

if TYPE_CHECKING:
    from collections.abc import Awaitable, Coroutine
    from pathlib import Path

    from hunch.config import Settings

    T = TypeVar("T")

log = logging.getLogger(__name__)

_DRAIN = 1.0
"""Seconds that closing may take."""
_NOTEBOOKS = lsp.NotebookDocumentSyncOptions(
    [lsp.NotebookDocumentFilterWithNotebook(notebook="*")], save=True
)


class HunchServer(LanguageServer):
    """A session: the client's folders and settings, the engine, and the tasks under way."""

    protocol: HunchProtocol  # pyright: ignore[reportIncompatibleVariableOverride] - pygls is not generic in it
    sync_kind = lsp.TextDocumentSyncKind.Incremental

    def __init__(self) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType] - untyped in pygls
            "hunch",
            hunch.__version__,
            text_document_sync_kind=self.sync_kind,
            notebook_document_sync=_NOTEBOOKS,
            protocol_cls=HunchProtocol,
            converter_factory=default_converter,
        )
        self.engine = Engine()
        self.folders = Folders()
        self.settings: Settings = DEFAULTS
        self.options: dict[str, Any] = {}
        """The client's `initializationOptions`."""
        self.opened: set[Path] = set()
        """The folders that the index has been told of, refused ones included."""
        self.refused: list[str] = []
        """The schemes of folders that are not on this machine, until the person was told of them."""
        self.shown: set[str] = set()
        """The open documents that the index has been told of, by URI."""
        self.reporter = StatusReporter(self)
        self.configuring = asyncio.Lock()
        self.stopped = asyncio.Event()
        """Set when the session is over."""
        self.exit_code = 1
        self._tasks: set[asyncio.Task[Any]] = set()

    def live_text(self, uri: str) -> str | None:
        """Return the text of an open document as it is on the client's screen, else `None`."""
        workspace = self.workspace
        return workspace.live_text(uri) if isinstance(workspace, LiveWorkspace) else None

    def spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Run something in the background until the session ends; its failure is logged."""
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        problem = None if task.cancelled() else task.exception()
        if isinstance(problem, HunchError):
            log.warning("%s: %s", task.get_name(), problem)
        elif problem is not None:
            log_bug(problem)

    async def ask(self, question: Awaitable[T], *, seconds: float) -> T | None:
        """Wait for the client's answer, but not for ever; `None` when it refuses or is silent."""
        try:
            async with asyncio.timeout(seconds):
                # Without the shield, a late answer would meet a cancelled future.
                return await asyncio.shield(question)
        except (TimeoutError, JsonRpcException, InvalidQuery):
            return None

    def show(self, message: str, kind: lsp.MessageType = lsp.MessageType.Warning) -> None:
        """Show a sentence to the person, because there is something to decide."""
        self.window_show_message(lsp.ShowMessageParams(kind, message))

    def report_server_error(self, error: Exception, source: Any) -> None:  # noqa: ARG002
        """Only log: pygls would tell the client, fail at that, and report the failure."""
        log_bug(error)

    def stop(self, code: int) -> None:
        """End the session; the process exits with `code` unless it was decided before."""
        if not self.stopped.is_set():
            self.exit_code = code
            self.stopped.set()

    async def aclose(self) -> None:
        """Stop all work and close the engine, within a second; may be called again."""
        for task in self._tasks:
            task.cancel()
        try:
            async with asyncio.timeout(_DRAIN):
                await asyncio.gather(*self._tasks, return_exceptions=True)
                await self.engine.aclose()
        except TimeoutError:
            # The index survives being killed, so not waiting any longer loses nothing.
            return
