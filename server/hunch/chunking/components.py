"""Cutting components of Vue, Svelte and Astro: HTML around scripts that define things."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hunch.chunking.assembling import Assembler
from hunch.chunking.cutting import Cutter
from hunch.chunking.definitions import outline
from hunch.chunking.grammars import GRAMMARS
from hunch.chunking.levels import by_layout
from hunch.chunking.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hunch.chunking.lines import Lines
    from hunch.model import Chunk

COMPONENTS = (".vue", ".svelte", ".astro")
"""What the names of such files end with."""
_OPENING = re.compile(r"<script\b[^<>]*>", re.IGNORECASE)
_CLOSING = re.compile(r"</script", re.IGNORECASE)
_FRONT = re.compile(r"\s*---\r?\n(.*?)\n---", re.DOTALL)
_VISIBLE = re.compile(r"[^\s]")


def cut_component(lines: Lines) -> tuple[Chunk, ...]:
    """Cut along the definitions in the scripts, the rest where the layout suggests it.

    Raises:
        ParseError: the grammar cannot read the scripts.
    """
    _, matches = parse("typescript", _scripts_only(lines.text))
    root = outline(lines, matches, GRAMMARS["typescript"])
    pieces = Cutter(lines, by_layout(lines)).pieces(root)
    return tuple(Assembler(lines, root).chunks(pieces))


def _scripts_only(text: str) -> str:
    """Return the text with everything but scripts blanked, so that offsets stay what they are."""
    kept = list[str]()
    at = 0
    for start, end in _scripts(text):
        kept += [_VISIBLE.sub(" ", text[at:start]), text[start:end]]
        at = end
    return "".join([*kept, _VISIBLE.sub(" ", text[at:])])


def _scripts(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans between script tags, and of Astro's fenced front matter."""
    at = 0
    if front := _FRONT.match(text):
        yield front.span(1)
        at = front.end()
    while (opening := _OPENING.search(text, at)) and (
        closing := _CLOSING.search(text, opening.end())
    ):
        yield opening.end(), closing.start()
        at = closing.end()
