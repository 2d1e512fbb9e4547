"""Answering one query on a reader thread: retrieve, rank, and fill in the page that is asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hunch.model import Hit, Kind, Mode
from hunch.ranking.candidates import Candidate
from hunch.ranking.fusion import rank
from hunch.search.anchoring import Anchors
from hunch.search.retrieve import by_keyword, by_meaning
from hunch.search.snippets import cut_snippet
from hunch.search.turns import Here, judge, put_in_place
from hunch.store import conversations
from hunch.store.documents import read_stamps

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from hunch.model import Range
    from hunch.ranking.question import Question
    from hunch.ranking.terms import Terms
    from hunch.store.chunks import ChunkHead
    from hunch.store.database import Connection
    from hunch.store.view import View

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
    excluded: Excluded | None = None
    here: Here = field(default_factory=Here)
    half_life_days: float = 30.0
    """Age at which a conversation has lost half of what being recent gives."""


@dataclass(frozen=True)
class Excluded:
    """The place that is asked about, which is no answer."""

    path: Path | None
    uri: str
    """Of the open document, which need not be a file; else empty."""
    range: Range | None
    """What hits must not touch; None for the whole document."""


class _Found(NamedTuple):
    """A ranked candidate with what is shown of it."""

    slot: int
    candidate: Candidate
    head: ChunkHead
    score: float
    signals: dict[str, float | bool]


def answer(connection: Connection, view: View, task: Task, terms: Terms) -> list[Hit]:
    """Return the page of hits that a task asks for, best first."""
    ranked = _ranking(connection, view, task, terms)
    page = ranked[task.offset : task.offset + task.limit]
    texts = view.read_texts(connection, [found.slot for found in page])
    ids = view.documents.ids[view.document_of[[found.slot for found in page]]].tolist()
    stamps, anchors = read_stamps(connection, ids), Anchors()
    places = conversations.places_of(connection, ids)
    hits: list[Hit] = []
    for found, document_id in zip(page, ids, strict=True):
        if found.slot in texts:
            text = texts[found.slot]
            hit = _hit(view, found, text, task, terms)
            if document_id in places:
                hit = put_in_place(hit, places[document_id])
            elif document_id in stamps:
                hit = anchors.anchor(hit, text, stamps[document_id])
            hits.append(hit)
    return hits


def _ranking(connection: Connection, view: View, task: Task, terms: Terms) -> list[_Found]:
    """Rank as many candidates as the page needs: the first DEPTH, and behind them those deeper down.

    What comes first does not depend on how much is asked for, so all pages are of one ranking.
    """
    ranking: list[_Found] = []
    depth, ceiling, seen = DEPTH, 1.0, set[int]()
    while len(ranking) < task.offset + task.limit:
        found = [
            entry
            for entry in _candidates(connection, view, task, depth)
            if entry[1].text_id not in seen
        ]
        if not found:
            break
        ranking += [
            _Found(*found[ranked.index], ceiling * ranked.score, ranked.signals)
            for ranked in rank(
                task.question,
                [candidate for _, candidate, _ in found],
                terms,
                half_life_days=task.half_life_days,
            )
        ]
        seen.update(candidate.text_id for _, candidate, _ in found)
        depth, ceiling = depth * 2, ranking[-1].score
    return ranking


def _candidates(
    connection: Connection, view: View, task: Task, depth: int
) -> list[tuple[int, Candidate, ChunkHead]]:
    """Return slot, candidate and head of what the retrievers find."""
    keyword = np.zeros(len(view), np.float32)
    slots = np.empty(0, np.intp)
    if task.mode is not Mode.SEMANTIC:
        slots, scores = by_keyword(connection, view, task.terms, task.allowed, depth)
        keyword[slots] = scores
    semantic = np.zeros(len(slots), np.float32)
    if task.vector is not None and task.vector.any():
        slots, semantic = by_meaning(connection, view, task.vector, task.allowed, slots, depth)
    heads = view.read_heads(connection, slots)
    found: list[tuple[int, Candidate, ChunkHead]] = []
    for slot, cosine in zip(slots.tolist(), semantic.tolist(), strict=True):
        head = heads.get(slot)
        document = int(view.document_of[slot])
        if head is None or _is_excluded(view, document, head, task.excluded):
            continue
        candidate = Candidate(
            document=document,
            text_id=int(view.text_ids[slot]),
            path=view.documents.paths[document],
            is_prose=view.documents.kinds[document] == Kind.DOCS,
            title=head.title,
            definitions=head.definitions,
            keyword=float(keyword[slot]),
            semantic=cosine,
        )
        found.append((slot, candidate, head))
    return judge(connection, view, found, task.here)


def _is_excluded(view: View, document: int, head: ChunkHead, excluded: Excluded | None) -> bool:
    if excluded is None:
        return False
    overlay = view.overlay_of(document)
    is_same = overlay is not None and overlay.uri == excluded.uri
    if not is_same and view.place_of(document) != excluded.path:
        return False
    place = excluded.range
    return place is None or not (
        head.range.end.line < place.start.line or head.range.start.line > place.end.line
    )


def _hit(view: View, found: _Found, text: str, task: Task, terms: Terms) -> Hit:
    candidate, head = found.candidate, found.head
    snippet = cut_snippet(text, head.range, frozenset(task.terms), terms)
    own = next((d.kind for d in head.definitions if d.path == head.title), None)
    documents, at = view.documents, int(view.document_of[found.slot])
    kind = Kind(str(documents.kinds[at]))
    overlay = view.overlay_of(at)
    return Hit(
        chunk_id=head.id,
        source=view.sources[int(documents.sources[at])],
        path=candidate.path,
        range=head.range,
        kind=kind,
        title=head.title,
        language=str(documents.languages[at]),
        snippet=snippet.text,
        snippet_range=snippet.range,
        score=found.score,
        signals=found.signals,
        symbol_kind=own if kind is Kind.CODE else None,
        highlights=snippet.highlights,
        uri=overlay.uri if overlay else "",
    )
