"""Reads messages from a pair of byte streams and feeds them to the protocol.

pygls reads stdin in its thread pool, which keeps the process alive while nothing arrives, knows
header names in one spelling only, and is silent about broken JSON. Here a daemon thread reads.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, BinaryIO, NoReturn

from pygls.io_ import StdoutWriter

from hunch.lsp.dispatch import error, log_bug
from hunch.protocol.errors import Code

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hunch.lsp.protocol import HunchProtocol
    from hunch.lsp.server import HunchServer

log = logging.getLogger(__name__)

_MAX_HEADER = 8_192
_MAX_BODY = 256 * 1024 * 1024
_WAITING = 64
"""Messages that may wait for the loop before the client is made to wait."""


async def run_session(server: HunchServer, reader: BinaryIO, writer: BinaryIO) -> int:
    """Serve one client until it leaves or is gone; return the exit code."""
    server.protocol.set_writer(StdoutWriter(writer))
    ends = {
        asyncio.create_task(_receive_all(server.protocol, reader), name="receive"),
        asyncio.create_task(server.stopped.wait(), name="wait for exit"),
    }
    try:
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for end in ends:
            end.cancel()
        await server.aclose()
    return server.exit_code


async def _receive_all(protocol: HunchProtocol, reader: BinaryIO) -> None:
    bodies = asyncio.Queue[bytes | None](_WAITING)
    loop = asyncio.get_running_loop()
    threading.Thread(target=_pump, args=(reader, bodies, loop), daemon=True, name="stdin").start()
    while (body := await bodies.get()) is not None:
        receive(protocol, body)
        # The handler of this message starts before the next message is looked at.
        await asyncio.sleep(0)


def _pump(
    reader: BinaryIO, bodies: asyncio.Queue[bytes | None], loop: asyncio.AbstractEventLoop
) -> None:
    try:
        for body in frames(reader):
            asyncio.run_coroutine_threadsafe(bodies.put(body), loop).result()
        asyncio.run_coroutine_threadsafe(bodies.put(None), loop).result()
    except (RuntimeError, CancelledError):  # the loop has ended before the client
        return


def receive(protocol: HunchProtocol, body: str | bytes) -> None:
    """Read one message and hand it to the protocol; never raises."""
    try:
        message = json.loads(body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        protocol.answer(None, error=error(Code.PARSE_ERROR, "the message is not JSON"))
        return
    try:
        protocol.handle_message(message)
    except Exception as problem:  # noqa: BLE001 - one bad message must not end the session
        log_bug(problem)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def frames(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the body of each message (LSP 3.17, "Base Protocol") until the stream ends.

    Header names are read in any case, and lines that are no headers are passed over.
    """
    length = 0
    while line := stream.readline(_MAX_HEADER):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value) if value.strip().isdigit() else 0
        elif not line.strip() and length:
            body = _exactly(stream, length)
            if body is None:
                return
            yield body
            length = 0


def _exactly(stream: BinaryIO, length: int) -> bytes | None:
    if length > _MAX_BODY:
        log.error("a message of %d bytes ends the session", length)
        return None
    body = stream.read(length)
    return body if len(body) == length else None
