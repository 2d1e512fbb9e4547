"""A text seen as lines, with what they cost."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from hunch.chunking.budget import MAX_CHARS, TARGET_INK, ink
from hunch.model import Position, Range
from hunch.text import line_starts, utf16_length


class Lines:
    """Answers questions about stretches of whole lines, each `first`..`last` half-open.

    Questions cost constant or logarithmic time, so that a cutter may ask at every line. One thread
    at a time may use an object, because it remembers answers.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [*line_starts(text), len(text)]
        """Character offset of every line's start, and of the text's end."""
        self.count = len(self.starts) - 1
        pairs = zip(self.starts, self.starts[1:], strict=False)
        self._first_ink = dict[int, int]()
        self._last_position = Position(0), 0
        self._ink = [0, *accumulate(ink(text[a:b]) for a, b in pairs)]

    def line_of(self, offset: int) -> int:
        """Return the line that holds the character at `offset`."""
        return bisect_right(self.starts, offset, 0, self.count) - 1

    def range(self, start: int, end: int) -> Range:
        """Return the range of the half-open span of characters `start`..`end`."""
        return Range(self._position(start), self._position(end))

    def _position(self, offset: int) -> Position:
        # Counting goes on from the last position: a long line has many, asked for in order.
        position, known = self._last_position
        line = self.line_of(offset)
        if position.line != line or known > offset:
            position, known = Position(line), self.starts[line]
        units = position.character + utf16_length(self.text[known:offset])
        self._last_position = Position(line, units), offset
        return self._last_position[0]

    def is_first(self, offset: int) -> bool:
        """Tell whether only white space stands before `offset` in its line."""
        line = self.line_of(offset)
        first = self._first_ink.get(line)
        if first is None:
            text = self.line(line)
            first = self.starts[line] + len(text) - len(text.lstrip())
            self._first_ink[line] = first
        return offset <= first

    def line(self, number: int) -> str:
        """Return one line with its end."""
        return self.text[self.starts[number] : self.starts[number + 1]]

    def ink(self, first: int, last: int) -> int:
        """Count the characters in a stretch that are not white space."""
        return self._ink[last] - self._ink[first]

    def is_blank(self, number: int) -> bool:
        """Tell whether a line has only white space."""
        return self._ink[number] == self._ink[number + 1]

    def fits(self, first: int, last: int, slack: int = 0) -> bool:
        """Tell whether a stretch keeps to the target, or exceeds it by `slack` ink at most."""
        return (
            self.ink(first, last) <= TARGET_INK + slack
            and self.starts[last] - self.starts[first] <= MAX_CHARS
        )

    def reach(self, first: int, ink_limit: int) -> int:
        """Return the furthest `last` with at most `ink_limit` ink and `MAX_CHARS` after `first`."""
        by_ink = bisect_right(self._ink, self._ink[first] + ink_limit) - 1
        by_length = bisect_right(self.starts, self.starts[first] + MAX_CHARS) - 1
        return min(by_ink, by_length, self.count)

    def trim(self, first: int, last: int) -> tuple[int, int]:
        """Drop blank lines from both ends of a stretch."""
        while first < last and self.is_blank(first):
            first += 1
        while last > first and self.is_blank(last - 1):
            last -= 1
        return first, last

    def content_end(self, number: int) -> int:
        """Return the offset where a line's content ends and its line end begins."""
        return self.starts[number] + len(self.line(number).rstrip("\r\n"))
