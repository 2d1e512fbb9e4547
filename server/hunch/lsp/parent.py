"""Notices when the editor has died without saying so."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from hunch.lsp.server import HunchServer

_INTERVAL = 2.0


async def follow(server: HunchServer, client: int) -> None:
    """End the session when the process `client` is gone."""
    while is_alive(client):  # noqa: ASYNC110 - there is no event for the end of a process not ours
        await asyncio.sleep(_INTERVAL)
    server.stop(1)


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
