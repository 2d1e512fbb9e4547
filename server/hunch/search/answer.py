"""Answering one query on a reader thread: retrieve, rank, and fill in the page that is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hunch.model import Hit, Kind, Mode
from hunch.ranking.candidates import Candidate
from hunch.ranking.fusion import rank
from hunch.search.retrieve import by_keyword, by_meaning
from hunch.search.snippets import cut_snippet
from hunch.store import chunks

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from hunch.model import Range
    from hunch.ranking.question import Question
    from hunch.ranking.terms import Terms
    from hunch.store.chunks import ChunkHead
    from hunch.store.database import Connection
    from hunch.store.snapshot import Snapshot

DEPTH = 120
"""Candidates that each retriever gives; a deeper page asks for more."""


@dataclass(frozen=True)
class Task:
    """A query in the form in which it is answered."""

    question: Question
    terms: Sequence[int]
    """Distinct terms to retrieve by."""
    vector: NDArray[np.float32] | None
    """Shape (dimensions,): None to retrieve by keyword only; all zero when it is near to nothing."""
    mode: Mode
    allowed: NDArray[np.bool_] | None
    """Which chunks may be found, shape (chunks,); None for all."""
    limit: int
    offset: int = 0
    excluded: tuple[Path, Range | None] | None = None
    """A file, and the range in it that hits must not touch (None: the whole file)."""


class _Found(NamedTuple):
    """A ranked candidate with what is shown of it."""

    candidate: Candidate
    head: ChunkHead
    score: float
    signals: dict[str, float | bool]


def answer(connection: Connection, snapshot: Snapshot, task: Task, terms: Terms) -> list[Hit]:
    """Return the page of hits that a task asks for, best first."""
    ranked = _ranking(connection, snapshot, task, terms)
    page = ranked[task.offset : task.offset + task.limit]
    texts = chunks.read_texts(connection, [found.head.id for found in page])
    return [
        _hit(snapshot, found, texts[found.head.id], task, terms)
        for found in page
        if found.head.id in texts
    ]


def _ranking(connection: Connection, snapshot: Snapshot, task: Task, terms: Terms) -> list[_Found]:
    """Rank as many candidates as the page needs: the first DEPTH, and behind them those deeper down.

    What comes first does not depend on how much is asked for, so all pages are of one ranking.
    """
    ranking: list[_Found] = []
    depth, ceiling, seen = DEPTH, 1.0, set[int]()
    while len(ranking) < task.offset + task.limit:
        found = [
            pair
            for pair in _candidates(connection, snapshot, task, depth)
            if pair[0].text_id not in seen
        ]
        if not found:
            break
        for ranked in rank(task.question, [candidate for candidate, _ in found], terms):
            candidate, head = found[ranked.index]
            ranking.append(_Found(candidate, head, ceiling * ranked.score, ranked.signals))
        seen.update(candidate.text_id for candidate, _ in found)
        depth, ceiling = depth * 2, ranking[-1].score
    return ranking


def _candidates(
    connection: Connection, snapshot: Snapshot, task: Task, depth: int
) -> list[tuple[Candidate, ChunkHead]]:
    keyword = np.zeros(len(snapshot), np.float32)
    slots = np.empty(0, np.intp)
    if task.mode is not Mode.SEMANTIC:
        slots, scores = by_keyword(connection, snapshot, task.terms, task.allowed, depth)
        keyword[slots] = scores
    semantic = np.zeros(len(slots), np.float32)
    if task.vector is not None and task.vector.any():
        slots, semantic = by_meaning(connection, snapshot, task.vector, task.allowed, slots, depth)
    read = chunks.read_heads(connection, snapshot.chunk_ids[slots].tolist())
    found: list[tuple[Candidate, ChunkHead]] = []
    for slot, cosine in zip(slots.tolist(), semantic.tolist(), strict=True):
        head = read.get(int(snapshot.chunk_ids[slot]))
        document = int(snapshot.document_of[slot])
        if head is None or _is_excluded(snapshot, document, head, task.excluded):
            continue
        path = snapshot.documents.paths[document]
        candidate = Candidate(
            document=document,
            text_id=int(snapshot.text_ids[slot]),
            path=path,
            is_prose=snapshot.documents.kinds[document] == Kind.DOCS,
            title=head.title,
            definitions=head.definitions,
            keyword=float(keyword[slot]),
            semantic=cosine,
        )
        found.append((candidate, head))
    return found


def _is_excluded(
    snapshot: Snapshot, document: int, head: ChunkHead, excluded: tuple[Path, Range | None] | None
) -> bool:
    if excluded is None:
        return False
    path, place = excluded
    source = snapshot.sources[int(snapshot.documents.sources[document])]
    if source.root / snapshot.documents.paths[document] != path:
        return False
    return place is None or not (
        head.range.end.line < place.start.line or head.range.start.line > place.end.line
    )


def _hit(snapshot: Snapshot, found: _Found, text: str, task: Task, terms: Terms) -> Hit:
    candidate, head = found.candidate, found.head
    snippet = cut_snippet(text, head.range, frozenset(task.terms), terms)
    own = next((d.kind for d in head.definitions if d.path == head.title), None)
    kind = Kind(str(snapshot.documents.kinds[candidate.document]))
    return Hit(
        chunk_id=head.id,
        source=snapshot.sources[int(snapshot.documents.sources[candidate.document])],
        path=candidate.path,
        range=head.range,
        kind=kind,
        title=head.title,
        language=str(snapshot.documents.languages[candidate.document]),
        snippet=snippet.text,
        snippet_range=snippet.range,
        score=found.score,
        signals=found.signals,
        symbol_kind=own if kind is Kind.CODE else None,
        highlights=snippet.highlights,
    )
