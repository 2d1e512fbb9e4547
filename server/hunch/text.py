"""Lines, columns and words of a text, as editors count them.

A line ends at LF, CRLF or a lone CR and nowhere else (LSP 3.17, "Text Documents"); form feed,
vertical tab, U+0085 and U+2028 are ordinary characters, unlike in `str.splitlines`.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from hunch.model import Position, Range

_LINE_END = re.compile(r"\r\n|\n|\r")


def embedding_text(title: str, context: str, text: str) -> str:
    """Return what is embedded of a chunk: what it is called and where it belongs, then itself.

    The path is left out on purpose: vectors are kept by content, and moving a file makes no new one.
    """
    return "\n".join(part for part in (title, context, text) if part)


def utf16_length(text: str) -> int:
    """Count the UTF-16 code units of `text`."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def split_lines(text: str) -> list[str]:
    """Cut `text` into lines that keep their ends; joined again they are `text`."""
    starts = line_starts(text)
    return [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True) if a < b]


def line_starts(text: str) -> list[int]:
    """Return the character offset of every line's start; a final line end opens one more line."""
    return [0, *(match.end() for match in _LINE_END.finditer(text))]


class LineIndex:
    """Converts between character offsets of one text and positions in it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.starts = line_starts(text)
        """Character offset of every line's start, ascending."""

    def __len__(self) -> int:
        """Count the lines, the empty one after a final line end included."""
        return len(self.starts)

    def line_of(self, offset: int) -> int:
        """Return the line that holds the character at `offset` (0..length)."""
        return bisect_right(self.starts, offset) - 1

    def position(self, offset: int) -> Position:
        """Return the position of a character offset (0..length)."""
        line = self.line_of(offset)
        return Position(line, utf16_length(self._text[self.starts[line] : offset]))

    def range(self, start: int, end: int) -> Range:
        """Return the range of the half-open span `start`..`end`."""
        return Range(self.position(start), self.position(end))

    def offset(self, position: Position) -> int:
        """Return the character offset of a position, clamped to its line and to the text.

        A column inside a surrogate pair is moved to the pair's start.
        """
        if position.line >= len(self.starts):
            return len(self._text)
        start = self.starts[max(position.line, 0)]
        line = self._text[start : self._content_end(position.line)]
        if line.isascii():
            return start + min(max(position.character, 0), len(line))
        units = line.encode("utf-16-le", "surrogatepass")[: max(position.character, 0) * 2]
        before = units.decode("utf-16-le", "surrogatepass")
        # A pair that was cut in two leaves half a character that the line does not have.
        return start + len(before) - (before != line[: len(before)])

    def _content_end(self, line: int) -> int:
        end = self.starts[line + 1] if line + 1 < len(self.starts) else len(self._text)
        start = self.starts[line]
        while end > start and self._text[end - 1] in "\r\n":
            end -= 1
        return end
