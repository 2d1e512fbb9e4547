"""The shapes of params and results, as `server/docs/protocol.md` describes them.

Attributes are in snake case here and in camel case on the wire. In params, `None` means absent.
In results nothing has a default and what is `None` is left out, so that a client reads either a
value or no key, and never a null.
"""

# No `from __future__ import annotations`: the converter reads these annotations at run time.
from typing import Any

import attrs
from lsprotocol.types import Position, Range, TextDocumentIdentifier


class Wire:
    """The base of everything here; it tells these shapes from those of plain LSP."""


@attrs.frozen(slots=False)
class FilterParams(Wire):
    """What may be found at all; applied before ranking."""

    kinds: list[str] | None = None
    """`code`, `docs`, `conversation`, `note`, `message`."""
    scope: str | None = None
    """`workspace` (the default) or `everywhere`."""
    folders: list[str] | None = None
    """URIs of folders; only what is at or below one of them."""
    include: list[str] | None = None
    """Globs in gitignore syntax; one must match."""
    exclude: list[str] | None = None
    """Globs in gitignore syntax; none may match."""
    languages: list[str] | None = None
    """Hunch's language names or an editor's language ids."""
    agents: list[str] | None = None
    """Names of coding agents; restricts conversations only."""
    since: str | None = None
    """An ISO 8601 date or time, inclusive."""
    until: str | None = None
    """An ISO 8601 date or time, inclusive."""


@attrs.frozen(slots=False)
class SearchParams(Wire):
    """Params of `hunch/search`."""

    query: str
    """1..10,000 characters."""
    limit: int | None = None
    """1..200; 20 when absent."""
    offset: int | None = None
    """How many hits to leave out from the top; 0 when absent."""
    mode: str | None = None
    """`hybrid` (the default), `semantic` or `keyword`."""
    filter: FilterParams | None = None


@attrs.frozen(slots=False)
class RelatedParams(Wire):
    """Params of `hunch/related`: `text`, or a document with either a position or a range."""

    text: str | None = None
    text_document: TextDocumentIdentifier | None = None
    position: Position | None = None
    range: Range | None = None
    limit: int | None = None
    offset: int | None = None
    filter: FilterParams | None = None
    show: bool | None = None
    """Let the person choose among the hits and open the one chosen; for the command only."""


@attrs.frozen(slots=False)
class ReindexParams(Wire):
    """Params of `hunch/reindex`."""

    folders: list[str] | None = None
    """URIs of open folders; all of them when absent."""
    force: bool | None = None
    """Embed everything anew, not only what changed."""


@attrs.frozen(slots=False)
class ContentParams(Wire):
    """Params of `hunch/content`."""

    uri: str


@attrs.frozen(slots=False)
class Content(Wire):
    """Result of `hunch/content`: a conversation as a person reads it."""

    text: str
    language_id: str


@attrs.frozen(slots=False)
class NoParams(Wire):
    """Params of a request that needs none."""


@attrs.frozen(slots=False)
class HitSource(Wire):
    """Where a hit comes from."""

    id: int
    label: str
    folder: str | None
    """URI of the folder, or of the working directory that a conversation recorded."""
    session: str | None
    """The agent's own id of a conversation."""


@attrs.frozen(slots=False)
class Hit(Wire):
    """One place that answers the question."""

    uri: str
    range: Range
    kind: str
    title: str
    detail: str
    language: str
    snippet: str
    snippet_range: Range
    highlights: list[list[int]]
    """Half-open spans in `snippet`, in UTF-16 code units, that match words of the query."""
    score: float
    signals: dict[str, Any]
    stale: bool
    source: HitSource
    symbol_kind: int | None
    timestamp: str | None
    """When a turn of a conversation began."""


@attrs.frozen(slots=False)
class Progress(Wire):
    """How far the running index work is."""

    done: int
    total: int
    current: str
    eta_seconds: float | None


@attrs.frozen(slots=False)
class Embedder(Wire):
    """Which embedder works, and whether it does."""

    provider: str
    model: str
    dimensions: int
    available: bool
    message: str


@attrs.frozen(slots=False)
class Counts(Wire):
    """Totals over the sources that are open."""

    documents: int
    chunks: int
    embedded: int
    pending: int
    skipped: int
    failed: int
    not_understood: int


@attrs.frozen(slots=False)
class SourceState(Wire):
    """A source with its totals."""

    id: int
    label: str
    kind: str
    uri: str
    documents: int
    """Files, or turns of conversations."""
    chunks: int
    message: str
    last_indexed: str | None
    conversations: int | None
    """Of an agent's source only."""


@attrs.frozen(slots=False)
class Database(Wire):
    """The file that the index lives in."""

    path: str
    bytes: int
    schema: int


@attrs.frozen(slots=False)
class IndexState(Wire):
    """Result of `hunch/status`, `hunch/pause` and `hunch/resume`; body of `hunch/didChangeStatus`."""

    state: str
    message: str
    embedder: Embedder
    counts: Counts
    sources: list[SourceState]
    database: Database
    writer: str
    progress: Progress | None


@attrs.frozen(slots=False)
class SearchResult(Wire):
    """Result of `hunch/search` and `hunch/related`."""

    hits: list[Hit]
    index: IndexState
    took_ms: float
    mode: str
    """The mode that really answered: `keyword` when no vector could be had."""


@attrs.frozen(slots=False)
class Problem(Wire):
    """A file that is not, or not wholly, in the index; `hunch/problems` answers a list of these."""

    uri: str
    state: str
    """`skipped`, `failed` or `notUnderstood`."""
    reason: str
    since: str | None
