"""Cutting along headings (Markdown, reStructuredText, HTML) and keys (YAML), without a grammar."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hunch.chunking import markdown, restructuredtext, yaml
from hunch.chunking.assembling import Assembler
from hunch.chunking.budget import OVERLAP_LINES
from hunch.chunking.cutting import Cutter
from hunch.chunking.headings import Heading, sections
from hunch.chunking.levels import by_layout
from hunch.chunking.outline import Part

if TYPE_CHECKING:
    from hunch.chunking.lines import Lines
    from hunch.model import Chunk

FRONT_MATTER = "(front matter)"
"""Title of the settings at the top of a Markdown document."""
_HTML_HEADING = re.compile(
    r"<h([1-6])\b[^<>]*>([^<]*(?:<(?!/?h[1-6])[^<]*){0,20})</h\1\s*>", re.IGNORECASE
)


def cut_markdown(lines: Lines) -> tuple[Chunk, ...]:
    """Cut at headings, then at paragraphs; never inside a fence while there is another place."""
    found = markdown.scan([lines.line(n).rstrip("\r\n") for n in range(lines.count)])
    root = sections(found.headings, lines)
    if found.front_matter:
        front = Part(0, found.front_matter, FRONT_MATTER, -1, is_alone=True, parent=root)
        root.children.insert(0, front)
    return _cut(lines, root, avoid=found.fenced)


def cut_restructuredtext(lines: Lines) -> tuple[Chunk, ...]:
    """Cut at headings, then at paragraphs."""
    texts = [lines.line(n).rstrip("\r\n") for n in range(lines.count)]
    return _cut(lines, sections(restructuredtext.headings(texts), lines))


def cut_html(lines: Lines) -> tuple[Chunk, ...]:
    """Cut at headings, then where the layout suggests it."""
    headings = [
        Heading(lines.line_of(match.start()), int(match[1]), match[2])
        for match in _HTML_HEADING.finditer(lines.text)
    ]
    return _cut(lines, sections(headings, lines), overlap=0)


def cut_yaml(lines: Lines) -> tuple[Chunk, ...]:
    """Cut at keys, then where the layout suggests it."""
    return _cut(lines, yaml.outline(lines), overlap=0)


def _cut(
    lines: Lines, root: Part, *, avoid: set[int] | None = None, overlap: int = OVERLAP_LINES
) -> tuple[Chunk, ...]:
    levels = by_layout(lines, avoid=avoid)
    pieces = Cutter(lines, levels, overlap=overlap).pieces(root)
    return tuple(Assembler(lines, root).chunks(pieces))
