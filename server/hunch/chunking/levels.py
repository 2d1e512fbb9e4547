"""Where a stretch that is too long may be cut: every line gets a level, the lowest is cut first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from hunch.chunking.budget import TARGET_INK

if TYPE_CHECKING:
    from tree_sitter import Node

    from hunch.chunking.lines import Lines

_UNKNOWN = 1_000_000
_NOT_AFTER_BLANK = 1_000
_LEADS = frozenset({"decorator", "attribute_item", "attribute", "annotation", "haddock"})


class Levels(Protocol):
    """Tells how good a line is as the start of a piece."""

    def __call__(self, line: int) -> int:
        """Return the level of a line; lower is better."""
        ...


def by_layout(lines: Lines, *, avoid: set[int] | None = None) -> Levels:
    """Prefer lines after a blank one, then lines with little indentation; `avoid` comes last."""
    last_choice = avoid or set[int]()

    def level(line: int) -> int:
        text = lines.line(line)
        indent = min(len(text) - len(text.lstrip(" \t")), _NOT_AFTER_BLANK - 1)
        after_blank = line > 0 and lines.is_blank(line - 1) and not lines.is_blank(line)
        level = indent if after_blank else indent + _NOT_AFTER_BLANK
        return level + _UNKNOWN if line in last_choice else level

    return level


def by_syntax(lines: Lines, root: Node) -> Levels:
    """Prefer lines that begin a statement, outer statements first; elsewhere go by layout.

    A comment or decorator and the statement below it are one: only its first line has a level.
    What the parser could not read has none either.
    """
    known = dict[int, int]()
    layout = by_layout(lines)
    stack = [(root, 0)]
    while stack:
        node, depth = stack.pop()
        held = -1
        for child in node.named_children:
            first, last = lines.line_of(child.start_byte), lines.line_of(child.end_byte)
            is_first = not lines.text[lines.starts[first] : child.start_byte].strip()
            if is_first and first > held and not node.is_error:
                known[first] = min(depth, known.get(first, depth))
            if is_first and ("comment" in child.type or child.type in _LEADS):
                held = last + (lines.starts[last] < child.end_byte)
            elif last - first > 1 and lines.ink(first, last) > TARGET_INK:
                stack.append((child, depth + 1))

    def level(line: int) -> int:
        found = known.get(line)
        return layout(line) + _UNKNOWN if found is None else found

    return level
