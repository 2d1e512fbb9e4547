"""The one door to searching."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from hunch.embedding.lexicon import Lexicon
from hunch.errors import EmbedderUnavailable
from hunch.model import Mode, NamedSymbol, SearchResult
from hunch.ranking.question import Question
from hunch.search.answer import Task, answer
from hunch.search.scope import allowed_chunks
from hunch.search.symbols import find_symbols

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from hunch.embedding.active import ActiveEmbedder
    from hunch.model import Hit, IndexState, Query, RelatedQuery
    from hunch.ranking.terms import Terms
    from hunch.store.database import Connection, Database
    from hunch.store.snapshot import Snapshot, Snapshots

MAX_RELATED_TERMS = 32
"""Terms of the code asked about that it is looked for by; the first ones count."""


class Index(Protocol):
    """What a search wants to know of the work on the index."""

    @property
    def busy(self) -> bool:
        """Whether the index is about to change."""
        ...

    async def state(self) -> IndexState:
        """Describe the index as it is."""
        ...


class SearchService:
    """Answers queries from the newest snapshot. All methods are called on the event loop."""

    def __init__(
        self,
        database: Database,
        snapshots: Snapshots,
        embedder: ActiveEmbedder,
        terms: Terms,
        index: Index,
    ) -> None:
        self._database = database
        self._snapshots = snapshots
        self._embedder = embedder
        self._terms = terms
        self._index = index
        self._lexicon = Lexicon()

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

        def work(connection: Connection, snapshot: Snapshot) -> list[Hit]:
            question = Question(query.text)
            task = Task(
                question=question,
                terms=[*dict.fromkeys(self._terms.of(" ".join(question.tokens)))],
                vector=vector,
                mode=mode,
                allowed=allowed_chunks(snapshot, query.filter, query.roots),
                limit=query.limit,
                offset=query.offset,
            )
            return answer(connection, snapshot, task, self._terms)

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

        def work(connection: Connection, snapshot: Snapshot) -> list[Hit]:
            terms = [*dict.fromkeys(self._terms.of(query.text))]
            task = Task(
                question=Question(""),
                terms=terms[:MAX_RELATED_TERMS],
                vector=vector,
                mode=mode,
                allowed=allowed_chunks(snapshot, query.filter, query.roots),
                limit=query.limit,
                offset=query.offset,
                excluded=(query.path, query.range) if query.path else None,
            )
            return answer(connection, snapshot, task, self._terms)

        return await self._result(work, mode, started)

    async def symbols(self, text: str, *, roots: Sequence[Path], limit: int) -> list[NamedSymbol]:
        """Find definitions in the folders `roots` by name: exact, prefix, part, letters in order.

        Raises:
            IndexUnavailable: the database cannot be read.
        """
        snapshot = await self._snapshots.get(self._embedder.fingerprint, busy=self._index.busy)
        return await self._database.read(find_symbols, snapshot, text, roots, limit)

    async def _result(self, work: _Work, mode: Mode, started: float) -> SearchResult:
        snapshot = await self._snapshots.get(self._embedder.fingerprint, busy=self._index.busy)
        hits = await self._database.read(work, snapshot)
        state = await self._index.state()
        return SearchResult(tuple(hits), state, (time.perf_counter() - started) * 1e3, mode)

    async def _vector(
        self, text: str, patience: float | None, *, is_document: bool = False
    ) -> NDArray[np.float32] | None:
        """Return the vector of a text, or None when there is none to be had (in time).

        It is all zero when the embedder knows no word of the text.
        """
        try:
            async with asyncio.timeout(patience):
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


class _Work(Protocol):
    def __call__(self, connection: Connection, snapshot: Snapshot) -> list[Hit]: ...
