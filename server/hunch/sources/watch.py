"""Noticing that something changed in a folder: by the system's file events, else by a clock.

What is told is a hint to look, never what happened. Watched are the folders that a scan was made
of, one by one, so that build output and installed packages cost nothing; folders that appear are
added as they come.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import watchfiles
from watchfiles import Change

from hunch.filesystems import is_network
from hunch.sources import admission, git
from hunch.sources.paths import is_link

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from collections.abc import Set as AbstractSet

log = logging.getLogger(__name__)

POLL_SECONDS = 10.0
"""Seconds between two looks at a folder that cannot be watched."""
_RETRY_POLLS = 30
"""How many such looks go by before the system is asked to watch again."""
_QUIET_MS, _LATEST_MS = 100, 1_000
"""A burst of events is told after so long without another, and no later than that after the first."""
_IS_RECURSIVE = sys.platform in ("darwin", "win32")
"""Whether the system watches whole trees at the price of one folder."""
_MOST_VANISHED = 10
"""Attempts in a row at which some folder may be gone that was there a moment before."""
_MOST_FOLDERS = 500
"""Folders in a tree that appeared at once; those beyond are watched after the next look."""


class Watcher:
    """Watches any number of roots. Made and used on the event loop."""

    def __init__(
        self,
        changed: Callable[[Path, frozenset[str] | None], object],
        *,
        own: Path,
        poll_seconds: float = POLL_SECONDS,
        is_network: Callable[[Path], bool] = is_network,
    ) -> None:
        """Prepare; nothing is watched yet.

        Args:
            changed: called on the loop with a root and the paths in it, relative and with forward
                slashes, that may have changed; None when anything may have.
            own: the index database; neither it nor what lies beside it under its name is told of.
            poll_seconds: between two looks at a folder that cannot be watched.
            is_network: tells folders whose changes may be made elsewhere; may block.
        """
        self._changed = changed
        self._own = str(own)
        self._poll_seconds = poll_seconds
        self._is_network = is_network
        self._watches: dict[Path, _Watch] = {}
        self._polls: dict[Path, asyncio.Task[None]] = {}
        self._messages: dict[Path, str] = {}

    async def watch(self, root: Path, folders: AbstractSet[str]) -> None:
        """Watch some folders below a root in place of those before; returns when that is so.

        Whatever changes from then on is told. What changed just before may not be: look again.

        Args:
            root: a real path.
            folders: relative to it, with forward slashes; `""` is the root itself.
        """
        before = self._watches.pop(root, None)
        try:
            if await asyncio.to_thread(self._is_network, root):
                self._poll(root, "it lies on a file system that another machine may change")
                return
            watch = _Watch(root, folders, self._own, self._tell, self._lost)
            try:
                await watch.start()
            except (OSError, RuntimeError) as error:
                log.debug("a folder cannot be watched: %s", type(error).__name__)
                self._poll(root, _reason(error))
                return
            self._watches[root] = watch
            self._stop_polling(root)
        finally:
            if before:
                await before.stop()

    async def unwatch(self, root: Path) -> None:
        """Watch a root no longer."""
        self._stop_polling(root)
        watch = self._watches.pop(root, None)
        if watch:
            await watch.stop()

    def is_alive(self, root: Path) -> bool:
        """Tell whether every change below a root would be noticed at once."""
        return root in self._watches

    def message(self, root: Path) -> str:
        """Return a sentence about how changes are noticed; empty when all is well."""
        return self._messages.get(root, "")

    async def aclose(self) -> None:
        """Watch nothing any more."""
        for root in [*self._watches, *self._polls]:
            await self.unwatch(root)

    def _tell(self, watch: _Watch, paths: frozenset[str] | None) -> None:
        if self._watches.get(watch.root) is watch:
            self._changed(watch.root, paths)

    def _lost(self, watch: _Watch, error: Exception) -> None:
        if self._watches.get(watch.root) is watch:
            del self._watches[watch.root]
            self._poll(watch.root, _reason(error))
            self._changed(watch.root, None)

    def _poll(self, root: Path, reason: str) -> None:
        self._messages[root] = (
            f"Changes are looked for every {self._poll_seconds:.0f} seconds: {reason}."
        )
        if root not in self._polls:
            work = self._poll_loop(root)
            self._polls[root] = asyncio.create_task(work, name="hunch poll")

    def _stop_polling(self, root: Path) -> None:
        self._messages.pop(root, None)
        task = self._polls.pop(root, None)
        if task and task is not asyncio.current_task():
            task.cancel()

    async def _poll_loop(self, root: Path) -> None:
        for number in range(sys.maxsize):
            await asyncio.sleep(self._poll_seconds)
            self._changed(root, None)
            if number % _RETRY_POLLS == _RETRY_POLLS - 1:
                await self.watch(root, frozenset({""}))
                if root in self._watches:
                    # The look that follows finds out what else is to be watched.
                    self._changed(root, None)
                    return


class _Watch:
    """One root's thread, which waits for events and adds folders that appear."""

    def __init__(
        self,
        root: Path,
        folders: AbstractSet[str],
        own: str,
        tell: Callable[[_Watch, frozenset[str] | None], object],
        lost: Callable[[_Watch, Exception], object],
    ) -> None:
        self.root = root
        self._folders = set(folders)
        self._own = own
        self._told, self._lost = tell, lost
        self._appeared: set[str] = set()
        """Those of `_folders` that came later."""
        self._is_renewed = False
        self._git_folders: list[str] = []
        self._loop = asyncio.get_running_loop()
        self._ready: asyncio.Future[None] = self._loop.create_future()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hunch-watch", daemon=True)

    async def start(self) -> None:
        """Return when events are being waited for.

        Raises:
            OSError, RuntimeError: the system does not watch.
        """
        self._thread.start()
        await self._ready

    async def stop(self) -> None:
        """End the thread."""
        self._stop.set()
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        vanished = 0
        while not self._stop.is_set():
            try:
                self._watch_once()
                vanished = 0
            except (OSError, RuntimeError) as error:
                vanished += 1
                if not _is_gone(error) or vanished > _MOST_VANISHED:
                    self._on_loop(partial(self._fail, error))
                    return

    def _watch_once(self) -> None:
        """Watch the present folders until others are to be watched."""
        self._git_folders = [str(folder) for folder in git.state_folders(self.root)]
        events = watchfiles.watch(
            *self._paths(),
            watch_filter=None,
            debounce=_LATEST_MS,
            step=_QUIET_MS,
            stop_event=self._stop,
            rust_timeout=_QUIET_MS,
            yield_on_timeout=True,
            raise_interrupt=False,
            recursive=_IS_RECURSIVE,
            # Set, it would hide that the system has no more watches.
            ignore_permission_denied=False,
            force_polling=False,
        )
        try:
            is_first = True
            for batch in events:
                if is_first and self._in_place():
                    return
                is_first = False
                if batch and self._take(batch):
                    return
        finally:
            events.close()

    def _in_place(self) -> bool:
        """Take note that events are waited for, and return whether more folders are to be watched."""
        fresh = self._worth_watching([*self._appeared]) - self._folders
        self._folders |= fresh
        self._appeared |= fresh
        if fresh:
            return True
        if self._is_renewed:
            # Whatever happened while other folders were watched is seen by looking.
            self._on_loop(lambda: self._told(self, None))
        self._is_renewed = True
        self._on_loop(self._set_ready)
        return False

    def _paths(self) -> list[str]:
        folders = [""] if _IS_RECURSIVE else self._folders
        places = (os.path.join(self.root, folder) for folder in folders)  # noqa: PTH118 - joining Paths costs more than all the rest
        return [place for place in [*places, *self._git_folders] if _can_watch(place)]

    def _take(self, batch: Iterable[tuple[Change, str]]) -> bool:
        """Tell of a batch of events, and return whether other folders are to be watched now."""
        paths: set[str] | None = set()
        appeared: list[str] = []
        is_outdated = False
        for change, place in batch:
            relative = self._relative(place)
            if relative is None:
                continue
            if relative == "":
                paths = None
            elif paths is not None:
                paths.add(relative)
            if change is Change.added and Path(place).is_dir() and not is_link(Path(place)):
                appeared.append(relative)
            is_outdated |= relative in self._folders and change is not Change.modified
        if paths or paths is None:
            hints = None if paths is None else frozenset(paths)
            self._on_loop(lambda: self._told(self, hints))
        fresh = self._worth_watching(appeared) - self._folders
        self._folders |= fresh
        self._appeared |= fresh
        return not _IS_RECURSIVE and (bool(fresh) or is_outdated)

    def _relative(self, place: str) -> str | None:
        """Return the path of an event in the root, `""` for something that concerns all of it.

        None for what concerns nobody.
        """
        if place.startswith(self._own):
            return None
        folder, name = os.path.split(place)
        if folder in self._git_folders:
            return "" if name in git.STATE_FILES else None
        path = Path(place)
        relative = path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else ""
        if ".git" in relative.split("/"):
            return None
        return "" if relative == "." else relative

    def _worth_watching(self, appeared: list[str]) -> set[str]:
        """Return the folders that appeared, and those in them, that no rule keeps out of the index."""
        found: list[str] = []
        for folder in appeared:
            for place, names, _ in os.walk(self.root / folder):
                names[:] = [name for name in names if not admission.is_made_by_tools(name)]
                found.append(Path(place).relative_to(self.root).as_posix())
                if len(found) >= _MOST_FOLDERS:
                    break
        admitted = admission.admitted(self.root, [f"{folder}/x" for folder in found])
        return {path.removesuffix("/x") for path in admitted}

    def _set_ready(self) -> None:
        if not self._ready.done():
            self._ready.set_result(None)

    def _fail(self, error: Exception) -> None:
        if self._ready.done():
            self._lost(self, error)
        else:
            self._ready.set_exception(error)

    def _on_loop(self, call: Callable[[], Any]) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody wants to know
            self._loop.call_soon_threadsafe(call)


def _can_watch(place: str) -> bool:
    return os.path.isdir(place) and os.access(place, os.R_OK)  # noqa: PTH112 - as above


def _is_gone(error: Exception) -> bool:
    """Tell whether a folder vanished, or was closed, between the look at it and the watch."""
    return isinstance(error, FileNotFoundError | PermissionError)


def _reason(error: Exception) -> str:
    code = getattr(error, "errno", None)
    text = str(error).lower()
    if code in {24, 28} or "too many open files" in text or "limit" in text or "no space" in text:
        return (
            "the system has no more file watches; raise fs.inotify.max_user_watches"
            " and fs.inotify.max_user_instances"
        )
    return "the system does not watch it"
