"""The one door to searching."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from hunch.embedding.lexicon import Lexicon
from hunch.errors import EmbedderUnavailable, IndexReplaced
from hunch.model import Mode, NamedSymbol, SearchResult
from hunch.ranking.question import Question
from hunch.search.answer import Excluded, Task, answer
from hunch.search.scope import allowed_chunks
from hunch.search.sessions import find_session, read_session
from hunch.search.symbols import find_symbols
from hunch.search.turns import Here
from hunch.store.view import View

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from hunch.config import Settings
    from hunch.embedding.active import ActiveEmbedder
    from hunch.model import Hit, IndexState, Query, RelatedQuery
    from hunch.ranking.terms import Terms
    from hunch.store.database import Connection, Database
    from hunch.store.snapshot import Snapshots
    from hunch.store.view import Overlay

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_SHORTEST_NAME = 5
"""Characters; shorter names stand in any text."""
MAX_RELATED_TERMS = 32
"""Terms of the code asked about that it is looked for by; the first ones count."""


class Index(Protocol):
    """What a search wants to know of the work on the index."""

    @property
    def busy(self) -> bool:
        """Whether the index is about to change."""
        ...

    @property
    def settings(self) -> Settings:
        """The user's settings, as they are now."""
        ...

    @property
    def remotes(self) -> frozenset[str]:
        """The remotes of the open folders' repositories."""
        ...

    async def state(self) -> IndexState:
        """Describe the index as it is."""
        ...


_LONGEST = 20.0
"""Seconds that a search waits for the vector of its query, however slow the embedder is."""


class OpenDocuments(Protocol):
    """What a search wants to know of the documents that the client has open."""

    async def overlays(self) -> Sequence[Overlay]:
        """Return those that differ from their saved version, as they are at this moment."""
        ...


class SearchService:
    """Answers queries from the newest snapshot and the open documents. All methods are called on the event loop."""

    def __init__(
        self,
        database: Database,
        snapshots: Snapshots,
        embedder: ActiveEmbedder,
        terms: Terms,
        index: Index,
        open_documents: OpenDocuments,
    ) -> None:
        self._database = database
        self._snapshots = snapshots
        self._embedder = embedder
        self._terms = terms
        self._index = index
        self._open_documents = open_documents
        self._lexicon = Lexicon()
        self._held: View | None = None

    async def search(self, query: Query) -> SearchResult:
        """Answer a question in words.

        Without a vector of the query it is answered by keyword, and the result says so.

        Raises:
            InvalidQuery: a glob of the filter is malformed.
            IndexUnavailable: the database cannot be read.
        """
        started = time.perf_counter()
        vector = None
        if query.mode is not Mode.KEYWORD:
            vector = await self._vector(query.text, query.patience)
        mode = Mode.KEYWORD if vector is None else query.mode

        def work(connection: Connection, view: View) -> list[Hit]:
            question = Question(query.text)
            task = Task(
                question=question,
                terms=[*dict.fromkeys(self._terms.of(" ".join(question.tokens)))],
                vector=vector,
                mode=mode,
                allowed=allowed_chunks(view, query.filter, query.roots),
                limit=query.limit,
                offset=query.offset,
                here=Here(query.roots, self._index.remotes),
                half_life_days=self._index.settings.conversations_half_life_days,
            )
            return answer(connection, view, task, self._terms)

        result = await self._result(work, mode, started)
        if await self._is_noise(query.text, result.hits):
            return replace(result, hits=())
        return result

    async def _is_noise(self, text: str, hits: Sequence[Hit]) -> bool:
        """Tell whether hits only look like some: the index has no word of the query, nor has any model."""
        if any("keyword" in hit.signals for hit in hits):
            return False
        return bool(hits) and not await self._lexicon.knows_any(text)

    async def related(self, query: RelatedQuery) -> SearchResult:
        """Find what is like a piece of code or text; never that piece itself.

        Raises:
            InvalidQuery: a glob of the filter is malformed.
            IndexUnavailable: the database cannot be read.
        """
        started = time.perf_counter()
        vector = await self._vector(query.text, None, is_document=True)
        mode = Mode.KEYWORD if vector is None else Mode.HYBRID

        def work(connection: Connection, view: View) -> list[Hit]:
            terms = [*dict.fromkeys(self._terms.of(query.text))]
            task = Task(
                question=Question(""),
                terms=terms[:MAX_RELATED_TERMS],
                vector=vector,
                mode=mode,
                allowed=allowed_chunks(view, query.filter, query.roots),
                limit=query.limit,
                offset=query.offset,
                excluded=Excluded(query.path, query.uri, query.range),
                here=Here(query.roots, self._index.remotes, _names(query)),
                half_life_days=self._index.settings.conversations_half_life_days,
            )
            return answer(connection, view, task, self._terms)

        return await self._result(work, mode, started)

    async def symbols(self, text: str, *, roots: Sequence[Path], limit: int) -> list[NamedSymbol]:
        """Find definitions by name in the folders `roots` and in the open documents.

        Best first: exact, prefix, part, letters in order.

        Raises:
            IndexUnavailable: the database cannot be read.
        """

        def work(connection: Connection, view: View) -> list[NamedSymbol]:
            return find_symbols(connection, view, text, roots, limit)

        return await self._read(work)

    async def session(self, agent: str, name: str) -> str | None:
        """Return a conversation as Markdown; None when there is none of that name.

        Raises:
            IndexUnavailable: the database cannot be read.
        """
        return await self._database.read(read_session, agent, name)

    async def find_session(self, start: str) -> list[tuple[str, str]]:
        """Return agent and name of the conversations whose name starts so, newest first.

        Raises:
            IndexUnavailable: the database cannot be read.
        """
        return await self._database.read(find_session, start)

    async def _result(self, work: _Work[list[Hit]], mode: Mode, started: float) -> SearchResult:
        hits = await self._read(work)
        state = await self._index.state()
        return SearchResult(tuple(hits), state, (time.perf_counter() - started) * 1e3, mode)

    async def _read(self, work: _Work[T]) -> T:
        """Work on a view of the index, and anew if another index took its place meanwhile."""

        def checked(connection: Connection, view: View) -> T:
            view.stored.refuse_others(connection)
            return work(connection, view)

        try:
            return await self._database.read(checked, await self._view())
        except IndexReplaced:
            return await self._database.read(checked, await self._view())

    async def _view(self) -> View:
        overlays = await self._open_documents.overlays()
        snapshot = await self._snapshots.get(self._embedder.fingerprint, busy=self._index.busy)
        held = self._held
        if held is None or held.stored is not snapshot or held.overlays != tuple(overlays):
            held = self._held = View(snapshot, overlays)
        return held

    async def _vector(
        self, text: str, patience: float | None, *, is_document: bool = False
    ) -> NDArray[np.float32] | None:
        """Return the vector of a text, or None when there is none to be had (in time).

        It is all zero when the embedder knows no word of the text.
        """
        try:
            async with asyncio.timeout(_LONGEST if patience is None else patience):
                embedder = await self._embedder.get()
                if is_document:
                    made = await embedder.embed_documents([text])
                    vector = made.vectors[0]
                else:
                    vector = await embedder.embed_query(text)
        except EmbedderUnavailable as error:
            self._embedder.failed(error)
            return None
        except TimeoutError:
            return None
        self._embedder.worked()
        return vector


class _Work(Protocol[T_co]):
    def __call__(self, connection: Connection, view: View) -> T_co: ...


def _names(query: RelatedQuery) -> tuple[str, ...]:
    """Return how a conversation may speak of the place that is asked about."""
    names = {query.symbol.rpartition(".")[2]} if query.symbol else set[str]()
    if query.path is not None:
        inside = [query.path.relative_to(r) for r in query.roots if query.path.is_relative_to(r)]
        names |= {path.as_posix() for path in inside} | {query.path.name}
    return tuple(name for name in names if len(name) >= _SHORTEST_NAME)
