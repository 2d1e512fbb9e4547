"""Notices when the editor has died without saying so."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from hunch.lsp.server import HunchServer

_INTERVAL = 2.0


async def client_died(server: HunchServer) -> None:
    """Return when the process that `initialize` named is gone; otherwise never.

    A process that cannot be seen at first is not watched: the client may live in another
    container.
    """
    seen = False
    while True:
        await asyncio.sleep(_INTERVAL)
        client = server.process_id
        alive = client is not None and is_alive(client)
        if seen and not alive:
            return
        seen = seen or alive


def is_alive(pid: int) -> bool:
    """Say whether a process of that id runs."""
    if pid <= 0:
        return False
    return _is_alive_on_windows(pid) if sys.platform == "win32" else _is_alive_on_posix(pid)


def _is_alive_on_posix(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


def _is_alive_on_windows(pid: int) -> bool:
    # Signal 0 is Ctrl-C on Windows, so the process is asked for its state instead.
    import ctypes  # noqa: PLC0415 - needed on one platform only

    synchronize, timed_out = 0x0010_0000, 0x102
    kernel = cast("Any", ctypes).windll.kernel32
    handle = kernel.OpenProcess(synchronize, 0, pid)
    if not handle:
        return False
    try:
        return kernel.WaitForSingleObject(handle, 0) == timed_out
    finally:
        kernel.CloseHandle(handle)
