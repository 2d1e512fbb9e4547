"""The lines of a chunk that a person wants to see."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hunch.model import Position, Range
from hunch.text import split_lines, utf16_length

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hunch.ranking.terms import Terms

MAX_LINES = 20
MAX_CHARS = 2_000

_TOKEN = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Snippet:
    """An excerpt."""

    text: str
    """Whole lines without the last one's end, unless a single line is too long."""
    range: Range
    """Where it stands in the document."""
    highlights: tuple[tuple[int, int], ...]
    """Half-open character spans in `text` that match the query."""


def cut_snippet(text: str, place: Range, wanted: frozenset[int], terms: Terms) -> Snippet:
    """Choose the stretch of lines that holds most words of the query, the earliest of equal ones.

    Args:
        text: of the chunk.
        place: where the chunk stands in its document.
        wanted: terms of the query.
        terms: splits words.
    """
    lines = split_lines(text)
    first, last = 0, len(lines)
    if len(lines) > MAX_LINES or len(text) > MAX_CHARS:
        matches = [_matches(line, wanted, terms) for line in lines]
        first, last = _window(matches, [len(line) for line in lines])
    excerpt = "".join(lines[first:last])[:MAX_CHARS].rstrip("\r\n")
    start = place.start if first == 0 else Position(place.start.line + first)
    rows = split_lines(excerpt) or [""]
    end_line = start.line + len(rows) - 1
    offset = start.character if len(rows) == 1 else 0
    end = Position(end_line, offset + utf16_length(rows[-1]))
    return Snippet(excerpt, Range(start, end), _highlights(excerpt, wanted, terms))


def _window(matches: Sequence[frozenset[int]], sizes: Sequence[int]) -> tuple[int, int]:
    """Return the first line and the line after the last of the best stretch that may be shown."""
    best, best_score = (0, 1), -1.0
    last = 0
    for first in range(len(matches)):
        last = max(last, first + 1)
        shown = sum(sizes[first:last])
        while last < min(first + MAX_LINES, len(sizes)) and shown + sizes[last] <= MAX_CHARS:
            shown += sizes[last]
            last += 1
        stretch = matches[first:last]
        score = len(set[int]().union(*stretch)) + 0.01 * sum(map(len, stretch))
        if score > best_score:
            best, best_score = (first, last), score
        if last == len(matches):
            break
    return best


def _matches(line: str, wanted: frozenset[int], terms: Terms) -> frozenset[int]:
    return wanted.intersection(terms.of(line[:MAX_CHARS]))


def _highlights(text: str, wanted: frozenset[int], terms: Terms) -> tuple[tuple[int, int], ...]:
    tokens = {t for t in set(_TOKEN.findall(text)) if not wanted.isdisjoint(terms.of(t))}
    return tuple(m.span() for m in _TOKEN.finditer(text) if m[0] in tokens)
