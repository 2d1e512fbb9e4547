"""Headings of reStructuredText: lines that are underlined, and may be overlined, by punctuation."""

from __future__ import annotations

import re

from hunch.chunking.headings import Heading

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*$")


def headings(lines: list[str]) -> list[Heading]:
    """Find the headings; lines come without their ends.

    The order in which adornments first appear gives their levels.
    """
    found = list[Heading]()
    levels = dict[tuple[str, bool], int]()
    taken = -1  # the last line that belongs to a heading
    for number in range(1, len(lines)):
        mark = _mark(lines[number])
        title = lines[number - 1]
        if not mark or number - 1 <= taken or not _is_title(title, lines[number]):
            continue
        over = number >= 2 and number - 2 > taken and _mark(lines[number - 2]) == mark
        if not over and title.startswith((" ", "\t")):
            continue
        level = levels.setdefault((mark, over), len(levels) + 1)
        found.append(Heading(number - 1 - over, level, title))
        taken = number
    return found


def _mark(line: str) -> str:
    match = _ADORNMENT.match(line)
    return match[1] if match else ""


def _is_title(title: str, adornment: str) -> bool:
    is_wide_enough = len(title.strip()) <= len(adornment.rstrip())
    return bool(title.strip()) and is_wide_enough and not _mark(title)
