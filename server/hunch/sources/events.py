"""The system's file events below one root, as hints where to look.

Watched are folders one by one, so that build output and installed packages cost nothing; folders
that appear are added as they come. The library that listens cannot add to what it watches, so it is
started again then; what happened in between is covered by a hint that anything may have changed.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from errno import EMFILE, ENOSPC
from functools import partial
from typing import TYPE_CHECKING, Any

import watchfiles
from watchfiles import Change

from hunch.sources import git
from hunch.sources.admission import unlisted_folders
from hunch.sources.paths import exists

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

log = logging.getLogger(__name__)

_QUIET_MS, _LATEST_MS = 100, 1_000
"""A burst of events is told after so long without another, and no later than that after the first."""
IS_RECURSIVE = sys.platform in ("darwin", "win32")
"""Whether the system watches whole trees at the price of one folder."""
_MOST_PATHS = 1_000
"""Above so many paths at once the system may have dropped events, so that anything may have changed."""
_MOST_FAULTS, _FAULT_SECONDS = 10, 30.0
"""So many faults in so short a time are too many to start listening again."""
_RULES = frozenset({".gitignore", ".hunchignore", "exclude"})
"""Names of files that say which others are to be left out."""
_ROOT_CHECKS = 20
"""Quiet moments between two checks that the root is still the folder that is watched."""


class Events:
    """A thread that listens for what happens in some folders of a root. Made on the event loop."""

    def __init__(
        self,
        root: Path,
        folders: AbstractSet[str],
        own: tuple[str, ...],
        *,
        is_recursive: bool,
        tell: Callable[[Events, frozenset[str] | None], object],
        lost: Callable[[Events, Exception], object],
    ) -> None:
        """Prepare; nothing is watched yet.

        Args:
            root: a real path.
            folders: relative to it, with forward slashes; `""` is the root itself.
            own: prefixes of real paths of which nothing is told.
            is_recursive: watch the whole tree and choose from what is told of it.
            tell: called on the loop with paths relative to the root, or None for all of it.
            lost: called on the loop when listening ended by itself after `start` had returned.
        """
        self.root = root
        self._given = frozenset(folders)
        self._folders = frozenset(folders) | {""}
        self._own = own
        self._is_recursive = is_recursive
        self._tell, self._lost = tell, lost
        self._base = os.path.join(root, "")  # noqa: PTH118 - ends with a separator
        self._rule_files: frozenset[str] = frozenset()
        self._settled_at = time.monotonic()
        self._faults: deque[float] = deque(maxlen=_MOST_FAULTS)
        self._loop = asyncio.get_running_loop()
        self._ready: asyncio.Future[None] = self._loop.create_future()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hunch-watch", daemon=True)

    async def start(self) -> None:
        """Return when events are being waited for.

        Raises:
            OSError, RuntimeError: the system does not watch, or there is no such folder.
        """
        self._thread.start()
        try:
            await self._ready
        except BaseException:
            await asyncio.shield(self.stop())
            raise

    async def stop(self) -> None:
        """End the thread."""
        self._stop.set()
        await asyncio.to_thread(self._thread.join)

    def covers(self, folders: AbstractSet[str]) -> bool:
        """Tell whether exactly these folders, and such as git does not list, are watched; may block."""
        dropped = self._given - folders
        if folders <= self._folders and not any(exists(self.root / each) for each in dropped):
            self._given = frozenset(folders)
            return True
        return False

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._listen()
            except Exception as error:  # the thread must not end without saying so
                log.debug("listening for file events failed", exc_info=True)
                if self._is_final(error):
                    self._on_loop(partial(self._fail, error))
                    return

    def _is_final(self, error: Exception) -> bool:
        """Tell whether listening again would be of no use."""
        if is_exhausted(error) or not isinstance(error, OSError | RuntimeError):
            return True
        self._faults.append(time.monotonic())
        is_often = len(self._faults) == self._faults.maxlen
        is_soon = self._faults[-1] - self._faults[0] < _FAULT_SECONDS
        return (is_often and is_soon) or not os.path.isdir(self.root)  # noqa: PTH112 - Path.is_dir may raise

    def _listen(self) -> None:
        """Watch the present folders until others are to be watched."""
        root_id = _identity(self.root)
        if not self._ready.done():
            self._add_unlisted(self._folders)
        self._rule_files = self._find_rule_files()
        places = self._places()
        if str(self.root) not in places:
            raise PermissionError("the root cannot be read")
        events = _watch(places, self._stop, is_recursive=self._is_recursive)
        quiet = 0
        try:
            for number, batch in enumerate(events):
                if number == 0 and not self._is_settled(places):
                    return
                quiet = 0 if batch else quiet + 1
                if batch and self._take(batch):
                    return
                if quiet % _ROOT_CHECKS == _ROOT_CHECKS - 1 and _identity(self.root) != root_id:
                    return
        finally:
            events.close()

    def _is_settled(self, places: Sequence[str]) -> bool:
        """Take note that events are waited for; tell whether they are in all folders there are."""
        came, watched = self._add_unlisted(self._folders), {*places}
        settled = self._is_recursive or (not came and watched.issuperset(self._places()))
        # While folders keep coming, somebody must look at what is in them all the same.
        if settled or time.monotonic() - self._settled_at > _LATEST_MS / 1_000:
            self._settled_at = time.monotonic()
            if self._ready.done():
                # Whatever happened while other folders were watched is seen by looking.
                self._on_loop(partial(self._tell, self, None))
            self._on_loop(self._set_ready)
        return settled

    def _add_unlisted(self, below: AbstractSet[str]) -> bool:
        """Take in the folders below some that no scan has listed; tell whether there were any."""
        found = unlisted_folders(self.root, below, self._folders)
        self._folders |= found
        return bool(found)

    def _find_rule_files(self) -> frozenset[str]:
        """Return the files of git's that decide about the root and the repositories in it."""
        nested = {self.root / folder for folder in self._folders if folder}
        repositories = [self.root, *(place for place in nested if exists(place / ".git"))]
        return frozenset(str(file) for place in repositories for file in git.rule_files(place))

    def _places(self) -> list[str]:
        """Return the folders to watch, as far as that is possible at the moment."""
        places = {os.path.dirname(file) for file in self._rule_files}  # noqa: PTH120 - Paths cost more than all the rest
        if self._is_recursive:
            places = {place for place in places if not self._base.startswith(f"{place}{os.sep}")}
            places = {place for place in places if not place.startswith(self._base)}
            places.add(str(self.root))
        else:
            places.update(
                f"{self._base}{each}" if each else str(self.root) for each in self._folders
            )
        return [place for place in places if _can_watch(place)]

    def _take(self, batch: Iterable[tuple[Change, str]]) -> bool:
        """Tell of a batch of events, and return whether other folders are to be watched now."""
        paths, parents = set[str](), set[str]()
        watched = self._folders - {""} | {str(self.root)}
        is_outdated = False
        for change, place in batch:
            path = self._concern(change, place)
            if path is None:
                continue
            paths.add(path)
            name = os.path.basename(place)  # noqa: PTH119 - as above
            if change is Change.added and os.path.isdir(place):  # noqa: PTH112 - as above
                parents.add(path.rpartition("/")[0])
            if name in _RULES:
                self._folders = self._given | {""}
                is_outdated = True
            elif change is not Change.modified:
                is_outdated |= name == ".git" or (path or place) in watched
        if paths:
            hints = None if "" in paths or len(paths) > _MOST_PATHS else frozenset(paths)
            self._on_loop(partial(self._tell, self, hints))
        return self._add_unlisted(parents) or is_outdated

    def _concern(self, change: Change, place: str) -> str | None:
        """Return the path of an event in the root, `""` for something that concerns all of it.

        None for what concerns nobody.
        """
        if place.startswith(self._own):
            return None
        if place in self._rule_files or place == str(self.root):
            return ""
        if not place.startswith(self._base):
            return None
        path = place.removeprefix(self._base).replace(os.sep, "/")
        above, _, name = f"/{path}".rpartition("/")
        if "/.git" in above and ".git" in above.split("/"):
            return None
        if name == ".git":
            return None if change is Change.modified else ""
        # Where whole trees are watched, most of what is told is build output.
        return path if above.removeprefix("/") in self._folders else None

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


def is_exhausted(error: Exception) -> bool:
    """Tell whether the system has no more watches to give."""
    text = str(error).lower()
    return getattr(error, "errno", None) in {EMFILE, ENOSPC} or any(
        words in text for words in ("too many open files", "watch limit", "no space")
    )


def _watch(
    places: Sequence[str], stop: threading.Event, *, is_recursive: bool
) -> Generator[set[tuple[Change, str]]]:
    """Yield batches of events, and empty ones while it is quiet; the first when all is in place."""
    return watchfiles.watch(
        *places,
        watch_filter=None,
        debounce=_LATEST_MS,
        step=_QUIET_MS,
        stop_event=stop,
        rust_timeout=_QUIET_MS,
        yield_on_timeout=True,
        raise_interrupt=False,
        recursive=is_recursive,
        # Set, it would hide that the system has no more watches.
        ignore_permission_denied=False,
        force_polling=False,
    )


def _identity(root: Path) -> tuple[int, int]:
    status = root.stat()
    return status.st_dev, status.st_ino


def _can_watch(place: str) -> bool:
    """Tell whether there is a folder that may be read, and whose name the library can take."""
    try:
        place.encode()
    except UnicodeEncodeError:
        return False
    return os.path.isdir(place) and os.access(place, os.R_OK)  # noqa: PTH112 - as above
