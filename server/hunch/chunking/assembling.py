"""From pieces to chunks: text, range, title, definitions, context and the hard bounds."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from hunch.chunking.budget import CONTEXT_CHARS, MAX_TOKENS, TARGET_INK, is_within_bounds
from hunch.model import Chunk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hunch.chunking.cutting import Piece
    from hunch.chunking.lines import Lines
    from hunch.chunking.outline import Part
    from hunch.model import Definition

HEADER = "(imports/header)"
"""Title of the lines of code before the first definition."""
_MAX_LISTED = 3
_BREAKS = " \t;,}>"


class Assembler:
    """Makes the chunks of one document."""

    def __init__(self, lines: Lines, root: Part, *, header: str = "") -> None:
        self._lines = lines
        self._root = root
        self._header = header
        self._defined = sorted(_walk(root), key=lambda part: part.name_at)
        self._name_at = [part.name_at for part in self._defined]

    def chunks(self, pieces: list[Piece]) -> Iterator[Chunk]:
        """Yield the chunks of ordered pieces, every one within the hard bounds."""
        has_begun = False
        for number, piece in enumerate(pieces):
            title = self._title(piece, is_first=number == 0)
            has_begun = has_begun or bool(piece.parts) or piece.home is not self._root
            if not (title or has_begun):
                title = self._header
            for start, end in self._spans(piece.first, piece.last):
                yield self._chunk(piece, title, start, end)

    def _chunk(self, piece: Piece, title: str, start: int, end: int) -> Chunk:
        inside = self._definitions(start, end)
        own = [definition for definition in inside if definition.path == title]
        others = [definition for definition in inside if definition.path != title]
        return Chunk(
            self._lines.range(start, end),
            self._lines.text[start:end],
            title,
            (*own, *others),
            self._context(piece, start),
        )

    def _definitions(self, start: int, end: int) -> list[Definition]:
        low, high = bisect_left(self._name_at, start), bisect_left(self._name_at, end)
        return [p.definition for p in self._defined[low:high] if p.definition is not None]

    def _title(self, piece: Piece, *, is_first: bool) -> str:
        """Name a piece as a reader would: by its only or largest part, else by what is around."""
        lines = self._lines
        largest = max(piece.parts, key=lambda p: lines.ink(p.first, p.last), default=None)
        whole = lines.ink(piece.first, piece.last)
        if largest and 2 * lines.ink(largest.first, largest.last) >= whole:
            return largest.title
        begins_loose = largest is None or largest.first > piece.first
        if self._header and is_first and piece.home is self._root and begins_loose:
            return self._header
        return piece.home.title or self._listed(piece)

    def _listed(self, piece: Piece) -> str:
        """Name a piece by the first symbol in it, or by the first few keys or sections."""
        if piece.parts and piece.parts[0].definition:
            return piece.parts[0].title
        start, end = self._lines.starts[piece.first], self._lines.starts[piece.last]
        low, high = bisect_left(self._name_at, start), bisect_left(self._name_at, end)
        inside = self._defined[low:high]
        if inside and inside[0].definition:
            return inside[0].title
        titles = [part.title for part in inside if part.parent is piece.home and part.title]
        return ", ".join(titles[:_MAX_LISTED]) + (", …" if len(titles) > _MAX_LISTED else "")

    def _context(self, piece: Piece, start: int) -> str:
        """Return the line that names what is around, unless the chunk shows it."""
        first = self._lines.line_of(start)
        part = piece.parts[0] if piece.parts else piece.home
        while part.parent is not None and part.head >= first:
            part = part.parent
        return (
            self._lines.line(part.head).strip()[:CONTEXT_CHARS]
            if part.parent and part.head >= 0
            else ""
        )

    def _spans(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Yield the spans of characters of a stretch of lines, cut where it breaks a bound."""
        lines = self._lines
        while first < last:
            end = self._bounded(first, last)
            start, stop = lines.starts[first], lines.content_end(end - 1)
            if end > first + 1 or is_within_bounds(lines.text[start:stop]):
                yield start, stop
            else:
                yield from _cut_line(lines.text, start, stop)
            first, last = lines.trim(end, last)

    def _bounded(self, first: int, last: int) -> int:
        """Return the furthest end of a stretch that is within bounds, but at least one line."""
        while last > first + 1:
            start, stop = self._lines.starts[first], self._lines.content_end(last - 1)
            if is_within_bounds(self._lines.text[start:stop]):
                break
            last = first + max(1, (last - first) // 2)
        return last


def _cut_line(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Cut a line that is longer than a chunk may be, after a break if one is near."""
    size = min(MAX_TOKENS, TARGET_INK)
    while stop - start > size:
        nearest = max(text.rfind(mark, start + size * 3 // 4, start + size) for mark in _BREAKS)
        end = nearest + 1 if nearest > 0 else start + size
        if text[start:end].strip():
            yield start, end
        start = end
    if text[start:stop].strip():
        yield start, stop


def _walk(root: Part) -> Iterator[Part]:
    """Yield all parts below the root in source order."""
    stack = list(reversed(root.children))
    while stack:
        part = stack.pop()
        yield part
        stack += reversed(part.children)
