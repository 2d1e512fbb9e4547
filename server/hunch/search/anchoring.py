"""Where a chunk is now: a file may have changed since the last look at it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hunch.model import Position, Problem, Range
from hunch.sources import folder
from hunch.text import LineIndex

if TYPE_CHECKING:
    from hunch.model import Hit
    from hunch.store.documents import Stamp

_MAX_BYTES = 16 * 1_048_576
"""A file that has grown beyond this is not searched for its old chunks."""


class Anchors:
    """Moves hits to where their text is at this moment; reads each changed file once. Blocks."""

    def __init__(self) -> None:
        self._texts: dict[tuple[int, str], str | None] = {}

    def anchor(self, hit: Hit, text: str, stamp: Stamp) -> Hit:
        """Return a hit at its present place, or marked `stale` when its text is not there any more.

        Args:
            hit: of a file in a folder.
            text: of its chunk.
            stamp: of the file as it was indexed.
        """
        try:
            status = (hit.source.root / hit.path).lstat()
        except OSError:
            return replace(hit, stale=True)
        if (status.st_size, status.st_mtime_ns) == (stamp.size, stamp.mtime_ns):
            return hit
        present = self._text(hit)
        moved = None if present is None else _find(present, text, hit.range)
        if moved is None:
            return replace(hit, stale=True)
        lines = moved.start.line - hit.range.start.line
        return replace(hit, range=moved, snippet_range=_down(hit.snippet_range, lines))

    def _text(self, hit: Hit) -> str | None:
        key = (hit.source.id, hit.path)
        if key not in self._texts:
            read = folder.read(hit.source.root, hit.path, max_file_bytes=_MAX_BYTES)
            self._texts[key] = None if isinstance(read, Problem) else read.text
        return self._texts[key]


def _find(present: str, text: str, place: Range) -> Range | None:
    """Return where `text` stands in `present`, nearest to its old first line."""
    index = LineIndex(present)
    found: list[Range] = []
    at = present.find(text)
    while at >= 0 and text:
        found.append(index.range(at, at + len(text)))
        at = present.find(text, at + len(text))
    return min(found, key=lambda r: abs(r.start.line - place.start.line), default=None)


def _down(place: Range, lines: int) -> Range:
    start, end = place.start, place.end
    return Range(
        Position(start.line + lines, start.character), Position(end.line + lines, end.character)
    )
