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

    What the parser could not read has no level of its own. The tree is read at the first question,
    which most documents never ask.
    """
    known: dict[int, int] | None = None
    layout = by_layout(lines)

    def level(line: int) -> int:
        nonlocal known
        if known is None:
            known = _statements(lines, root)
        found = known.get(line)
        return layout(line) + _UNKNOWN if found is None else found

    return level


def _statements(lines: Lines, root: Node) -> dict[int, int]:
    """Return the lines that begin a statement of something long, with its depth.

    A comment or decorator and the statement below it are one: only its first line counts.
    """
    known = dict[int, int]()
    stack = [(root, 0)]
    while stack:
        node, depth = stack.pop()
        held = -1
        for child in node.named_children:
            start, end = child.start_byte, child.end_byte
            first, last = lines.line_of(start), lines.line_of(end)
            is_first = lines.is_first(start)
            if is_first and first > held and not node.is_error:
                known[first] = min(depth, known.get(first, depth))
            if is_first and ("comment" in child.type or child.type in _LEADS):
                held = last + (lines.starts[last] < end)
            elif last - first > 1 and lines.ink(first, last) > TARGET_INK:
                stack.append((child, depth + 1))
    return known
