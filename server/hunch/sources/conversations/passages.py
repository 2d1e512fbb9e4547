"""How the text of a turn is cut for the index: too short is left out, too long comes in parts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hunch.sources.conversations.base import Turn

SHORTEST = 40
"""Turns with fewer characters of question and answer say nothing on their own."""
LONGEST = 6000
"""Characters of one part."""

_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_LINE = re.compile(r"\n")
_WORD = re.compile(r"\s+")


def is_too_short(turn: Turn) -> bool:
    """Say whether a turn belongs to its conversation but not into the index."""
    return len(turn.question) + len(turn.answer) < SHORTEST


def cut(text: str, limit: int = LONGEST) -> list[str]:
    """Cut `text` into parts of at most `limit` characters; joined again they are `text`.

    A part ends after the last paragraph that fits, else the last line, else the last word.
    """
    parts: list[str] = []
    start = 0
    while len(text) - start > limit:
        end = _last_end(text, start, start + limit)
        parts.append(text[start:end])
        start = end
    return [*parts, text[start:]] if start < len(text) else parts


def _last_end(text: str, start: int, stop: int) -> int:
    """Return where the part that starts at `start` ends; a part is at least half full."""
    for boundary in (_PARAGRAPH, _LINE, _WORD):
        ends = [match.end() for match in boundary.finditer(text, start + (stop - start) // 2, stop)]
        if ends:
            return ends[-1]
    return stop
