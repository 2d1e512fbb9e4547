"""Cutting Jupyter notebooks by cells.

The document is the raw JSON, and so are the chunks: a range must open at the right lines. Outputs
are left out, because they are long, repeat what the code says and often are pictures in base64.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING

from hunch.chunking.assembling import Assembler
from hunch.chunking.cells import read_cells
from hunch.chunking.cutting import Cutter
from hunch.chunking.definitions import find_parts
from hunch.chunking.grammars import GRAMMARS
from hunch.chunking.headings import plain
from hunch.chunking.levels import by_layout
from hunch.chunking.lines import Lines
from hunch.chunking.outline import Part, nest
from hunch.chunking.parsing import ParseError, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hunch.chunking.cells import Cell
    from hunch.chunking.cutting import Piece
    from hunch.model import Chunk

_HEADING = re.compile(r"[ ]{0,3}(#{1,6})[ \t]+(\S.*)")
_MAGIC = re.compile(r"^[ \t]*[%!?].*", re.MULTILINE)


def cut_notebook(lines: Lines) -> tuple[Chunk, ...]:
    """Cut a notebook into its cells; small neighbours share a chunk.

    Raises:
        ParseError: this is not a notebook, or the grammars cannot read it.
    """
    tree, _ = parse("json", lines.text)
    cells = read_cells(lines, tree.root_node)
    if tree.root_node.has_error or not cells:
        reason = "it is not a notebook with cells"
        raise ParseError(reason)
    parts = list(_cell_parts(cells))
    cutter = Cutter(lines, by_layout(lines))
    pieces = list["Piece"]()
    for first, last in _stretches(cells, lines.count):
        inside = [part for part in parts if first <= part.first and part.last <= last]
        pieces += cutter.pieces(nest(inside, last, first))
    symbols = sorted([*parts, *_definitions(lines, cells)], key=lambda part: part.name_at)
    return tuple(Assembler(lines, nest(symbols, lines.count)).chunks(pieces))


def _cell_parts(cells: list[Cell]) -> Iterator[Part]:
    """Name every cell by the headings above it and its number."""
    path = list[tuple[int, str]]()
    for number, cell in enumerate(cells, 1):
        heading = None if cell.is_code else _HEADING.match(cell.text)
        if heading:
            level = len(heading[1])
            path = [*((n, text) for n, text in path if n < level), (level, plain(heading[2]))]
        names = [text for _, text in path] + ([] if heading else [f"cell {number}"])
        first, last = cell.visible
        name_at = cell.source[0][0] if cell.source else 0
        if first < last:
            yield Part(first, last, " > ".join(names), -1, name_at=name_at)


def _stretches(cells: list[Cell], count: int) -> Iterator[tuple[int, int]]:
    """Yield the lines between outputs."""
    at = 0
    for hole in (cell.hole for cell in cells if cell.hole):
        yield at, hole[0]
        at = hole[1]
    yield at, count


def _definitions(lines: Lines, cells: list[Cell]) -> Iterator[Part]:
    """Find what code cells define, taking all of them for one Python module."""
    strings = [string for cell in cells if cell.is_code for string in (*cell.source, (0, "\n"))]
    code = "".join(text for _, text in strings)
    code = _MAGIC.sub(lambda match: " " * len(match[0]), code)
    starts = [0]
    for _, text in strings:
        starts.append(starts[-1] + len(text))
    _, matches = parse("python", code)
    for part in find_parts(Lines(code), matches, GRAMMARS["python"]):
        offset = strings[bisect_right(starts, part.name_at) - 1][0]
        line = lines.line_of(offset)
        definition = part.definition and replace(part.definition, line=line)
        yield Part(line, line + 1, part.title, line, definition, is_loose=True, name_at=offset)
