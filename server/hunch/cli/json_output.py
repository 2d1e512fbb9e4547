"""What `--json` prints: the shapes of the protocol, without the libraries of the editor side."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any

from hunch.text import utf16_length

if TYPE_CHECKING:
    from datetime import datetime

    from hunch.model import (
        EmbedderState,
        Hit,
        IndexState,
        Position,
        Problem,
        Range,
        SearchResult,
        Source,
        SourceState,
    )


def search_result(result: SearchResult) -> dict[str, Any]:
    """Return the result of `search` and `related`."""
    return {
        "hits": [hit(found) for found in result.hits],
        "index": index_state(result.state),
        "tookMs": round(result.took_ms, 3),
        "mode": result.mode.value,
    }


def hit(found: Hit) -> dict[str, Any]:
    """Return one hit."""
    return _present(
        uri=found.uri or (found.source.root / found.path).as_uri(),
        range=_range(found.range),
        kind=found.kind.value,
        title=found.title,
        symbolKind=None if found.symbol_kind is None else int(found.symbol_kind),
        detail=found.conversation.detail if found.conversation else found.path,
        language=found.language,
        snippet=found.snippet,
        snippetRange=_range(found.snippet_range),
        highlights=[
            [utf16_length(found.snippet[:start]), utf16_length(found.snippet[:end])]
            for start, end in found.highlights
        ],
        score=found.score,
        signals=dict(found.signals),
        stale=found.stale,
        source=_hit_source(found),
        timestamp=_moment(found.conversation.started) if found.conversation else None,
    )


def _hit_source(found: Hit) -> dict[str, Any]:
    talk = found.conversation
    return _present(
        id=found.source.id,
        label=found.source.label,
        folder=found.source.root.as_uri() if talk is None else None,
        session=talk.name if talk else None,
    )


def index_state(state: IndexState) -> dict[str, Any]:
    """Return the state of the index."""
    counts = state.counts
    return _present(
        state=state.state,
        message=state.message,
        embedder=embedder(state.embedder),
        counts={
            "documents": counts.documents,
            "chunks": counts.chunks,
            "embedded": counts.embedded,
            "pending": counts.pending,
            "skipped": counts.skipped,
            "failed": counts.failed,
            "notUnderstood": counts.not_understood,
        },
        sources=[source_state(source) for source in state.sources],
        database={
            "path": str(state.database),
            "bytes": state.database_bytes,
            "schema": state.schema,
        },
        writer=state.writer,
        progress=state.progress
        and _present(
            done=state.progress.done,
            total=state.progress.total,
            current=state.progress.current,
            etaSeconds=state.progress.eta_seconds,
        ),
    )


def embedder(state: EmbedderState) -> dict[str, Any]:
    """Return the state of the embedder."""
    return {
        "provider": state.provider,
        "model": state.model,
        "dimensions": state.dimensions,
        "available": state.available,
        "message": state.message,
    }


def _source_uri(source: Source) -> str:
    return source.root.as_uri() if source.kind == "workspace" else str(source.root)


def problem(source: Source, found: Problem) -> dict[str, Any]:
    """Return one file that is not, or not wholly, in the index."""
    return _present(
        uri=(source.root / found.path).as_uri(),
        state="notUnderstood" if found.state == "not understood" else found.state,
        reason=found.reason,
        since=_moment(found.since),
    )


def source_state(state: SourceState) -> dict[str, Any]:
    """Return a source with its totals."""
    return _present(
        id=state.source.id,
        label=state.source.label,
        kind=state.source.kind,
        uri=_source_uri(state.source),
        documents=state.documents,
        chunks=state.chunks,
        lastIndexed=_moment(state.last_indexed),
        conversations=state.conversations if state.source.kind == "conversations" else None,
        message=state.message,
    )


def _range(stretch: Range) -> dict[str, Any]:
    return {"start": _position(stretch.start), "end": _position(stretch.end)}


def _position(place: Position) -> dict[str, int]:
    return {"line": place.line, "character": place.character}


def _moment(moment: datetime | None) -> str | None:
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _present(**members: Any) -> dict[str, Any]:
    """Leave out what is absent, as the protocol does."""
    return {name: value for name, value in members.items() if value is not None}
