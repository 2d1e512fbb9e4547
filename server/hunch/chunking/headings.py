"""From headings to sections: what prose has in place of definitions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hunch.chunking.outline import Part, nest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hunch.chunking.lines import Lines

_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_MARKUP = re.compile(r"<[^<>]*>|[*`]+|\\(?=[\W_])")
_MAX_CHARS = 120


@dataclass(frozen=True, slots=True)
class Heading:
    """One heading; the section below it goes to the next heading of its level or a higher one."""

    line: int
    """Its first line."""
    level: int
    """1 is the highest; numbers may be left out."""
    text: str
    """Its words, markup included."""


def sections(headings: Iterable[Heading], lines: Lines) -> Part:
    """Build the outline of a document; titles are heading paths."""
    parts = list[Part]()
    open_parts = list[tuple[int, str, Part]]()
    for heading in headings:
        while open_parts and open_parts[-1][0] >= heading.level:
            open_parts.pop()[2].last = heading.line
        outer = [open_parts[-1][1]] if open_parts and open_parts[-1][1] else []
        title = " > ".join([*outer, *filter(None, [plain(heading.text)])])
        name_at = lines.starts[heading.line]
        parts.append(Part(heading.line, lines.count, title, heading.line, name_at=name_at))
        open_parts.append((heading.level, title, parts[-1]))
    return nest(parts, lines.count)


def plain(text: str) -> str:
    """Take the markup out of a heading's text."""
    return " ".join(_MARKUP.sub("", _LINK.sub(r"\1", text)).split())[:_MAX_CHARS]
