"""Keys of YAML (1.2), found by indentation.

No grammar: the one there is writes past its buffer where nesting is deep, which ends the process.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hunch.chunking.budget import MAX_DEPTH, TINY_INK
from hunch.chunking.outline import Part, nest

if TYPE_CHECKING:
    from hunch.chunking.lines import Lines

_KEY = re.compile(
    r"( *)(?:([\"'])(.{1,120}?)\2|([^\s\"'#\-?\[\]{},&*!|>%@`][^#\n]{0,120}?))\s*:(?=\s|$)(.*)"
)
_BLOCK_SCALAR = re.compile(r"\s*(?:[&!]\S+\s+)*[|>][-+0-9]*\s*(?:#.*)?$")


def outline(lines: Lines) -> Part:
    """Build the outline of a document: its keys, with comments above; titles are key paths."""
    parts = list[Part]()
    open_keys = list[tuple[int, Part]]()
    scalar_indent: int | None = None  # lines deeper than this are the text of a block scalar
    comment: int | None = None  # the first line of the comment right above
    for number in range(lines.count):
        if lines.is_blank(number):
            comment = None
            continue
        text = lines.line(number)
        indent = len(text) - len(text.lstrip(" "))
        if scalar_indent is not None and indent > scalar_indent:
            continue
        scalar_indent = None
        if text.startswith("#", indent):
            comment = number if comment is None else comment
            continue
        _close(open_keys, indent, number if comment is None else comment, text)
        match = _KEY.match(text)
        if match and len(open_keys) < MAX_DEPTH:
            part = _part(lines, match, number if comment is None else comment, number, open_keys)
            parts.append(part)
            open_keys.append((indent, part))
            if _BLOCK_SCALAR.match(match[5]):
                scalar_indent = indent
        comment = None
    for part in parts:
        part.is_loose = lines.ink(part.first, part.last) < TINY_INK
    return nest(parts, lines.count)


def _close(open_keys: list[tuple[int, Part]], indent: int, line: int, text: str) -> None:
    """End the keys that a line at `indent` is not inside of; items may stand below their key."""
    is_item = text.startswith("-", indent) and not text.startswith("---")
    while open_keys and open_keys[-1][0] >= indent + is_item:
        open_keys.pop()[1].last = line


def _part(
    lines: Lines, match: re.Match[str], first: int, head: int, open_keys: list[tuple[int, Part]]
) -> Part:
    name = match[3] or match[4]
    title = ".".join([*(part.title for _, part in open_keys[-1:]), name])
    name_at = lines.starts[head] + len(match[1])
    return Part(first, lines.count, title, head, name_at=name_at)
