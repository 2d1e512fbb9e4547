"""What the index holds of the open sources, and what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hunch.indexing.state import Totals, count, is_open
from hunch.model import Problem
from hunch.store import sources, vectors

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from hunch.embedding.active import ActiveEmbedder
    from hunch.model import Source
    from hunch.store.database import Database
    from hunch.store.snapshot import Snapshot, Snapshots


class Report:
    """Counts and lists, and counts again only when something changed."""

    def __init__(self, database: Database, snapshots: Snapshots, embedder: ActiveEmbedder) -> None:
        self._database = database
        self._snapshots = snapshots
        self._embedder = embedder
        self._held: Totals | None = None

    async def totals(self, roots: Iterable[Path], *, busy: bool) -> Totals:
        """Count what the index has of some folders and of all conversations.

        Args:
            roots: the open folders.
            busy: the index is changing all the time, so the counts may be a little older.
        """
        snapshot = await self._snapshot(busy=busy)
        wanted, held = frozenset(roots), self._held
        if held is None or held.snapshot is not snapshot or held.roots != wanted:
            held = self._held = await count(self._database, snapshot, wanted)
        return held

    async def problems(self, roots: Iterable[Path], *, busy: bool) -> list[tuple[Source, Problem]]:
        """List what is not, or not wholly, in the index; arguments as of `totals`."""
        known = {source.id: source for source, _ in await self._database.read(sources.list_sources)}
        opened = frozenset(roots)
        wanted = [i for i, source in known.items() if is_open(source, opened)]
        found = await self._database.read(sources.list_problems, wanted)
        snapshot = await self._snapshot(busy=busy)
        failures: list[tuple[int, str, str]] = []
        if snapshot.vectors is not None:
            failures = await self._database.read(vectors.failures, snapshot.vectors.embedder_id)
        failed = [
            (source_id, Problem(path, f"not embedded: {reason}", "failed"))
            for source_id, path, reason in failures
            if source_id in wanted
        ]
        return [(known[source_id], problem) for source_id, problem in (*found, *failed)]

    async def _snapshot(self, *, busy: bool) -> Snapshot:
        return await self._snapshots.get(self._embedder.fingerprint, busy=busy)
