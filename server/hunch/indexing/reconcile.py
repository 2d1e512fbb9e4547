"""Bringing the index of one folder in line with its files.

Looking is cheap: a file whose size and time are those of its document is not opened. What changed
is read and cut in the compute pool while the batch before it is written.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from hunch.indexing.planning import CHUNKER_VERSION
from hunch.model import FoundFile, Problem
from hunch.sources import folder
from hunch.store import documents, postings, sources

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Sequence
    from collections.abc import Set as AbstractSet
    from concurrent.futures import Executor

    from hunch.config import Settings
    from hunch.indexing.planner import Planner
    from hunch.model import Source
    from hunch.store.database import Connection, Database
    from hunch.store.documents import NewDocument, Stamp, UnreadFile

BATCH_BYTES = 400_000
"""About how much source is cut and written at once."""
_BATCH_FILES = 100
_AHEAD = 1
"""How many batches are cut while one is written."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What a look at a folder found."""

    changed: list[FoundFile]
    removed: list[str]
    """Paths of documents and unread files that are gone."""
    skipped: list[Problem]
    """Files that are passed over, as far as that is news."""
    unskipped: list[str]
    """Paths that were passed over and are so no more."""
    warnings: list[str]
    folders: frozenset[str]
    """The folders that were walked, relative to the root."""
    known: dict[str, Stamp]
    """Of the documents whose content need not be cut again if its hash is the same."""

    def __bool__(self) -> bool:
        """Tell whether there is anything to write."""
        return bool(self.changed or self.removed or self.skipped or self.unskipped)


@dataclass(slots=True)
class _Batch:
    """What the compute pool made of some files."""

    documents: list[NewDocument] = field(default_factory=list["NewDocument"])
    terms: postings.Postings | None = None
    restamped: list[tuple[str, Stamp]] = field(default_factory=list["tuple[str, Stamp]"])
    unread: list[UnreadFile] = field(default_factory=list["UnreadFile"])


class Reconciler:
    """Looks at folders and indexes what changed."""

    def __init__(self, database: Database, pool: Executor, planner: Planner) -> None:
        self._database = database
        self._pool = pool
        self._planner = planner

    async def look(
        self, source: Source, settings: Settings, *, force: bool, should_stop: Callable[[], bool]
    ) -> Changes:
        """Compare a folder with its documents; changes nothing.

        Args:
            source: whose folder.
            settings: the size limit is taken from them.
            force: take every file for changed.
            should_stop: asked now and then by the walk.
        """
        loop = asyncio.get_running_loop()
        scan = await loop.run_in_executor(
            self._pool,
            lambda: folder.scan(
                source.root,
                max_file_bytes=settings.index_max_file_bytes,
                own=self._database.path,
                should_stop=should_stop,
            ),
        )
        known = await self._database.read(documents.stamps, source.id)
        unread = await self._database.read(documents.unread_stamps, source.id)
        before = unread | known
        skipped = await self._database.read(documents.skipped_files, source.id)
        version = await self._database.read(sources.chunker_version, source.id)
        afresh = force or version not in {CHUNKER_VERSION, 0}
        present = {file.path for file in scan.files}
        closed = {problem.path for problem in scan.problems if problem.state == "failed"}
        return Changes(
            changed=[f for f in scan.files if afresh or _may_differ(f, before.get(f.path))],
            removed=[
                path for path in before if path not in present and not _is_behind(path, closed)
            ],
            skipped=[p for p in scan.problems if skipped.get(p.path) != p.reason],
            unskipped=[*skipped.keys() - {p.path for p in scan.problems}],
            warnings=scan.warnings,
            folders=scan.folders,
            known={} if afresh else known,
        )

    async def peek(
        self, source: Source, paths: Collection[str], settings: Settings
    ) -> Changes | None:
        """Look only at some files; None if that does not do, since one of them came or went.

        Args:
            source: whose folder.
            paths: of the files, relative to it.
            settings: the size limit is taken from them.
        """
        known = await self._database.read(documents.stamps, source.id)
        loop = asyncio.get_running_loop()
        strange = sorted(set(paths) - known.keys())
        # What is ignored may come, change and go without anybody looking.
        if strange and await loop.run_in_executor(
            self._pool, folder.unhidden, source.root, strange
        ):
            return None
        limit = settings.index_max_file_bytes
        listed = sorted(known.keys() & set(paths))
        found = await loop.run_in_executor(
            self._pool, lambda: folder.peek(source.root, listed, max_file_bytes=limit)
        )
        files = [file for file in found if isinstance(file, FoundFile)]
        if len(files) < len(found):
            return None
        changed = [file for file in files if _may_differ(file, known[file.path])]
        return Changes(changed, [], [], [], [], frozenset(), known)

    async def apply(
        self,
        source: Source,
        changes: Changes,
        settings: Settings,
        *,
        may_go_on: Callable[[], Awaitable[bool]],
        written: Callable[[int, str], object],
    ) -> None:
        """Index what a look found.

        Args:
            source: whose folder it was.
            changes: what `look` returned.
            settings: the size limit is taken from them.
            may_go_on: awaited before everything that is written; the rest is left undone if not.
            written: called after every batch with the number of its files and the last one's path.
        """
        if not await may_go_on():
            return
        if changes:
            await self._database.write(_begin, source.id, changes)
        loop = asyncio.get_running_loop()
        limit = settings.index_max_file_bytes
        batches = _batches(changes.changed)
        cutting: deque[asyncio.Future[_Batch]] = deque()
        try:
            for i, files in enumerate(batches):
                for ahead in batches[i + len(cutting) : i + 1 + _AHEAD]:
                    cutting.append(
                        loop.run_in_executor(
                            self._pool, self._cut, source, ahead, changes.known, limit
                        )
                    )
                batch = await cutting.popleft()
                if not await may_go_on():
                    return
                await self._database.write(_write, source.id, batch)
                written(len(files), files[-1].path)
                await self._merge()
        finally:
            for unwanted in cutting:
                unwanted.cancel()
        await self._database.maintain(sources.finish_look, source.id, CHUNKER_VERSION)

    async def _merge(self) -> None:
        while segments := await self._database.read(postings.mergeable):
            await self._database.write(postings.merge, segments)

    def _cut(
        self, source: Source, files: Sequence[FoundFile], known: dict[str, Stamp], limit: int
    ) -> _Batch:
        batch = _Batch()
        texts: list[tuple[str, str, Stamp]] = []
        for file in files:
            read = folder.read(source.root, file.path, max_file_bytes=limit)
            if isinstance(read, Problem):
                batch.unread.append(_unread(file, read))
                continue
            stamp = documents.Stamp(read.size, read.mtime_ns, read.hash)
            before = known.get(file.path)
            if before is not None and before.hash == stamp.hash:
                batch.restamped.append((file.path, stamp))
            else:
                texts.append((file.path, read.text, stamp))
        batch.documents, batch.terms = self._planner.plan(texts)
        return batch


def _unread(file: FoundFile, problem: Problem) -> UnreadFile:
    """Remember a file as it was, unless it could not be read: that may change with no sign of it."""
    if problem.state == "failed":
        return documents.UnreadFile(problem, None)
    return documents.UnreadFile(problem, documents.Stamp(file.size, file.mtime_ns, b""))


def _is_behind(path: str, closed: AbstractSet[str]) -> bool:
    """Tell whether a path is, or lies below, one that could not be looked at."""
    return not closed.isdisjoint((path, *map(str, PurePosixPath(path).parents)))


def _may_differ(file: FoundFile, stamp: Stamp | None) -> bool:
    return stamp is None or (stamp.size, stamp.mtime_ns) != (file.size, file.mtime_ns)


def _batches(files: Sequence[FoundFile]) -> list[list[FoundFile]]:
    batches: list[list[FoundFile]] = []
    size = 0
    for file in files:
        if not batches or size + file.size > BATCH_BYTES or len(batches[-1]) >= _BATCH_FILES:
            batches.append([])
            size = 0
        batches[-1].append(file)
        size += file.size
    return batches


def _begin(connection: Connection, source_id: int, changes: Changes) -> None:
    documents.remove_documents(connection, source_id, changes.removed)
    documents.clear_problems(connection, source_id, [*changes.removed, *changes.unskipped])
    documents.write_skipped(connection, source_id, changes.skipped)
    documents.purge(connection)


def _write(connection: Connection, source_id: int, batch: _Batch) -> None:
    documents.write_unread(connection, source_id, batch.unread)
    documents.restamp(connection, source_id, batch.restamped)
    if batch.documents and batch.terms is not None:
        documents.write_documents(connection, source_id, batch.documents, batch.terms)
