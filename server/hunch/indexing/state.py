"""The state of the index as people are told it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hunch.model import THIS_PROCESS, Counts, IndexState, SourceState
from hunch.store import conversations, schema, sources

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from datetime import datetime
    from pathlib import Path

    from hunch.model import EmbedderState, Progress, Source, StateName
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
    conversations_of: Mapping[int, int]
    """Source id → conversations."""


@dataclass(frozen=True)
class Work:
    """What is being done to the index, and what is in the way."""

    looked: Mapping[int, datetime | None]
    """Source id → when it was last looked at to the end."""
    messages: Mapping[Path, str]
    """A sentence or two about each folder of which there is something to say."""
    failure: str
    """A sentence about what keeps work from going on; else empty."""
    is_paused: bool
    is_working: bool
    """Whether something is left to do for this process, possible at the moment or not."""
    progress: Progress | None
    keepers: Sequence[int | None]
    """The other processes that keep open folders in line; None for one with no known id."""
    embedding: Sequence[int | None]
    """The other process that embeds for this one, if there is one; None if its id is not known."""


def is_open(source: Source, roots: AbstractSet[Path]) -> bool:
    """Tell whether a source is one of the open folders, or no folder at all."""
    return source.kind != "workspace" or source.root in roots


async def count(database: Database, snapshot: Snapshot, roots: frozenset[Path]) -> Totals:
    """Count what the index has of the folders `roots`."""
    wanted = [s.id for s in snapshot.sources.values() if is_open(s, roots)]
    problems = await database.read(sources.count_problems, wanted)
    document_sources = snapshot.documents.sources
    return Totals(
        snapshot,
        roots,
        _count(snapshot, wanted, problems),
        Counter(document_sources.tolist()),
        Counter(document_sources[snapshot.document_of].tolist()),
        await database.read(conversations.count_conversations),
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
    work: Work,
) -> IndexState:
    """Put together what is known of the index."""
    snapshot = totals.snapshot
    name, message = _name(database, totals, embedder, work)
    return IndexState(
        state=name,
        message=message,
        embedder=embedder,
        counts=totals.counts,
        sources=tuple(
            SourceState(
                source,
                totals.documents_of[source.id],
                totals.chunks_of[source.id],
                work.looked.get(source.id),
                work.messages.get(source.root, ""),
                totals.conversations_of.get(source.id, 0),
            )
            for source in snapshot.sources.values()
            if is_open(source, totals.roots)
        ),
        database=database.path,
        database_bytes=database.path.stat().st_size if database.path.exists() else 0,
        schema=schema.VERSION,
        writer=_writer(work.keepers),
        progress=work.progress,
    )


_INDEXING = "Indexing; searches answer from what is there."


def _looked(totals: Totals, work: Work) -> list[datetime | None]:
    sources = totals.snapshot.sources.values()
    return [work.looked.get(source.id) for source in sources if source.root in totals.roots]


def _writer(keepers: Sequence[int | None]) -> str:
    if not keepers:
        return THIS_PROCESS
    return "another window" + (f" (pid {keepers[0]})" if keepers[0] is not None else "")


def _name(
    database: Database, totals: Totals, embedder: EmbedderState, work: Work
) -> tuple[StateName, str]:
    counts = totals.counts
    if database.read_only:
        return "degraded", database.notice
    if work.failure:
        return "failed", work.failure
    if work.is_paused:
        return "paused", "Indexing is paused."
    if not embedder.available and embedder.message:
        return "degraded", embedder.message
    if work.is_working:
        why = database.waiting or database.notice
        return "indexing", f"{why} {_INDEXING}".strip()
    others = [*work.keepers, *work.embedding]
    if others and (counts.pending or None in _looked(totals, work)):
        by = _writer(others)
        return "indexing", f"Indexing, by {by}; searches answer from what is there."
    if counts.failed:
        return "ready", f"{counts.failed} files or chunks failed; `hunch problems` lists them."
    return "ready", ""
