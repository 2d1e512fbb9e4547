"""`hunch serve`: starts the language server and returns its exit code."""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import socket
import sys
from typing import TYPE_CHECKING, Any, BinaryIO

from pygls.io_ import WebSocketWriter

from hunch.errors import InvalidSetting
from hunch.lsp.handlers import register
from hunch.lsp.logs import log_to_stderr
from hunch.lsp.server import HunchServer
from hunch.lsp.transport import receive, run_session

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

log = logging.getLogger(__name__)


def serve(*, tcp: str | None = None, websocket: str | None = None) -> int:
    """Serve one client over stdio, or for debugging over `HOST:PORT`, until it leaves.

    Returns:
        0 after `shutdown` and `exit`, else 1.

    Raises:
        InvalidSetting: the address is not understood, or the web socket library is not installed.
    """
    log_to_stderr()
    server = HunchServer()
    register(server)
    try:
        if websocket:
            return asyncio.run(_serve_websocket(server, *_address("--websocket", websocket)))
        reader, writer = _accept(*_address("--tcp", tcp)) if tcp else _take_stdio()
        return asyncio.run(run_session(server, reader, writer))
    except KeyboardInterrupt:
        return 1


def _take_stdio() -> tuple[BinaryIO, BinaryIO]:
    """Keep stdin and stdout for the protocol; whatever else is printed goes to stderr."""
    reader, writer = os.dup(sys.stdin.fileno()), os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return os.fdopen(reader, "rb"), os.fdopen(writer, "wb")


def _accept(host: str, port: int) -> tuple[BinaryIO, BinaryIO]:
    with socket.create_server((host, port)) as listening:
        log.info("listening on port %d", listening.getsockname()[1])
        connection, _ = listening.accept()
    return connection.makefile("rb"), connection.makefile("wb")


async def _serve_websocket(server: HunchServer, host: str, port: int) -> int:
    try:
        websockets: Any = importlib.import_module("websockets.asyncio.server")
    except ImportError:
        raise InvalidSetting("--websocket", "needs `pip install hunch-ls[websocket]`") from None

    async def talk(connection: Any) -> None:
        await _converse(server, connection)

    async with websockets.serve(talk, host, port):
        await server.stopped.wait()
    await server.aclose()
    return server.exit_code


async def _converse(server: HunchServer, connection: Any) -> None:
    messages: AsyncIterator[str | bytes] = connection
    server.protocol.set_writer(WebSocketWriter(connection), include_headers=False)
    async for message in messages:
        receive(server.protocol, message)
    server.stop(1)


def _address(option: str, text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not (host and port.isdigit() and int(port) < 65_536):
        raise InvalidSetting(option, "must be HOST:PORT")
    return host.strip("[]"), int(port)


if __name__ == "__main__":
    sys.exit(serve())
