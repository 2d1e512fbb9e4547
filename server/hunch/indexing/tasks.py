"""Background tasks that are started together and end together."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

_CANCELS, _CANCEL_SECONDS = 5, 1.0
"""How often a task is told to end, and how many seconds it has each time."""


class Tasks:
    """Keeps a reference to every task, so that none is lost."""

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, *loops: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run some coroutine functions, each in a task that is called like it."""
        for work in loops:
            self._tasks.append(asyncio.create_task(work(), name=f"hunch {work.__qualname__}"))

    async def end(self) -> None:
        """Cancel all tasks and wait for their end, but not for ever."""
        tasks, self._tasks = self._tasks, []
        for _ in range(_CANCELS):
            # Asked again, since a library that catches too much can swallow one cancellation.
            for task in tasks:
                task.cancel()
            ended = asyncio.gather(*tasks, return_exceptions=True)
            with suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(ended), _CANCEL_SECONDS)
                return
