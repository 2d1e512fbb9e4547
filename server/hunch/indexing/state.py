"""The state of the index as people are told it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from hunch.model import Counts, IndexState, SourceState
from hunch.store import schema, sources

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from hunch.model import EmbedderState, Problem, Progress, StateName
    from hunch.store.database import Database
    from hunch.store.snapshot import Snapshot


async def describe(
    database: Database,
    snapshot: Snapshot,
    embedder: EmbedderState,
    *,
    roots: Sequence[Path],
    messages: Mapping[Path, str],
    failure: str,
    paused: bool,
    progress: Progress | None,
    working: bool,
) -> IndexState:
    """Put together what is known of the index of the folders `roots`."""
    wanted = [source for source in snapshot.sources.values() if source.root in roots]
    problems = await database.read(sources.list_problems, [source.id for source in wanted])
    counts = _count(snapshot, [source.id for source in wanted], [problem for _, problem in problems])
    name, message = _name(counts, embedder, failure=failure, paused=paused, working=working)
    documents_of = Counter(snapshot.documents.sources.tolist())
    chunks_of = Counter(snapshot.documents.sources[snapshot.document_of].tolist())
    return IndexState(
        state=name,
        message=message or database.notice,
        embedder=embedder,
        counts=counts,
        sources=tuple(
            SourceState(
                source,
                documents_of[source.id],
                chunks_of[source.id],
                snapshot.indexed_at[source.id],
                messages.get(source.root, ""),
            )
            for source in wanted
        ),
        database=database.path,
        database_bytes=database.path.stat().st_size if database.path.exists() else 0,
        schema=schema.VERSION,
        writer="this server",
        progress=progress,
    )


def _count(snapshot: Snapshot, source_ids: Sequence[int], problems: Sequence[Problem]) -> Counts:
    in_scope = np.isin(snapshot.documents.sources, source_ids)
    chunks = in_scope[snapshot.document_of]
    embedded = int(np.count_nonzero(snapshot.vector_rows[chunks] >= 0))
    failed = 0
    if snapshot.vectors is not None:
        texts = snapshot.text_ids[chunks]
        failed = int(np.count_nonzero(np.isin(texts, snapshot.vectors.failed_texts)))
    states = Counter(problem.state for problem in problems)
    total = int(np.count_nonzero(chunks))
    return Counts(
        documents=int(np.count_nonzero(in_scope)),
        chunks=total,
        embedded=embedded,
        pending=total - embedded - failed,
        skipped=states["skipped"],
        failed=states["failed"] + failed,
        not_understood=states["not understood"],
    )


def _name(
    counts: Counts, embedder: EmbedderState, *, failure: str, paused: bool, working: bool
) -> tuple[StateName, str]:
    if failure:
        return "failed", failure
    if paused:
        return "paused", "Indexing is paused."
    if working:
        return "indexing", "Indexing; searches answer from what is there."
    if not embedder.available and embedder.message:
        return "degraded", embedder.message
    if counts.failed:
        return "ready", f"{counts.failed} files or chunks failed; `hunch problems` lists them."
    return "ready", ""
