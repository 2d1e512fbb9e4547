"""Hits as a person reads them: place, symbol, reason, snippet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from hunch.cli.output import shown_path, visible
from hunch.model import SymbolKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from hunch.model import Hit, Range

_LINES = 8
"""Lines of a snippet that are shown; a hit is opened to read on."""
_TAB = 4
_NAME_LENGTH = 8
"""Characters of a conversation's name, which `hunch show` knows it by."""
_MARKED = "bold yellow"


def show_hits(console: Console, hits: Sequence[Hit]) -> None:
    """Print hits, best first, with an empty line between two."""
    for number, hit in enumerate(hits):
        if number:
            console.print()
        console.print(_place(hit, is_terminal=console.is_terminal))
        if reason := why(hit):
            console.print(Text(f"  {reason}", "dim"))
        for line in snippet_lines(hit):
            # A long line would hide the next hit; a pipe takes it whole.
            cut = "ellipsis" if console.is_terminal else "ignore"
            console.print(line, soft_wrap=not console.is_terminal, no_wrap=True, overflow=cut)


def _place(hit: Hit, *, is_terminal: bool) -> Text:
    if hit.conversation:
        text = Text(visible(hit.conversation.detail), "cyan")
        text.append(f"  {visible(hit.conversation.name[:_NAME_LENGTH])}", "green")
    else:
        path = hit.source.root / hit.path
        link = f" link {path.as_uri()}" if is_terminal else ""
        text = Text(visible(shown_path(path)), f"cyan{link}")
        text.append(f":{line_span(hit.range)}", "green")
    if hit.title:
        text.append(f"  {visible(hit.title)}", "bold")
    kind = _kind(hit)
    if kind:
        text.append(f"  {kind}", "magenta")
    return text


def line_span(stretch: Range) -> str:
    """Return the lines of a range as people count them, from 1: `12-18`, or `12` for a single one."""
    first, last = stretch.start.line + 1, stretch.end.line + 1
    # An end at the start of a line does not reach into it.
    if stretch.end.character == 0 and last > first:
        last -= 1
    return f"{first}-{last}" if last > first else f"{first}"


def _kind(hit: Hit) -> str:
    if hit.symbol_kind is not None:
        return SymbolKind(hit.symbol_kind).name.lower().replace("_", " ")
    return hit.kind.value


def why(hit: Hit) -> str:
    """Say why a hit is one, strongest reason first; empty when nothing is known."""
    signals = hit.signals
    copies = int(signals.get("copies", 0))
    reasons = [
        ("definition", "defines the name"),
        ("name", "words in its name"),
        ("keyword", "words in its text"),
        ("semantic", f"meaning {signals.get('semantic', 0):.2f}"),
        ("copies", f"{copies} {'copy' if copies == 1 else 'copies'} left out"),
        ("here", "about this project"),
        ("mentions", "names this place"),
        ("sourceGone", "its log was deleted"),
        ("aside", "ranked lower as a test, example or generated file"),
    ]
    words = [reason for signal, reason in reasons if signals.get(signal)]
    return " · ".join([*words, *(["changed since it was indexed"] if hit.stale else [])])


def snippet_lines(hit: Hit) -> list[Text]:
    """Return the lines of the snippet that match best, numbered, with the query's words marked."""
    text = Text(visible(hit.snippet))
    for start, end in hit.highlights:
        text.stylize(_MARKED, start, end)
    rows = text.split("\n", allow_blank=True)
    for row in rows:
        row.expand_tabs(_TAB)
    first = hit.snippet_range.start.line + 1
    lines = [*enumerate(rows, 1 if hit.conversation else first)]
    shown = _without_blank_ends(_best(lines))
    width = len(str(shown[-1][0])) if shown else 0
    return [Text.assemble((f"  {number:>{width}} │ ", "dim"), line) for number, line in shown]


def _best(lines: list[tuple[int, Text]]) -> list[tuple[int, Text]]:
    """Return the stretch with most marks, the earliest of equal ones."""
    marks = [len(line.spans) for _, line in lines]
    starts = range(max(len(lines) - _LINES, 0) + 1)
    first = max(starts, key=lambda start: sum(marks[start : start + _LINES]))
    return lines[first : first + _LINES]


def _without_blank_ends(lines: list[tuple[int, Text]]) -> list[tuple[int, Text]]:
    told = [index for index, (_, line) in enumerate(lines) if line.plain.strip()]
    return lines[told[0] : told[-1] + 1] if told else []
