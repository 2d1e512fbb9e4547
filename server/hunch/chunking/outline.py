"""The skeleton of a document: named stretches of lines, one inside the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hunch.chunking.budget import MAX_DEPTH

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hunch.model import Definition


@dataclass(slots=True, eq=False)
class Part:
    """A definition, a section or a key: what a reader would name when asked "where are we?"."""

    first: int
    """The first line, decorators and documentation included."""
    last: int
    """One past the last line."""
    title: str = ""
    head: int = 0
    """The line of the name, which serves as context for what lies inside."""
    definition: Definition | None = None
    is_loose: bool = False
    """Too small to be a chunk of its own, such as a constant: it is listed, but not cut out."""
    name_at: int = 0
    """Character offset of the name."""
    is_alone: bool = False
    """Never merged with a neighbour, such as front matter."""
    parent: Part | None = None
    """The part around it; only the root has none."""
    children: list[Part] = field(default_factory=list["Part"])
    """The parts directly inside, in order."""


def nest(parts: Iterable[Part], last: int, first: int = 0) -> Part:
    """Hang parts, ordered by first line, outer before inner, below a root over `first`..`last`.

    A part that overlaps its elder without lying inside it becomes its younger sibling.
    """
    root = Part(first, last, head=-1)
    stack = [root]
    for part in parts:
        while len(stack) > 1 and (part.last > stack[-1].last or len(stack) > MAX_DEPTH):
            stack.pop()
        part.parent = stack[-1]
        stack[-1].children.append(part)
        stack.append(part)
    return root
