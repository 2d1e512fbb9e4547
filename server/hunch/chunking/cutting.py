"""Cut a document along its outline into pieces that keep to the budget.

A part that fits is one piece. One that does not is opened: its parts are cut in their turn, and the
loose lines before, between and after them are pieces of their own (before: the outline of a class).
Then tiny neighbours are merged.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hunch.chunking.budget import MAX_DEPTH, TARGET_INK, TINY_INK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hunch.chunking.levels import Levels
    from hunch.chunking.lines import Lines
    from hunch.chunking.outline import Part

_CLOSER = re.compile(r"[)\]}>;,]+|end[;),]*")
_COMMENTS = ("//", "/*", "--", "#")


@dataclass(slots=True)
class Piece:
    """Lines that will be one chunk (or several, where a line is longer than a chunk may be)."""

    first: int
    last: int
    parts: list[Part]
    """The parts that lie inside whole, in order; or none, and then these are lines of `home`."""
    home: Part
    """The part around it."""


class Cutter:
    """Cuts one document.

    Args:
        lines: the document.
        levels: says where a run of lines may be cut.
        max_lines: how long a piece may be.
        overlap: how many lines a piece repeats from the piece before it, if both are cut from one
            run of lines.
    """

    def __init__(
        self, lines: Lines, levels: Levels, *, max_lines: int | None = None, overlap: int = 0
    ) -> None:
        self._overlap = overlap
        self._lines = lines
        self._levels = levels
        self._max_lines = max_lines or lines.count

    def pieces(self, root: Part) -> list[Piece]:
        """Return pieces that hold every line of `root` that is not blank, in order."""
        found = list[Piece]()
        for piece in self._open(root, root.first, root.last, 0):
            if found and self._is_rest_of(found[-1], piece):
                found[-1].last = piece.last
            else:
                found.append(piece)
        return self._merge_lonely(self._merge_runs(found))

    def _open(self, part: Part, first: int, last: int, depth: int) -> Iterator[Piece]:
        at = first
        for child in part.children:
            start, end = max(child.first, at), min(child.last, last)
            if child.is_loose or end <= start:
                continue
            yield from self._loose(part, at, start)
            if self._fits(start, end):
                yield Piece(*self._lines.trim(start, end), [child], part)
            elif depth < MAX_DEPTH:
                yield from self._open(child, start, end, depth + 1)
            else:
                yield from self._loose(child, start, end)
            at = end
        yield from self._loose(part, at, last)

    def _loose(self, home: Part, first: int, last: int) -> Iterator[Piece]:
        """Cut lines that no part claims; the lowest level in the last two thirds is cut first."""
        first, last = self._lines.trim(first, last)
        start = first
        while first < last:
            cut = last if self._fits(first, last) else self._cut(first, last)
            _, end = self._lines.trim(first, cut)
            yield Piece(start, end, [], home)
            again = max(end - self._overlap, start + 1, first)
            first, last = self._lines.trim(cut, last)
            is_short = self._overlap > 0 and self._lines.ink(again, end) <= TINY_INK
            start = again if is_short else first

    def _cut(self, first: int, last: int) -> int:
        lines = self._lines
        # What is left over should not be a crumb: a little more than one piece is cut in halves.
        rest = lines.ink(first, last) - TARGET_INK
        limit = TARGET_INK - 2 * TINY_INK if 0 < rest < 2 * TINY_INK else TARGET_INK
        far = min(lines.reach(first, limit), first + self._max_lines, last)
        if far <= first + 1:
            return first + 1
        # The first third is left alone, be it a third of the ink or of the lines.
        near = min(lines.reach(first, limit // 3) + 1, first + (far - first) // 3)
        candidates = range(max(near, first + 1), far + 1)
        return min(candidates, key=lambda line: (self._levels(line) if line < last else 0, -line))

    def _fits(self, first: int, last: int, slack: int = 0) -> bool:
        return last - first <= self._max_lines and self._lines.fits(first, last, slack)

    def _is_rest_of(self, before: Piece, piece: Piece) -> bool:
        """Tell whether a piece is only the brackets that close what came before."""
        lines = self._lines
        if piece.parts or lines.ink(piece.first, piece.last) > TINY_INK:
            return False
        text = lines.text[lines.starts[piece.first] : lines.starts[piece.last]]
        return piece.first - before.last < 3 and _only_closes(text)

    def _merge_runs(self, pieces: list[Piece]) -> list[Piece]:
        """Merge neighbours in one part that are all tiny, up to the target."""
        merged = list[Piece]()
        run_of_tiny = False
        for piece in pieces:
            tiny = self._is_tiny(piece)
            if run_of_tiny and tiny and self._are_kin(merged[-1], piece):
                self._join(merged[-1], piece)
            else:
                merged.append(piece)
            run_of_tiny = tiny
        return merged

    def _merge_lonely(self, pieces: list[Piece]) -> list[Piece]:
        """Merge a tiny piece with a neighbour in the same part, else with any that has room."""
        for must_be_kin in (True, False):
            merged = list[Piece]()  # from last to first, because comments belong to what follows
            for piece in reversed(pieces):
                if merged and self._is_lonely(piece, merged[-1], must_be_kin=must_be_kin):
                    self._join(piece, merged.pop())
                merged.append(piece)
            pieces = merged[::-1]
        return pieces

    def _is_lonely(self, before: Piece, after: Piece, *, must_be_kin: bool) -> bool:
        is_kin = before.home is after.home or not must_be_kin
        is_any_tiny = self._is_tiny(before) or self._is_tiny(after)
        return is_kin and is_any_tiny and self._go_together(before, after, TINY_INK)

    def _are_kin(self, before: Piece, after: Piece) -> bool:
        return before.home is after.home and self._go_together(before, after)

    def _is_tiny(self, piece: Piece) -> bool:
        return self._lines.ink(piece.first, piece.last) < TINY_INK

    def _go_together(self, before: Piece, after: Piece, slack: int = 0) -> bool:
        """Tell whether two pieces go together into one chunk."""
        if any(part.is_alone for piece in (before, after) for part in piece.parts[:1]):
            return False
        return self._fits(before.first, after.last, slack)

    def _join(self, before: Piece, after: Piece) -> None:
        ink = self._lines.ink
        if ink(after.first, after.last) > ink(before.first, before.last):
            before.home = after.home
        before.last = after.last
        before.parts += after.parts


def _only_closes(text: str) -> bool:
    """Tell whether a text is brackets and `end`s, with a comment after them or not."""
    for word in text.split():
        if word.startswith(_COMMENTS):
            return text.count("\n") <= 1
        if _CLOSER.fullmatch(word) is None:
            return False
    return True
