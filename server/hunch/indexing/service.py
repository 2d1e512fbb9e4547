"""The one door to indexing: which folders are open, what is being done, how far it is.

Two background tasks share the work. One looks at folders, one after the other, and writes what
changed; the other embeds what has been written. Whatever they find wrong becomes part of the
state, never an exception that ends them.
"""

from __future__ import annotations

import asyncio
import logging
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

from hunch.errors import HunchError, RefusedFolder
from hunch.indexing.embed_work import RETRY_SECONDS, EmbedWork
from hunch.indexing.open_documents import OpenDocuments
from hunch.indexing.planner import Planner
from hunch.indexing.progress import Meter
from hunch.indexing.reconcile import Reconciler
from hunch.indexing.state import Totals, count, describe
from hunch.model import Problem
from hunch.sources import folder
from hunch.store import sources, vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from hunch.config import Settings
    from hunch.embedding.active import ActiveEmbedder
    from hunch.model import IndexState, Source
    from hunch.ranking.terms import Terms
    from hunch.store.database import Database
    from hunch.store.snapshot import Snapshots

log = logging.getLogger(__name__)

_CANCELS, _CANCEL_SECONDS = 5, 1.0
"""How often a task is told to end, and how many seconds it has each time."""
_NOTIFY_EVERY = 0.2
"""Seconds between two notifications of the same run."""


class IndexService:
    """Keeps the index in line with the open folders. All methods are called on the event loop."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        snapshots: Snapshots,
        embedder: ActiveEmbedder,
        terms: Terms,
        *,
        retry_seconds: tuple[float, float] = RETRY_SECONDS,
    ) -> None:
        self._settings = settings
        self._database = database
        self._snapshots = snapshots
        self._embedder = embedder
        self._pool = ThreadPoolExecutor(min(2, os.cpu_count() or 1), "hunch-compute")
        self._planner = Planner(terms)
        self._reconciler = Reconciler(database, self._pool, self._planner)
        self._open: dict[Path, Source | None] = {}
        self._queue: dict[Path, bool] = {}
        self._messages: dict[Path, str] = {}
        self._failure = ""
        self._meter: Meter | None = None
        self._totals: Totals | None = None
        self._touches = 0
        self._looking_at: Path | None = None
        self._drop_wanted = False
        self._running = asyncio.Event()
        self._running.set()
        self._look_wanted = asyncio.Event()
        self._changed = asyncio.Event()
        self._moved = asyncio.Event()
        self._subscribers: list[Callable[[IndexState], None]] = []
        self._stopping = False
        self._tasks: list[asyncio.Task[None]] = []
        self.open_documents = OpenDocuments(
            settings,
            database,
            embedder,
            planner=self._planner,
            roots=self._open.keys(),
            running=self._running,
        )
        self._embed_work = EmbedWork(
            database,
            embedder,
            running=self._running,
            retry_seconds=retry_seconds,
            recall=self.open_documents.recall,
            embedded=self._embedded,
            moved=self._touch,
        )

    def start(self) -> None:
        """Start the background tasks."""
        shown = self.open_documents
        loops = self._look_loop, self._embed_work.loop, self._notify_loop
        for work in (*loops, shown.loop, shown.embed_loop):
            self._tasks.append(asyncio.create_task(work(), name=f"hunch {work.__qualname__}"))

    async def aclose(self) -> None:
        """Stop all work; what was written stays."""
        self._stopping = True
        for _ in range(_CANCELS):
            # Asked again, since a library that catches too much can swallow one cancellation.
            for task in self._tasks:
                task.cancel()
            ended = asyncio.gather(*self._tasks, return_exceptions=True)
            with suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(ended), _CANCEL_SECONDS)
                break
        await asyncio.to_thread(self._planner.close)  # or the pool would wait for a slow parser
        await asyncio.to_thread(self._pool.shutdown, cancel_futures=True)

    # What is wanted

    def open_folder(self, root: Path, *, allow_wide: bool = False, look: bool = True) -> None:
        """Make a folder a source and look at it soon.

        Args:
            root: the folder.
            allow_wide: take it even if it is a home directory or a file-system root.
            look: when not set, what was indexed of it before counts and is left as it is.

        Raises:
            RefusedFolder: it is a home directory or a file-system root, and `allow_wide` is not set.
        """
        root = folder.real_root(root)
        if not allow_wide:
            folder.refuse_wide(root)
        self._open.setdefault(root, None)
        if look:
            self.request([root])

    def close_folder(self, root: Path) -> None:
        """Leave a folder alone from now on; its index stays for searches of `everywhere`."""
        root = folder.real_root(root)
        self._open.pop(root, None)
        self._queue.pop(root, None)
        self._messages.pop(root, None)
        self._touch()

    def request(self, roots: Sequence[Path] = (), *, force: bool = False) -> None:
        """Look at some of the open folders soon, or at all of them.

        Args:
            roots: which; those that are not open are passed over.
            force: read and embed every file again, not only what changed.
        """
        for root in map(folder.real_root, roots) if roots else [*self._open]:
            if root in self._open:
                self._queue[root] = force or self._queue.get(root, False)
        self._drop_wanted |= force
        self._look_wanted.set()
        self._touch()

    def pause(self) -> None:
        """Start no further batch until `resume`."""
        self._running.clear()
        self._touch()

    def resume(self) -> None:
        """Go on after `pause`."""
        self._running.set()
        self._touch()

    async def reconfigure(self, settings: Settings) -> None:
        """Take other settings, and do what follows from them."""
        if settings == self._settings:
            return
        self._settings = settings
        await self._embedder.reset(settings)
        self._embed_work.reconfigure()
        self.open_documents.reconfigure(settings)
        self.request()

    async def forget(self, root: Path) -> bool:
        """Delete a folder's index; tells whether there was one."""
        root = folder.real_root(root)
        self.close_folder(root)
        await self._until(lambda: self._looking_at != root)
        known = await self._database.read(sources.list_sources)
        found = next((source for source, _ in known if source.root == root), None)
        if found is None:
            return False
        await self._database.write(sources.forget, found.id)
        return True

    # What there is

    def subscribe(self, callback: Callable[[IndexState], None]) -> Callable[[], None]:
        """Have every change of the state told, on the event loop, at most five times a second.

        Returns:
            A function that ends it.
        """
        self._subscribers.append(callback)
        return lambda: self._subscribers.remove(callback)

    @property
    def busy(self) -> bool:
        """Whether the index is about to change by itself."""
        return not self.settled

    @property
    def settled(self) -> bool:
        """Whether nothing more will happen without somebody's doing."""
        if not self._running.is_set():
            return True
        if self._queue or self._looking_at:
            return False
        return self._embed_work.waiting or not self._has_work

    @property
    def _has_work(self) -> bool:
        """Whether something is left to do, possible at the moment or not."""
        return bool(self._queue or self._looking_at) or self._embed_work.has_work

    async def until_settled(self) -> IndexState:
        """Wait until `settled`, and return the state then."""
        await self._until(lambda: self.settled)
        return await self.state()

    async def _until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            self._moved.clear()
            await self._moved.wait()

    async def sources(self) -> list[Source]:
        """List every folder that has an index here, open or not, oldest first."""
        return [source for source, _ in await self._database.read(sources.list_sources)]

    async def state(self) -> IndexState:
        """Describe the index as it is."""
        touches, totals = self._touches, await self._count()
        while not self.busy and touches != self._touches:
            # Work ended while it was counted: "ready" must not be told with the counts from before.
            touches, totals = self._touches, await self._count()
        if self._meter and totals.snapshot.fingerprint:
            self._meter.set_pending(totals.counts.pending)
        return describe(
            self._database,
            totals,
            self._embedder.state(),
            messages=self._messages,
            failure=self._failure or self._embed_work.failure,
            paused=not self._running.is_set(),
            progress=self._meter.progress() if self._meter and self.busy else None,
            working=self._has_work,
        )

    async def _count(self) -> Totals:
        snapshot = await self._snapshots.get(self._embedder.fingerprint, busy=self.busy)
        roots = frozenset(self._open)
        held = self._totals
        if held is None or held.snapshot is not snapshot or held.roots != roots:
            held = self._totals = await count(self._database, snapshot, roots)
        return held

    async def problems(self) -> list[tuple[Source, Problem]]:
        """List what is not, or not wholly, in the index of the open folders."""
        known = {source.id: source for source, _ in await self._database.read(sources.list_sources)}
        wanted = [i for i, source in known.items() if source.root in self._open]
        found = await self._database.read(sources.list_problems, wanted)
        failed = [
            (source_id, Problem(path, f"not embedded: {reason}", "failed"))
            for source_id, path, reason in await self._failures()
            if source_id in wanted
        ]
        return [(known[source_id], problem) for source_id, problem in (*found, *failed)]

    async def _failures(self) -> list[tuple[int, str, str]]:
        snapshot = await self._snapshots.get(self._embedder.fingerprint, busy=self.busy)
        if snapshot.vectors is None:
            return []
        return await self._database.read(vectors.failures, snapshot.vectors.embedder_id)

    # Work

    async def _look_loop(self) -> None:
        while True:
            await self._look_wanted.wait()
            self._look_wanted.clear()
            while self._queue:
                if not self._running.is_set():
                    await self._running.wait()
                    continue
                root, force = next(iter(self._queue.items()))
                self._looking_at = root
                del self._queue[root]
                try:
                    await self._look(root, force=force)
                    self._failure = ""
                except folder.Stopped:
                    log.debug("a look at a folder was ended")
                except RefusedFolder as error:
                    self._messages[root] = str(error)
                except HunchError as error:
                    self._failure = str(error)
                except Exception:
                    log.exception("a folder could not be indexed")
                    self._failure = (
                        "A folder could not be indexed because of a fault in Hunch; see the log."
                    )
                finally:
                    self._looking_at = None
                    self._touch()

    async def _look(self, root: Path, *, force: bool) -> None:
        source = await self._source_of(root)
        if root not in self._open:
            return
        self._open[root] = source
        self._meter = self._meter or Meter()
        self._touch()
        if self._drop_wanted:
            self._drop_wanted = False
            await self._embed_work.drop_vectors()
        changes = await self._reconciler.look(
            source,
            self._settings,
            force=force,
            should_stop=lambda: self._stopping or root not in self._open,
        )
        if root not in self._open:
            return
        self._messages[root] = " ".join(changes.warnings)
        self._meter.add_files(len(changes.changed))
        await self._reconciler.apply(
            source,
            changes,
            self._settings,
            may_go_on=lambda: self._may_go_on(root),
            written=self._written,
        )
        self._embed_work.want()

    async def _source_of(self, root: Path) -> Source:
        known = next((source for source in await self.sources() if source.root == root), None)
        return known or await self._database.write(
            sources.ensure_source, "workspace", root, root.name or str(root)
        )

    async def _may_go_on(self, root: Path) -> bool:
        """Wait while work is paused, then tell whether the folder is still open."""
        await self._until(lambda: self._running.is_set() or root not in self._open)
        return root in self._open

    def _written(self, files: int, current: str) -> None:
        if self._meter:
            self._meter.cut(files, current)
        self._embed_work.want()
        self.open_documents.recheck()
        self._touch()

    def _embedded(self, count: int) -> None:
        if self._meter:
            self._meter.embedded(count)
        self._touch()

    def _touch(self) -> None:
        if not self._has_work:
            self._meter = None
        self._touches += 1
        self._changed.set()
        self._moved.set()

    async def _notify_loop(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            try:
                state = await self.state()
            except HunchError as error:
                log.warning("the state cannot be told: %s", type(error).__name__)
                continue
            for callback in [*self._subscribers]:
                callback(state)
            await asyncio.sleep(_NOTIFY_EVERY)
