"""From the values that Hunch computes with to the shapes on the wire; `convert.py` goes the other way."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from hunch.protocol import types as wire
from hunch.text import utf16_length

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from hunch.lsp.folders import Folders
    from hunch.model import (
        Hit,
        IndexState,
        Problem,
        Range,
        SearchResult,
        Source,
        SourceState,
    )


def search_result(result: SearchResult, folders: Folders) -> wire.SearchResult:
    """Write a ranked list for the client."""
    return wire.SearchResult(
        hits=[hit(found, folders) for found in result.hits],
        index=index_state(result.state, folders),
        took_ms=round(result.took_ms, 3),
        mode=str(result.mode),
    )


def hit(found: Hit, folders: Folders) -> wire.Hit:
    """Write one hit for the client."""
    return wire.Hit(
        uri=found.uri or uri_in(found.source, found.path, folders),
        range=lsp_range(found.range),
        kind=str(found.kind),
        title=found.title,
        detail=found.conversation.detail if found.conversation else found.path,
        language=found.language,
        snippet=found.snippet,
        snippet_range=lsp_range(found.snippet_range),
        highlights=[list(span) for span in _utf16_spans(found.snippet, found.highlights)],
        score=found.score,
        signals=dict(found.signals),
        stale=found.stale,
        source=_hit_source(found, folders),
        symbol_kind=None if found.symbol_kind is None else int(found.symbol_kind),
        timestamp=_time_out(found.conversation.started) if found.conversation else None,
    )


def _hit_source(found: Hit, folders: Folders) -> wire.HitSource:
    talk = found.conversation
    if talk is None:
        folder = folders.uri_of(found.source.root)
    else:
        place = Path(talk.directory) if talk.directory else None
        folder = folders.uri_of(place) if place and place.is_absolute() else None
    return wire.HitSource(
        id=found.source.id,
        label=found.source.label,
        folder=folder,
        session=talk.name if talk else None,
    )


def _utf16_spans(text: str, spans: Sequence[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    if text.isascii():
        return spans
    return [(utf16_length(text[:start]), utf16_length(text[:end])) for start, end in spans]


def uri_in(source: Source, relative: str, folders: Folders) -> str:
    """Return the URI of a document of a source."""
    return folders.uri_of(source.root / relative)


def source_uri(source: Source, folders: Folders) -> str:
    """Return the URI of a folder, or the name of an agent's conversations."""
    return folders.uri_of(source.root) if source.kind == "workspace" else str(source.root)


def lsp_range(stretch: Range) -> lsp.Range:
    """Write a range for the client."""
    return lsp.Range(
        lsp.Position(stretch.start.line, stretch.start.character),
        lsp.Position(stretch.end.line, stretch.end.character),
    )


def index_state(state: IndexState, folders: Folders) -> wire.IndexState:
    """Write the state of the index for the client."""
    embedder, counts, progress = state.embedder, state.counts, state.progress
    return wire.IndexState(
        state=state.state,
        message=state.message,
        embedder=wire.Embedder(
            provider=embedder.provider,
            model=embedder.model,
            dimensions=embedder.dimensions,
            available=embedder.available,
            message=embedder.message,
        ),
        counts=wire.Counts(
            documents=counts.documents,
            chunks=counts.chunks,
            embedded=counts.embedded,
            pending=counts.pending,
            skipped=counts.skipped,
            failed=counts.failed,
            not_understood=counts.not_understood,
        ),
        sources=[_source_state(source, folders) for source in state.sources],
        database=wire.Database(
            path=str(state.database), bytes=state.database_bytes, schema=state.schema
        ),
        writer=state.writer,
        progress=progress
        and wire.Progress(
            done=progress.done,
            total=progress.total,
            current=progress.current,
            eta_seconds=None if progress.eta_seconds is None else round(progress.eta_seconds, 1),
        ),
    )


def _source_state(state: SourceState, folders: Folders) -> wire.SourceState:
    return wire.SourceState(
        id=state.source.id,
        label=state.source.label,
        kind=state.source.kind,
        uri=source_uri(state.source, folders),
        documents=state.documents,
        chunks=state.chunks,
        message=state.message,
        last_indexed=_time_out(state.last_indexed),
        conversations=state.conversations if state.source.kind == "conversations" else None,
    )


def problem(source: Source, found: Problem, folders: Folders) -> wire.Problem:
    """Write one problem for the client."""
    return wire.Problem(
        uri=uri_in(source, found.path, folders),
        state="notUnderstood" if found.state == "not understood" else found.state,
        reason=found.reason,
        since=_time_out(found.since),
    )


def _time_out(moment: datetime | None) -> str | None:
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
