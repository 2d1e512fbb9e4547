"""Headings of Markdown (CommonMark 0.31), and where its text must not be cut."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hunch.chunking.headings import Heading

if TYPE_CHECKING:
    from collections.abc import Callable

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
_FENCE = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})")
_NOT_A_PARAGRAPH = re.compile(r" {4}|\t|\s*(?:[>|]|[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}(?:\s|$)|$)")
_MAX_TITLE_LINES = 3


@dataclass(slots=True)
class Scan:
    """What one pass over the lines of a document finds."""

    headings: list[Heading] = field(default_factory=list[Heading])
    fenced: set[int] = field(default_factory=set[int])
    """Lines inside a fence, the closing one included."""
    front_matter: int = 0
    """How many lines at the top are YAML or TOML between `---` or `+++`."""


def scan(lines: list[str]) -> Scan:
    """Find headings outside fences, comments and front matter; lines come without their ends."""
    found = Scan()
    found.front_matter = number = _front_matter(lines)
    paragraph = number
    while number < len(lines):
        line = lines[number]
        after = _skip_block(lines, number)
        if after > number + 1:
            found.fenced.update(range(number + 1, after))
            number = paragraph = after
            continue
        if match := _ATX.match(line):
            found.headings.append(Heading(number, len(match[1]), match[2] or ""))
            paragraph = number + 1
        elif paragraph < number <= paragraph + _MAX_TITLE_LINES and _SETEXT.match(line):
            level = 1 if "=" in line else 2
            found.headings.append(Heading(paragraph, level, " ".join(lines[paragraph:number])))
            paragraph = number + 1
        elif _NOT_A_PARAGRAPH.match(line) and (paragraph == number or not line.startswith(" ")):
            paragraph = number + 1
        number += 1
    return found


def _front_matter(lines: list[str]) -> int:
    first = lines[0].rstrip() if lines else ""
    if first not in {"---", "+++"}:
        return 0
    closers = {first, "..."} if first == "---" else {first}
    return next((n + 1 for n, line in enumerate(lines) if n and line.rstrip() in closers), 0)


def _skip_block(lines: list[str], number: int) -> int:
    """Return the line after the fence or comment that begins at `number`, else `number`."""
    line = lines[number]
    if line.lstrip(" ").startswith("<!--") and len(line) - len(line.lstrip(" ")) < 4:
        return _find(lines, number, lambda text: "-->" in text)
    match = _FENCE.match(line)
    if match is None or len(line) - len(line.lstrip()) >= 4:
        # A fence this deep is in a list; what is in it is too deep to be taken for a heading.
        return number
    closing = re.compile(rf"\s*{match[1][0]}{{{len(match[1])},}}\s*$")
    return _find(lines, number + 1, lambda text: closing.match(text) is not None)


def _find(lines: list[str], number: int, closes: Callable[[str], bool]) -> int:
    """Return the line after the first that closes; what is never closed goes to the end."""
    return next((n + 1 for n in range(number, len(lines)) if closes(lines[n])), len(lines))
