"""The state of the index as people are told it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hunch.model import Counts, IndexState, SourceState
from hunch.store import schema, sources

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from hunch.model import EmbedderState, Progress, StateName
    from hunch.store.database import Database
    from hunch.store.snapshot import Snapshot


@dataclass(frozen=True)
class Totals:
    """What is counted in one generation; counting again gives the same."""

    snapshot: Snapshot
    roots: frozenset[Path]
    counts: Counts
    documents_of: Counter[int]
    """Source id → documents."""
    chunks_of: Counter[int]
    """Source id → chunks."""


async def count(database: Database, snapshot: Snapshot, roots: frozenset[Path]) -> Totals:
    """Count what the index has of the folders `roots`."""
    wanted = [source.id for source in snapshot.sources.values() if source.root in roots]
    problems = await database.read(sources.count_problems, wanted)
    document_sources = snapshot.documents.sources
    return Totals(
        snapshot,
        roots,
        _count(snapshot, wanted, problems),
        Counter(document_sources.tolist()),
        Counter(document_sources[snapshot.document_of].tolist()),
    )


def _count(snapshot: Snapshot, source_ids: Sequence[int], problems: Mapping[str, int]) -> Counts:
    in_scope = np.isin(snapshot.documents.sources, source_ids)
    chunks = in_scope[snapshot.document_of]
    embedded = int(np.count_nonzero(snapshot.vector_rows[chunks] >= 0))
    failed = 0
    if snapshot.vectors is not None:
        texts = snapshot.text_ids[chunks]
        failed = int(np.count_nonzero(np.isin(texts, snapshot.vectors.failed_texts)))
    total = int(np.count_nonzero(chunks))
    return Counts(
        documents=int(np.count_nonzero(in_scope)),
        chunks=total,
        embedded=embedded,
        pending=total - embedded - failed,
        skipped=problems.get("skipped", 0),
        failed=problems.get("failed", 0) + failed,
        not_understood=problems.get("not understood", 0),
    )


def describe(
    database: Database,
    totals: Totals,
    embedder: EmbedderState,
    *,
    messages: Mapping[Path, str],
    failure: str,
    paused: bool,
    progress: Progress | None,
    working: bool,
) -> IndexState:
    """Put together what is known of the index."""
    snapshot = totals.snapshot
    name, message = _name(totals.counts, embedder, failure=failure, paused=paused, working=working)
    return IndexState(
        state=name,
        message=message or database.notice,
        embedder=embedder,
        counts=totals.counts,
        sources=tuple(
            SourceState(
                source,
                totals.documents_of[source.id],
                totals.chunks_of[source.id],
                snapshot.indexed_at[source.id],
                messages.get(source.root, ""),
            )
            for source in snapshot.sources.values()
            if source.root in totals.roots
        ),
        database=database.path,
        database_bytes=database.path.stat().st_size if database.path.exists() else 0,
        schema=schema.VERSION,
        writer="this server",
        progress=progress,
    )


def _name(
    counts: Counts, embedder: EmbedderState, *, failure: str, paused: bool, working: bool
) -> tuple[StateName, str]:
    if failure:
        return "failed", failure
    if paused:
        return "paused", "Indexing is paused."
    if not embedder.available and embedder.message:
        return "degraded", embedder.message
    if working:
        return "indexing", "Indexing; searches answer from what is there."
    if counts.failed:
        return "ready", f"{counts.failed} files or chunks failed; `hunch problems` lists them."
    return "ready", ""
