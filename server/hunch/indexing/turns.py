"""From the turns of a conversation to what the store keeps of them."""

from __future__ import annotations

import json
from bisect import bisect_right
from hashlib import blake2b
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from hunch.indexing.planning import content_hash
from hunch.model import Chunk, Kind, Position, Range
from hunch.ranking.terms import count_terms
from hunch.sources.conversations.passages import cut, is_too_short
from hunch.sources.conversations.readable import body_of, readable, title_of
from hunch.store.conversations import NewTurn
from hunch.store.documents import NewDocument, Stamp
from hunch.store.postings import Postings
from hunch.text import line_starts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hunch.ranking.terms import Terms
    from hunch.sources.conversations.base import Conversation, Turn
    from hunch.sources.conversations.readable import Readable

_VERSION = 2
"""Raised when equal turns are written or counted differently than before."""


def hash_of_turn(turn: Turn) -> bytes:
    """Return blake2b-16 of what is kept of a turn."""
    kept = json.dumps([_VERSION, body_of(turn), str(turn.started)])
    return blake2b(kept.encode(), digest_size=16).digest()


def plan_turns(
    spoken: Iterable[tuple[Turn, Conversation]], label: str, terms: Terms
) -> tuple[list[NewTurn], Postings]:
    """Cut some turns of one agent and count their terms; blocks.

    A turn that says too little to be found keeps its place among the others and has no chunks.

    Args:
        spoken: redacted turns, each with its conversation.
        label: the agent's name for people.
        terms: splits words.
    """
    made = [(turn, _place(turn, talk), readable(turn, label)) for turn, talk in spoken]
    chunks = [[*_chunks(turn, written)] for turn, _, written in made]
    counts, lengths = count_terms(
        fields
        for (_, place, _), of_turn in zip(made, chunks, strict=True)
        for fields in _fields(of_turn, place, terms)
    )
    planned: list[NewTurn] = []
    at = 0
    for (turn, _, written), of_turn in zip(made, chunks, strict=True):
        moment = turn.ended or turn.started
        document = NewDocument(
            path=turn.id,
            stamp=Stamp(
                len(written.text),
                int(moment.timestamp() * 1e9) if moment else 0,
                hash_of_turn(turn),
            ),
            language="markdown",
            kind=Kind.CONVERSATION,
            chunks=of_turn,
            text_hashes=[content_hash(chunk) for chunk in of_turn],
            lengths=lengths[at : at + len(of_turn)],
        )
        at += len(of_turn)
        planned.append(NewTurn(document, turn.started, len(written.lines), body_of(turn)))
    return planned, Postings(*counts)


def _place(turn: Turn, conversation: Conversation) -> str:
    """Return what people call the place of a turn: the project, the conversation, the day."""
    project = PurePosixPath(conversation.directory.replace("\\", "/")).name
    day = turn.started.astimezone() if turn.started else None
    return f"{project} {conversation.title} {f'{day:%B} {day.day} {day.year}' if day else ''}"


def _fields(
    chunks: Sequence[Chunk], place: str, terms: Terms
) -> Iterator[tuple[list[int], list[int], list[int]]]:
    """Yield the terms of the fields of each part; the title stands in the text of the first already."""
    place_terms = terms.of(place)
    for number, chunk in enumerate(chunks):
        yield terms.of(chunk.title) if number else [], place_terms, terms.of(chunk.text)


def _chunks(turn: Turn, written: Readable) -> Iterator[Chunk]:
    """Yield the parts of a turn; ranges are lines of the turn as a person reads it."""
    if is_too_short(turn):
        return
    title, starts, offset = title_of(turn), line_starts(written.text), 0
    for part in cut(written.text):
        first = written.line_of[bisect_right(starts, offset) - 1]
        offset += len(part)
        last = written.line_of[bisect_right(starts, max(offset - 1, 0)) - 1]
        stretch = Range(Position(first if offset > len(part) else 0), Position(last + 1))
        yield Chunk(stretch, part, title)
