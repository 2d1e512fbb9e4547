"""The one door to indexing: what is open, what is being done, how far it is.

Background tasks share the work: one looks at folders, one reads conversations, one embeds what both
have written, two keep open documents, and one keeps an eye on what other processes do to the same
index. Whatever they find wrong becomes part of the state, never an exception that ends them. The
file is long because it is the door: nearly every method only hands on to the part that does the work.
"""

from __future__ import annotations

import asyncio
import logging
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from hunch.errors import HunchError
from hunch.indexing.conversations import ConversationWork
from hunch.indexing.embed_work import RETRY_SECONDS, EmbedWork
from hunch.indexing.looking import LookWork
from hunch.indexing.open_documents import OpenDocuments
from hunch.indexing.planner import Planner
from hunch.indexing.progress import Meter
from hunch.indexing.reconcile import Reconciler
from hunch.indexing.report import Report
from hunch.indexing.state import Work, describe
from hunch.indexing.tasks import Tasks
from hunch.sources import folder
from hunch.sources.watch import Watcher
from hunch.store import conversations, sources
from hunch.store.database import generation
from hunch.store.leases import Leases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from hunch.config import Settings
    from hunch.embedding.active import ActiveEmbedder
    from hunch.indexing.state import Totals
    from hunch.model import IndexState, Problem, Source
    from hunch.ranking.terms import Terms
    from hunch.sources.conversations.places import Places
    from hunch.store.database import Database
    from hunch.store.snapshot import Snapshots

log = logging.getLogger(__name__)

_NOTIFY_EVERY = 0.2
"""Seconds between two notifications of the same run."""
_TICK = 1.0
"""Seconds between two looks at what other processes do."""


class IndexService:
    """Keeps the index in line with the open folders. All methods are called on the event loop."""

    def __init__(
        self,
        settings: Settings,
        places: Places,
        database: Database,
        snapshots: Snapshots,
        embedder: ActiveEmbedder,
        terms: Terms,
        *,
        retry_seconds: tuple[float, float] = RETRY_SECONDS,
    ) -> None:
        self._settings = settings
        self._database = database
        self._embedder = embedder
        self._pool = ThreadPoolExecutor(min(2, os.cpu_count() or 1), "hunch-compute")
        self._planner = Planner(terms)
        self._leases = Leases(database.path)
        self._watcher: Watcher | None = None
        self._meter: Meter | None = None
        self._report = Report(database, snapshots, embedder)
        self._touches = 0
        self._running = asyncio.Event()
        self._running.set()
        self._changed = asyncio.Event()
        self._moved = asyncio.Event()
        self._subscribers: list[Callable[[IndexState], None]] = []
        self._tasks, self._work = Tasks(), Tasks()
        self._seen: tuple[int, int] | None = None
        self._looking = LookWork(
            settings,
            database,
            Reconciler(database, self._pool, self._planner),
            self._leases,
            running=self._running,
            tell=self,
        )
        self._conversations = ConversationWork(
            settings,
            places,
            database,
            self._leases,
            terms,
            roots=self._looking.folders.keys(),
            running=self._running,
            tell=self,
        )
        self.open_documents = OpenDocuments(
            settings,
            database,
            embedder,
            planner=self._planner,
            roots=self._looking.folders.keys(),
            running=self._running,
        )
        self._embed_work = EmbedWork(
            database,
            embedder,
            self._leases,
            running=self._running,
            retry_seconds=retry_seconds,
            recall=self.open_documents.vectors.recall,
            embedded=self._embedded,
            moved=self.moved,
        )

    def start(self) -> None:
        """Start the background tasks."""
        self._tasks.start(self._tick_loop, self._notify_loop)
        self._start_work()

    def _start_work(self) -> None:
        shown, talks = self.open_documents, self._conversations
        own = self._looking.loop, self._embed_work.loop, talks.loop, talks.clock_loop
        self._work.start(*own, shown.loop, shown.embed_loop)

    async def aclose(self) -> None:
        """Stop all work; what was written stays."""
        self._looking.is_stopping = True
        await self._tasks.end()
        await self._work.end()
        if self._watcher:
            await self._watcher.aclose()
        await asyncio.to_thread(self._planner.close)  # or the pool would wait for a slow parser
        await asyncio.to_thread(self._pool.shutdown, cancel_futures=True)
        await asyncio.to_thread(self._leases.close)

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
        self._looking.open(root)
        if look:
            self._looking.want(root)
            self._conversations.want(["aider"])

    def close_folder(self, root: Path) -> None:
        """Leave a folder alone from now on; its index stays for searches of `everywhere`."""
        self._looking.close(folder.real_root(root))

    def open_conversations(self) -> None:
        """Read what agents wrote since the last time, and go on doing so while changes are watched."""
        self._conversations.open()

    def watch(self, *, by_client: bool) -> None:
        """Notice by itself what changes, from now on.

        Args:
            by_client: leave the open folders out, since the client tells of them with `hint`.
        """
        if self._watcher is None:
            self._watcher = Watcher(self._heard, own=self._database.path)
        self._looking.is_client_watching = by_client
        self._looking.watcher = None if by_client else self._watcher
        self._conversations.watcher = self._watcher
        for root in self._looking.folders:
            self._looking.want(root)
        self._conversations.want()

    def _heard(self, root: Path, paths: frozenset[str] | None) -> None:
        if root in self._looking.folders:
            self._looking.want(root, paths)
        else:
            self._conversations.hint(root, paths)

    def hint(self, root: Path, paths: Iterable[str] | None = None) -> None:
        """Look at an open folder soon: at some paths, relative to it, that may have changed."""
        self._looking.want(folder.real_root(root), paths)

    def request(self, roots: Sequence[Path] = (), *, force: bool = False) -> None:
        """Look at some of the open folders soon, or at all of them.

        Args:
            roots: which; those that are not open are passed over.
            force: read and embed every file again, not only what changed.
        """
        for root in map(folder.real_root, roots) if roots else [*self._looking.folders]:
            self._looking.want(root, force=force, ask=True)
        if not roots:
            self._conversations.want()

    def pause(self) -> None:
        """Start no further batch until `resume`."""
        self._running.clear()
        self.moved()

    def resume(self) -> None:
        """Go on after `pause`."""
        self._running.set()
        self.moved()

    async def reconfigure(self, settings: Settings) -> None:
        """Take other settings, and do what follows from them."""
        if settings == self._settings:
            return
        self._settings = self._looking.settings = settings
        await self._embedder.reset(settings)
        self._embed_work.reconfigure()
        self.open_documents.reconfigure(settings)
        await self._conversations.reconfigure(settings)
        self.request()

    async def forget(self, root: Path) -> bool:
        """Delete a folder's index; tells whether there was one."""
        root = folder.real_root(root)
        self.close_folder(root)
        await self.until(
            lambda: self._looking.current is None or self._looking.current.root != root
        )
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
    def settings(self) -> Settings:
        """The user's settings, as they are now."""
        return self._settings

    @property
    def remotes(self) -> frozenset[str]:
        """The names of the remotes of the open folders' repositories."""
        return frozenset(f.remote for f in self._looking.folders.values() if f.remote)

    @property
    def busy(self) -> bool:
        """Whether the index is about to change by itself."""
        return not self.settled

    @property
    def settled(self) -> bool:
        """Whether nothing more will happen without somebody's doing."""
        if not self._running.is_set():
            return True
        if self._looking.has_work or self._conversations.has_work:
            return False
        return self._embed_work.waiting or not self._embed_work.has_work

    @property
    def _has_work(self) -> bool:
        """Whether something is left to do, possible at the moment or not."""
        reading = self._looking.has_work or self._conversations.has_work
        return reading or self._embed_work.has_work

    async def until_settled(self) -> IndexState:
        """Wait until `settled`, and return the state then."""
        await self.until(lambda: self.settled)
        return await self.state()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds; asked again whenever anything moves."""
        while not holds():
            self._moved.clear()
            await self._moved.wait()

    async def sources(self) -> list[Source]:
        """List every folder that has an index here, open or not, oldest first."""
        return [source for source, _ in await self._database.read(sources.list_sources)]

    async def log_folders(self) -> dict[int, str]:
        """Return the folder that the logs of each agent's source lie below, by source id."""
        return await self._database.read(conversations.log_folders)

    async def state(self) -> IndexState:
        """Describe the index as it is."""
        while True:
            touches = self._touches
            known = await self._database.read(sources.list_sources)
            keepers = await asyncio.to_thread(self._looking.keepers)
            embedding = await asyncio.to_thread(self._embed_work.others)
            totals = await self._count()
            # What ended meanwhile is counted again: "ready" must not be told with older counts.
            if self._has_work or touches == self._touches:
                break
        if self._meter and totals.snapshot.fingerprint:
            self._meter.set_pending(totals.counts.pending)
        return describe(
            self._database,
            totals,
            self._embedder.state(),
            work=Work(
                looked={source.id: looked for source, looked in known},
                messages=self._looking.messages() | self._conversations.messages(),
                failure=self._looking.failure
                or self._embed_work.failure
                or self._conversations.failure,
                is_paused=not self._running.is_set(),
                is_working=self._has_work,
                progress=self._meter.progress() if self._meter and self.busy else None,
                keepers=keepers,
                embedding=embedding,
            ),
        )

    async def _count(self) -> Totals:
        return await self._report.totals(self._looking.folders, busy=self.busy)

    async def problems(self) -> list[tuple[Source, Problem]]:
        """List what is not, or not wholly, in the index of the open folders."""
        return await self._report.problems(self._looking.folders, busy=self.busy)

    # How the work goes

    def started(self) -> None:
        """Take note that a look has begun."""
        self._meter = self._meter or Meter()
        self.moved()

    def found(self, files: int) -> None:
        """Take note of so many files that are to be read."""
        if self._meter:
            self._meter.add_files(files)

    def written(self, files: int, current: str) -> None:
        """Take note that so many files are in the index, the last of them `current`."""
        if self._meter:
            self._meter.cut(files, current)
        self.open_documents.recheck()
        self._embed_work.want()
        self.moved()

    def looked(self) -> None:
        """Take note that a look has come to its end, or is left to another process."""
        self._embed_work.want()

    async def forced(self, source: Source) -> None:
        """Make everything of a source be embedded again."""
        await self._embed_work.drop_vectors(source)

    def _embedded(self, count: int) -> None:
        if self._meter:
            self._meter.embedded(count)
        self.moved()

    def moved(self) -> None:
        """Take note that anything else has changed."""
        if not self._has_work:
            self._meter = None
        self._touches += 1
        self._changed.set()
        self._moved.set()

    async def _tick_loop(self) -> None:
        while True:
            try:
                await self._tick()
            except HunchError as error:
                log.debug("nothing is known of other processes: %s", type(error).__name__)
            except Exception:
                log.exception("other processes could not be looked at")
            await asyncio.sleep(_TICK)

    async def _tick(self) -> None:
        """Follow what other processes do to the index, and take over what they leave."""
        if await self._database.refresh():
            await self._begin_again()
        await self._looking.tick()
        await self._conversations.tick()
        await self._embed_work.tick()
        seen = self._database.epoch, await self._database.read(generation)
        if self._seen not in {None, seen} and not self._has_work:
            self.open_documents.recheck()
            self._embed_work.want()
            self.moved()
        self._seen = seen

    async def _begin_again(self) -> None:
        """Start from nothing: another file has taken the place of the index."""
        await self._work.end()
        self._looking.forget_index()
        self._conversations.forget_index()
        self.open_documents.reconfigure(self._settings)
        self._start_work()
        for root in self._looking.folders:
            self._looking.want(root)
        self._conversations.want()

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
