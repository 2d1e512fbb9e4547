"""Reading the cells of a Jupyter notebook (nbformat 4) with their places in the raw JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from hunch.chunking.lines import Lines


@dataclass(slots=True)
class Cell:
    """One cell."""

    first: int
    """The first line of its JSON object."""
    last: int
    """One past the last line."""
    is_code: bool = False
    source: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    """Offset in the document and decoded text of every string of its source."""
    hole: tuple[int, int] | None = None
    """The lines of its outputs, half-open, if these have lines of their own."""

    hole_offset: int = 0
    """Offset of the outputs in the document."""

    @property
    def text(self) -> str:
        """The source as its author sees it."""
        return "".join(text for _, text in self.source)

    @property
    def visible(self) -> tuple[int, int]:
        """The lines of the cell, half-open, on that side of its outputs where the source stands."""
        if self.hole is None:
            return self.first, self.last
        is_after = bool(self.source) and self.source[0][0] >= self.hole_offset
        return (self.hole[1], self.last) if is_after else (self.first, self.hole[0])


def read_cells(lines: Lines, root: Node) -> list[Cell]:
    """Return the cells below the root of a JSON tree, in order; none if this is no notebook."""
    return [
        _read(lines, cell)
        for document in root.named_children
        for key, value in _pairs(lines, document)
        if key == "cells"
        for cell in value.named_children
        if cell.type == "object"
    ]


def _read(lines: Lines, node: Node) -> Cell:
    cell = Cell(lines.line_of(node.start_byte), lines.line_of(node.end_byte - 1) + 1)
    for key, value in _pairs(lines, node):
        if key == "cell_type":
            cell.is_code = _string(lines, value) == "code"
        elif key == "outputs":
            cell.hole, cell.hole_offset = _hole(lines, value), value.start_byte
        elif key == "source":
            strings = [value] if value.type == "string" else value.named_children
            cell.source = [(s.start_byte, _string(lines, s)) for s in strings]
    return cell


def _pairs(lines: Lines, node: Node) -> Iterator[tuple[str, Node]]:
    for pair in node.named_children:
        key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if key is not None and value is not None:
            yield _string(lines, key), value


def _string(lines: Lines, node: Node) -> str:
    try:
        value = json.loads(lines.text[node.start_byte : node.end_byte], strict=False)
    except ValueError:
        return ""
    return value if isinstance(value, str) else ""


def _hole(lines: Lines, outputs: Node) -> tuple[int, int] | None:
    first, last = lines.line_of(outputs.start_byte), lines.line_of(outputs.end_byte - 1)
    before = lines.text[lines.starts[first] : outputs.start_byte].strip()
    after = lines.text[outputs.end_byte : lines.starts[last + 1]].strip()
    if first == last or before != '"outputs":' or after not in {"", ","}:
        return None
    return first, last + 1
