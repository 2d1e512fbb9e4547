"""The background task that keeps the open folders in line with their files.

What the file system, the editor or a person says of a change is a hint to look; what is true is seen
by looking. A folder that another process keeps in line is left to it for as long as it does.
"""

from __future__ import annotations

import asyncio
import logging
import os
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple, Protocol

from hunch.errors import HunchError, RefusedFolder
from hunch.sources import folder, git
from hunch.store import sources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from hunch.config import Settings
    from hunch.indexing.reconcile import Changes, Reconciler
    from hunch.model import Source
    from hunch.sources.watch import Watcher
    from hunch.store.database import Database
    from hunch.store.leases import Leases

log = logging.getLogger(__name__)

_RETRY = (2.0, 30.0)
"""Seconds before a look that failed is tried again: doubled from the first to the last."""
_MOST_HINTS = 200
"""Above so many changed files, walking the folder is as cheap as looking at each of them."""


class Tell(Protocol):
    """Who wants to know how looking goes."""

    def started(self) -> None:
        """Take note that a look has begun."""
        ...

    def found(self, files: int) -> None:
        """Take note of so many files that are to be read."""
        ...

    def written(self, files: int, current: str) -> None:
        """Take note that so many files are in the index, the last of them `current`."""
        ...

    def looked(self) -> None:
        """Take note that a look has come to its end, or is left to another process."""
        ...

    def moved(self) -> None:
        """Take note that anything else has changed."""
        ...

    async def forced(self, source: Source) -> None:
        """Make everything of a source be embedded again."""
        ...

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds; asked again at every move."""
        ...


class Wish(NamedTuple):
    """What is wanted of one look."""

    hints: set[str] | None
    """The paths that may have changed; None when anything may have."""
    force: bool
    """Whether to read and embed every file again."""
    ask: bool
    """Whether to ask another process to look, if it keeps the folder in line."""


@dataclass(eq=False)
class OpenFolder:
    """One open folder and what is known of it."""

    root: Path
    source: Source | None = None
    wanted: bool = False
    """Whether to look at it."""
    force: bool = False
    """Whether to read and embed every file again then."""
    hints: set[str] | None = field(default_factory=set[str])
    """The paths that may have changed; None when anything may have."""
    ask: bool = False
    """Whether to ask another process to look, if it keeps the folder in line."""
    is_asking: bool = False
    """Whether another process was asked and has not answered yet."""
    is_asked: bool = False
    """Whether another process waits for the look that is wanted."""
    is_ours: bool | None = None
    """Whether this process keeps it in line; None before that was tried."""
    message: str = ""
    failure: str = ""
    """Why the last look came to nothing."""
    retry: float = _RETRY[0]
    watched: frozenset[str] = frozenset()
    """The folders in it that are watched, relative to it."""
    remote: str = ""
    """The name of the repository's remote, if it has one."""
    marks: object = None
    """What git's own files were like before the last walk; None if there was none."""

    def want(self, hints: Iterable[str] | None, *, force: bool = False, ask: bool = False) -> None:
        """Have it looked at, at some paths or (None) at all of it."""
        if not self.wanted:
            self.hints = set()
        self.wanted = True
        self.force |= force
        self.ask |= ask
        if hints is None or force or self.hints is None:
            self.hints = None
        else:
            self.hints.update(hints)

    def take(self) -> Wish:
        """Return what is wanted, and want nothing any more."""
        taken = Wish(self.hints, self.force, self.ask)
        self.wanted, self.force, self.ask, self.hints = False, False, False, set()
        return taken


class LookWork:
    """Looks at folders, one after the other; what it finds wrong becomes part of their state."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        reconciler: Reconciler,
        leases: Leases,
        *,
        running: asyncio.Event,
        tell: Tell,
    ) -> None:
        """Prepare the task.

        Args:
            settings: the size limit is taken from them; may be replaced at any time.
            database: where the index is.
            reconciler: does the looking.
            leases: of this process.
            running: while it is not set, no look is started and none goes on.
            tell: who wants to know how it goes.
        """
        self.settings = settings
        self.folders: dict[Path, OpenFolder] = {}
        self.current: OpenFolder | None = None
        """The folder that is being looked at."""
        self.watcher: Watcher | None = None
        """Watches the folders that are ours; None when nobody here does."""
        self.is_client_watching = False
        """Whether the client tells of every change in its folders."""
        self.is_stopping = False
        self._database = database
        self._reconciler = reconciler
        self._leases = leases
        self._running = running
        self._tell = tell
        self._wanted = asyncio.Event()
        self._closed: list[Path] = []

    def open(self, root: Path) -> OpenFolder:
        """Take in a folder that was opened; it is looked at when that is wanted."""
        return self.folders.setdefault(root, OpenFolder(root))

    def close(self, root: Path) -> None:
        """Leave a folder alone from now on, so that another process may take it."""
        if self.folders.pop(root, None):
            self._closed.append(root)
            self._wanted.set()
        self._tell.moved()

    def want(
        self,
        root: Path,
        hints: Iterable[str] | None = None,
        *,
        force: bool = False,
        ask: bool = False,
    ) -> None:
        """Have an open folder looked at soon, at some paths in it or at all of it.

        Args:
            root: of the folder; one that is not open is passed over.
            hints: the paths that may have changed, relative to it; None when anything may have.
            force: read and embed every file again.
            ask: if another process keeps it in line, ask that one, and wait until it has looked.
        """
        opened = self.folders.get(root)
        if opened is not None:
            opened.want(hints, force=force, ask=ask)
            self._wanted.set()
            self._tell.moved()

    def forget_index(self) -> None:
        """Take note that nothing is known any more of what the index holds; asks for no look."""
        for opened in self._open():
            opened.source, opened.marks = None, None
            opened.is_asking = opened.is_asked = False

    @property
    def has_work(self) -> bool:
        """Whether a look is wanted or under way."""
        return self.current is not None or any(f.wanted or f.is_asking for f in self._open())

    async def loop(self) -> None:
        """Work until cancelled."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            while wanted := self._next():
                await self._running.wait()
                self.current = wanted
                try:
                    await self._try(wanted, wanted.take())
                finally:
                    self.current = None
                    self._tell.moved()
            await self._let_go()

    def _open(self) -> list[OpenFolder]:
        return [*self.folders.values()]

    def _next(self) -> OpenFolder | None:
        return next((opened for opened in self._open() if opened.wanted), None)

    async def _let_go(self) -> None:
        """Give up what this process has of folders that were closed."""
        while self._closed:
            root = self._closed.pop()
            if root not in self.folders:
                if self.watcher:
                    await self.watcher.unwatch(root)
                await asyncio.to_thread(self._leases.give_back, lease_of(root))

    async def tick(self) -> None:
        """Take over what nobody keeps in line any more, and do what others ask for."""
        asking = {opened for opened in self._open() if opened.is_asking}
        asked = await self._database.read(sources.asked_looks)
        for opened in self._open():
            if opened.source is None:
                continue
            level = asked.get(opened.source.id, 0)
            if opened.is_ours and level in {sources.WANTED, sources.FORCED}:
                await self._database.maintain(sources.accept_look, opened.source.id)
                opened.is_asked = True
                self.want(opened.root, force=level == sources.FORCED)
            elif opened.is_ours is False and await self._take(opened):
                self.want(opened.root)
            elif opened in asking and not level:
                opened.is_asking = False
                self._tell.moved()

    @property
    def failure(self) -> str:
        """Why the last look at some folder came to nothing; else empty."""
        return next((f.failure for f in self.folders.values() if f.failure), "")

    def messages(self) -> dict[Path, str]:
        """Return a sentence or two about each folder of which there is something to say."""
        told = {f.root: [f.message] for f in self.folders.values()}
        if self.watcher:
            for root, sentences in told.items():
                sentences.append(self.watcher.message(root))
        return {root: " ".join(filter(None, sentences)) for root, sentences in told.items()}

    def keepers(self) -> list[int | None]:
        """Return the process ids of others that keep open folders in line; None for an unknown one."""
        followed = (f for f in self.folders.values() if f.is_ours is False)
        return [self._leases.holder(lease_of(opened.root)) for opened in followed]

    async def _take(self, opened: OpenFolder) -> bool:
        opened.is_ours = await asyncio.to_thread(self._leases.take, lease_of(opened.root))
        if not self._is_open(opened):  # closed while it was being leased
            self._closed.append(opened.root)
            self._wanted.set()
        return opened.is_ours

    async def _try(self, opened: OpenFolder, wish: Wish) -> None:
        try:
            await self._look(opened, wish)
            opened.failure, opened.retry = "", _RETRY[0]
        except folder.Stopped:
            log.debug("a look at a folder was ended")
        except RefusedFolder as error:
            opened.message = str(error)
            opened.watched, opened.marks = frozenset(), None
            self._later(opened, wish, _RETRY[1])
        except HunchError as error:
            opened.failure = str(error)
            self._later(opened, wish, opened.retry)
            opened.retry = min(opened.retry * 2, _RETRY[1])
        except Exception:
            log.exception("a folder could not be indexed")
            opened.failure = (
                "A folder could not be indexed because of a fault in Hunch; see the log."
            )

    def _later(self, opened: OpenFolder, wish: Wish, seconds: float) -> None:
        def again() -> None:
            if self._is_open(opened) and not self.is_stopping:
                self.want(opened.root, wish.hints, force=wish.force)

        asyncio.get_running_loop().call_later(seconds, again)

    async def _look(self, opened: OpenFolder, wish: Wish) -> None:
        source = opened.source = opened.source or await self._source_of(opened.root)
        if not await self._take(opened):
            if wish.ask:
                level = sources.FORCED if wish.force else sources.WANTED
                await self._database.maintain(sources.ask_look, source.id, level)
                opened.is_asking = True
            self._tell.looked()
            return
        opened.is_asking = False
        self._tell.started()
        if wish.force:
            await self._tell.forced(source)
        changes = None if wish.force else await self._peek(opened, source, wish.hints)
        if changes is None:
            changes = await self._walk(opened, source, force=wish.force)
        opened.message = " ".join(changes.warnings)
        self._tell.found(len(changes.changed))
        await self._reconciler.apply(
            source,
            changes,
            self.settings,
            may_go_on=lambda: self._may_go_on(opened),
            written=self._tell.written,
        )
        if opened.is_asked:
            opened.is_asked = False
            await self._database.maintain(sources.finish_asked, source.id)
        self._tell.looked()

    async def _peek(
        self, opened: OpenFolder, source: Source, hints: set[str] | None
    ) -> Changes | None:
        """Look at some files only, if nothing but them can have changed; else return None."""
        is_watched = self.is_client_watching or (
            self.watcher is not None and self.watcher.is_alive(opened.root)
        )
        if opened.marks is None or not is_watched or hints is None:
            return None
        if len(hints) > _MOST_HINTS or any(map(folder.is_rule, hints)):
            return None
        if await asyncio.to_thread(folder.marks, opened.root) != opened.marks:
            return None
        return await self._reconciler.peek(source, hints, self.settings)

    async def _walk(self, opened: OpenFolder, source: Source, *, force: bool) -> Changes:
        changes = await self._look_at(opened, source, force=force)
        if changes.folders != opened.watched:
            opened.watched = changes.folders
            if self.watcher and await self.watcher.watch(opened.root, changes.folders):
                # What changed before the watch was in place is seen now.
                changes = await self._look_at(opened, source, force=force)
        return changes

    async def _look_at(self, opened: OpenFolder, source: Source, *, force: bool) -> Changes:
        opened.marks = await asyncio.to_thread(folder.marks, opened.root)
        opened.remote = await asyncio.to_thread(git.remote_of, opened.root)
        return await self._reconciler.look(
            source,
            self.settings,
            force=force,
            should_stop=lambda: self.is_stopping or not self._is_open(opened),
        )

    async def _source_of(self, root: Path) -> Source:
        known = await self._database.read(sources.list_sources)
        found = next((source for source, _ in known if source.root == root), None)
        return found or await self._database.write(
            sources.ensure_source, "workspace", root, root.name or str(root)
        )

    async def _may_go_on(self, opened: OpenFolder) -> bool:
        """Wait while work is paused, then tell whether the folder is still open."""
        if not self._running.is_set():
            await self._tell.until(lambda: self._running.is_set() or not self._is_open(opened))
        return self._is_open(opened)

    def _is_open(self, opened: OpenFolder) -> bool:
        return self.folders.get(opened.root) is opened


def lease_of(root: Path) -> str:
    """Return the name of the work of keeping a folder in line."""
    return f"folder-{blake2b(os.fsencode(root), digest_size=8).hexdigest()}"
