"""Where the log goes: to stderr, and to the client's own log once there is a client."""

from __future__ import annotations

import asyncio
import logging
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

if TYPE_CHECKING:
    from collections.abc import Generator

    from hunch.lsp.server import HunchServer


def log_to_stderr() -> None:
    """Set up logging of the process; at INFO, pygls would print every message body."""
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger("hunch").setLevel(logging.INFO)
    logging.getLogger("pygls").setLevel(logging.WARNING)


@contextmanager
def client_log(ls: HunchServer) -> Generator[None]:
    """Send what Hunch logs to the client too, as long as the context lasts."""
    handler, logger = _ClientLog(ls), logging.getLogger("hunch")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


class _ClientLog(logging.Handler):
    def __init__(self, ls: HunchServer) -> None:
        super().__init__(logging.INFO)
        self._ls = ls
        self._loop = asyncio.get_running_loop()

    def emit(self, record: logging.LogRecord) -> None:
        # May be called in any thread.
        params = lsp.LogMessageParams(_severity(record.levelno), record.getMessage())
        try:
            self._loop.call_soon_threadsafe(self._ls.window_log_message, params)
        except RuntimeError:  # the loop has ended; stderr has the line
            return


def _severity(level: int) -> lsp.MessageType:
    if level >= logging.ERROR:
        return lsp.MessageType.Error
    return lsp.MessageType.Warning if level >= logging.WARNING else lsp.MessageType.Info
