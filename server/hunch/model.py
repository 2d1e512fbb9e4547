"""The vocabulary of Hunch: the values that every floor of the house speaks of.

Nothing here computes. Lines and characters are zero-based; a character column counts UTF-16 code
units, the only position encoding that every LSP client must understand.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path


class Kind(StrEnum):
    """What a chunk is, as a person would sort it."""

    CODE = "code"
    DOCS = "docs"
    CONVERSATION = "conversation"
    NOTE = "note"
    MESSAGE = "message"


class SymbolKind(IntEnum):
    """Kinds of a definition; the numbers are those of LSP 3.17."""

    FILE = 1
    MODULE = 2
    NAMESPACE = 3
    PACKAGE = 4
    CLASS = 5
    METHOD = 6
    PROPERTY = 7
    FIELD = 8
    CONSTRUCTOR = 9
    ENUM = 10
    INTERFACE = 11
    FUNCTION = 12
    VARIABLE = 13
    CONSTANT = 14
    STRING = 15
    KEY = 20
    ENUM_MEMBER = 22
    STRUCT = 23
    EVENT = 24
    OPERATOR = 25
    TYPE_PARAMETER = 26


class Mode(StrEnum):
    """Which retrievers answer a query."""

    HYBRID = "hybrid"
    SEMANTIC = "semantic"
    KEYWORD = "keyword"


@dataclass(frozen=True, slots=True)
class Position:
    """A place between two characters."""

    line: int
    character: int = 0
    """UTF-16 code units from the start of the line."""


@dataclass(frozen=True, slots=True)
class Range:
    """A half-open stretch of text: `end` is the first position outside."""

    start: Position
    end: Position


@dataclass(frozen=True, slots=True)
class Definition:
    """A symbol that a chunk defines, known from the parse."""

    name: str
    """The bare name, as written: `send_with_retry`."""
    kind: SymbolKind
    line: int
    """The line of the name itself."""
    path: str
    """The symbol path, outermost first, joined by dots: `Client.send_with_retry`."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of one document: what is embedded and retrieved.

    `text` is exactly the document's text in `range`. Chunks of a document are ordered and may
    share a few lines (overlap), but no range starts before the one that precedes it.
    """

    range: Range
    text: str
    title: str = ""
    """Symbol path of a definition, heading path of a section, or empty."""
    definitions: tuple[Definition, ...] = ()
    """What is defined inside, in source order; the chunk's own symbol comes first."""
    context: str = ""
    """A line that is embedded before the text but not shown, such as the class's signature."""


@dataclass(frozen=True, slots=True)
class ChunkedDocument:
    """What the chunker made of one document."""

    language: str
    """A name from `languages.py`, such as `python`; `text` when nothing better is known."""
    kind: Kind
    chunks: tuple[Chunk, ...]
    note: str = ""
    """Why the document was cut in a simpler way than its language allows; empty when it was not."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that discovery accepts, as the directory listing describes it."""

    path: str
    """Relative to the source's root, with forward slashes."""
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that is not (or not wholly) in the index, and why."""

    path: str
    """Relative to the source's root, with forward slashes."""
    reason: str
    """One clause without the path: `larger than 1 MB`."""
    state: Literal["skipped", "failed", "not understood"] = "skipped"
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A configured origin of documents, as the store knows it."""

    id: int
    kind: Literal["workspace", "conversations", "notes", "messages"]
    label: str
    root: Path
    """The real path of the folder; for an agent's conversations a name that is no path."""


@dataclass(frozen=True, slots=True)
class Filter:
    """What may be among the candidates; `None` and empty mean no restriction."""

    kinds: frozenset[Kind] | None = None
    everywhere: bool = False
    """Search every folder that was ever indexed here, not only the open ones."""
    folders: tuple[Path, ...] = ()
    """Only files at or below these real paths."""
    include: tuple[str, ...] = ()
    """Globs in gitignore syntax, relative to the source's root; one must match."""
    exclude: tuple[str, ...] = ()
    """Globs in gitignore syntax, relative to the source's root; none may match."""
    languages: frozenset[str] | None = None
    agents: frozenset[str] | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """A question in words."""

    text: str
    limit: int = 20
    offset: int = 0
    mode: Mode = Mode.HYBRID
    filter: Filter = field(default_factory=Filter)
    roots: tuple[Path, ...] = ()
    """The open workspace folders (real paths), which the scope `workspace` is limited to."""
    patience: float | None = None
    """Seconds to wait for the query's vector before answering by keyword; `None` waits long."""


@dataclass(frozen=True, slots=True)
class RelatedQuery:
    """A question in code: what else is like this?"""

    text: str
    """The code or text that is asked about."""
    path: Path | None = None
    """The file it stands in, if any; hits that overlap `range` in the same document are left out."""
    uri: str = ""
    """The client's name of the document, which need not be a file."""
    range: Range | None = None
    limit: int = 20
    offset: int = 0
    filter: Filter = field(default_factory=Filter)
    roots: tuple[Path, ...] = ()
    symbol: str = ""
    """The symbol path of what stands there, if it has one."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that answers a query."""

    chunk_id: int
    source: Source
    path: str
    """Relative to the source's root, with forward slashes."""
    range: Range
    kind: Kind
    title: str
    language: str
    snippet: str
    snippet_range: Range
    score: float
    """0..1, comparable within one result only."""
    signals: Mapping[str, Any]
    """Why it is here: plain JSON values, each absent when it says nothing."""
    symbol_kind: SymbolKind | None = None
    stale: bool = False
    """The file changed after indexing and the chunk was not found again in it."""
    highlights: tuple[tuple[int, int], ...] = ()
    """Half-open character spans in `snippet` that match words of the query."""
    uri: str = ""
    """The client's own name of the document when it is open there, in whose live text `range` is; the
    name under which a conversation is opened; empty for a file at rest.
    """
    conversation: ConversationHit | None = None
    """Set for a turn of a conversation; `range` is in the conversation as a person reads it."""


@dataclass(frozen=True, slots=True)
class ConversationHit:
    """What a hit in a conversation has besides."""

    detail: str
    """In one line: whose conversation, about what, when."""

    agent: str
    name: str
    """The agent's own id of the conversation."""
    directory: str
    """The working directory that it recorded; a path of the machine that wrote the log; may be empty."""
    started: datetime | None
    """When the turn began (aware)."""
    is_gone: bool
    """Whether its log is not there any more."""


@dataclass(frozen=True, slots=True)
class NamedSymbol:
    """A definition found by its name."""

    definition: Definition
    source: Source
    path: str
    """Relative to the source's root, with forward slashes."""
    character: int
    """Where the name starts in its line, in UTF-16 code units."""
    end: int
    """Where it ends, in UTF-16 code units."""
    uri: str = ""
    """The client's own name of the document when it is open there."""


@dataclass(frozen=True, slots=True)
class EmbedderState:
    """Which embedder works, and whether it does."""

    provider: str
    model: str
    dimensions: int
    available: bool
    message: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the running index work is; monotonic within one run."""

    done: int
    total: int
    eta_seconds: float | None = None
    current: str = ""
    """A path relative to its source, for people to look at."""
    rate: float | None = None
    """Files done in a second, on average; None as long as that says nothing."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Totals over the sources that are open."""

    documents: int = 0
    chunks: int = 0
    embedded: int = 0
    """Chunks that have a vector of the current embedder."""
    pending: int = 0
    """Chunks that wait for one."""
    skipped: int = 0
    failed: int = 0
    not_understood: int = 0


@dataclass(frozen=True, slots=True)
class SourceState:
    """A source with its totals."""

    source: Source
    documents: int
    """Files, or turns of conversations."""
    chunks: int
    last_indexed: datetime | None
    message: str = ""
    conversations: int = 0


StateName = Literal["starting", "indexing", "ready", "paused", "degraded", "failed"]


THIS_PROCESS = "this server"
"""The writer of an index whose open folders are kept in line by nobody else."""


@dataclass(frozen=True, slots=True)
class IndexState:
    """What a person may want to know about the index at one moment."""

    state: StateName
    message: str
    embedder: EmbedderState
    counts: Counts
    sources: tuple[SourceState, ...]
    database: Path
    database_bytes: int
    schema: int
    writer: str
    progress: Progress | None = None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One ranked list, best first."""

    hits: tuple[Hit, ...]
    state: IndexState
    took_ms: float
    mode: Mode
    """The mode that really answered: `keyword` when no vector could be had."""
