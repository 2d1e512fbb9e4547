"""Noticing that something changed in a folder: by the system's file events, else by a clock.

What is told is a hint to look, never what happened.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from functools import partial
from typing import TYPE_CHECKING

from hunch.filesystems import is_network
from hunch.sources.events import IS_RECURSIVE, Events, is_exhausted
from hunch.sources.paths import own_prefixes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from collections.abc import Set as AbstractSet
    from pathlib import Path

log = logging.getLogger(__name__)

POLL_SECONDS = 10.0
"""Seconds between two looks at a folder that cannot be watched."""
_RETRY_POLLS = 30
"""How many such looks go by before the system is asked to watch again."""


class Watcher:
    """Watches any number of roots. Made and used on the event loop."""

    def __init__(
        self,
        changed: Callable[[Path, frozenset[str] | None], object],
        *,
        own: Path,
        poll_seconds: float = POLL_SECONDS,
        is_network: Callable[[Path], bool] = is_network,
        is_recursive: bool = IS_RECURSIVE,
    ) -> None:
        """Prepare; nothing is watched yet.

        Args:
            changed: called on the loop with a root and the paths in it, relative and with forward
                slashes, that may have changed; None when anything may have.
            own: the index database; neither it nor what lies beside it under its name is told of.
            poll_seconds: between two looks at a folder that cannot be watched.
            is_network: tells folders whose changes may be made elsewhere; may block.
            is_recursive: whether the system is to watch whole trees instead of single folders.
        """
        self._changed = changed
        self._own = own
        self._poll_seconds = poll_seconds
        self._is_network = is_network
        self._is_recursive = is_recursive
        self._roots: dict[Path, _Root] = {}

    async def watch(self, root: Path, folders: AbstractSet[str]) -> bool:
        """Watch some folders below a root in place of those before; returns when that is so.

        Whatever changes from then on is told. Folders in them in which files may appear although
        there are none are watched, too.

        Args:
            root: a real path.
            folders: relative to it, with forward slashes; `""` is the root itself.

        Returns:
            Whether watching began anew, so that what changed just before may not be told: look
            again. False if all of the folders were being watched.
        """
        watched = self._roots.get(root)
        if watched is None:
            watched = self._roots[root] = _Root(
                root,
                self._listen,
                changed=partial(self._changed, root),
                poll_seconds=self._poll_seconds,
            )
        return await watched.watch(folders)

    async def _listen(self, watched: _Root, folders: AbstractSet[str]) -> Events:
        """Return what listens for the events of a root.

        Raises:
            OSError, RuntimeError: the system does not watch, or not everything.
        """
        if await asyncio.to_thread(self._is_network, watched.root):
            raise _ServedElsewhere
        own = await asyncio.to_thread(own_prefixes, self._own)
        events = Events(
            watched.root,
            folders,
            own,
            is_recursive=self._is_recursive,
            tell=watched.tell,
            lost=watched.lose,
        )
        await events.start()
        return events

    async def unwatch(self, root: Path) -> None:
        """Watch a root no longer."""
        watched = self._roots.pop(root, None)
        if watched:
            await watched.end()

    def is_alive(self, root: Path) -> bool:
        """Tell whether every change below a root would be noticed at once."""
        watched = self._roots.get(root)
        return watched is not None and watched.events is not None

    def message(self, root: Path) -> str:
        """Return a sentence about how changes are noticed; empty when all is well."""
        watched = self._roots.get(root)
        return watched.message if watched else ""

    async def aclose(self) -> None:
        """Watch nothing any more."""
        await asyncio.gather(*map(self.unwatch, [*self._roots]))


class _Root:
    """One root: what listens for its events, or else the task that looks at the clock."""

    def __init__(
        self,
        root: Path,
        listen: Callable[[_Root, AbstractSet[str]], Awaitable[Events]],
        *,
        changed: Callable[[frozenset[str] | None], object],
        poll_seconds: float,
    ) -> None:
        self.root = root
        self.events: Events | None = None
        self.message = ""
        self._listen = listen
        self._changed = changed
        self._poll_seconds = poll_seconds
        self._folders: AbstractSet[str] = frozenset[str]()
        self._polls: asyncio.Task[None] | None = None
        self._retry_polls = _RETRY_POLLS
        self._is_ended = False
        self._lock = asyncio.Lock()

    async def watch(self, folders: AbstractSet[str]) -> bool:
        """Listen in some folders, or look at the clock; tell whether listening began anew."""
        async with self._lock:
            self._folders = folders
            return not self._is_ended and await self._begin()

    async def end(self) -> None:
        """Tell of nothing any more."""
        self._is_ended = True
        self._stop_polling()
        async with self._lock:
            events, self.events = self.events, None
            if events:
                await events.stop()

    def tell(self, events: Events, paths: frozenset[str] | None) -> None:
        """Pass on what the present listener heard."""
        if self.events is events:
            self._changed(paths)

    def lose(self, events: Events, error: Exception) -> None:
        """Go on by the clock when the present listener has failed."""
        if self.events is events:
            self.events = None
            self._poll(error)
            self._changed(None)

    async def _begin(self) -> bool:
        before = self.events
        if before and await asyncio.to_thread(before.covers, self._folders):
            return False
        self.events = None
        if before:
            # First, or the system would have to watch twice as much for a moment.
            await asyncio.shield(before.stop())
        try:
            self.events = await self._listen(self, self._folders)
        except Exception as error:  # whatever keeps us from listening, the clock goes on
            log.debug("a folder cannot be watched", exc_info=True)
            self._poll(error)
        else:
            self._stop_polling()
        return True

    def _poll(self, error: Exception) -> None:
        """Look at the clock until the folder can be watched again."""
        self.message = (
            f"Changes are looked for every {self._poll_seconds:.0f} seconds: {_reason(error)}."
        )
        # A folder that is gone may be back soon.
        self._retry_polls = 1 if isinstance(error, FileNotFoundError) else _RETRY_POLLS
        if self._polls is None and not self._is_ended:
            self._polls = asyncio.create_task(self._poll_loop(), name="hunch poll")

    def _stop_polling(self) -> None:
        self.message = ""
        task, self._polls = self._polls, None
        if task and task is not asyncio.current_task():
            task.cancel()

    async def _poll_loop(self) -> None:
        for number in range(1, sys.maxsize):
            await asyncio.sleep(self._poll_seconds)
            if number % self._retry_polls == 0:
                await self.watch(self._folders)
            self._changed(None)
            if self.events is not None:
                return


class _ServedElsewhere(OSError):
    """Another machine may change the files, and tells nobody."""


def _reason(error: Exception) -> str:
    if is_exhausted(error):
        return (
            "the system has no more file watches; raise fs.inotify.max_user_watches"
            " and fs.inotify.max_user_instances"
        )
    if isinstance(error, _ServedElsewhere):
        return "it lies on a file system that another machine may change"
    if isinstance(error, FileNotFoundError):
        return "it is gone at the moment"
    return "the system does not watch it"
