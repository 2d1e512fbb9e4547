"""A turn and a conversation as a person reads them: Markdown, one heading for each who speaks.

What is searched of a turn are its question and what the agent said; `Readable.line_of` tells where a
line of that stands in the Markdown, so that a hit opens at the right place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hunch.sources.conversations.base import Step, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

HEAD_LINES = 4
"""Lines above the first turn: title, blank, where and when, blank."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_TITLE_CHARS = 120


@dataclass(slots=True)
class Readable:
    """A turn in Markdown."""

    lines: list[str] = field(default_factory=list[str])
    """Without their ends."""
    text: str = ""
    """What is searched, with line feeds."""
    line_of: list[int] = field(default_factory=list[int])
    """For each line of `text`, its line in `lines`."""


def readable(turn: Turn, label: str) -> Readable:
    """Write a turn for people.

    Args:
        turn: with its question and steps.
        label: the agent's name for people.
    """
    made = Readable()
    _say(made, f"## {'Another agent' if turn.is_subagent else 'You'}{_at(turn.started)}", "")
    _quote(made, turn.question)
    if turn.steps:
        _say(made, f"### {label}{f' · {turn.model}' if turn.model else ''}", "")
    for step in turn.steps:
        if step.is_tool:
            _say(made, f"> {' '.join(step.text.split())}", "")
        else:
            _quote(made, step.text)
    return made


def title_of(turn: Turn) -> str:
    """Return the first line of the question."""
    line = next((line.strip() for line in _LINE_END.split(turn.question) if line.strip()), "")
    return line if len(line) <= _TITLE_CHARS else f"{line[: _TITLE_CHARS - 1]}…"


def whole(
    title: str, place: str, turns: Iterable[tuple[Mapping[str, Any], datetime | None]], label: str
) -> str:
    """Write a conversation for people.

    Args:
        title: its name.
        place: in one line, where it belongs.
        turns: body and time of each, in order.
        label: the agent's name for people.
    """
    lines = [f"# {' '.join(title.split())}", "", place, ""]
    for body, started in turns:
        lines += readable(turn_of(body, started), label).lines
    return "\n".join([*lines, ""])


def body_of(turn: Turn) -> dict[str, Any]:
    """Return what is kept of a turn, as plain JSON."""
    return {
        "question": turn.question,
        "steps": [[step.text, step.is_tool] for step in turn.steps],
        "model": turn.model,
        "subagent": turn.is_subagent,
    }


def turn_of(body: Mapping[str, Any], started: datetime | None) -> Turn:
    """Return the turn of which `body_of` made a body, as far as a person reads it."""
    return Turn(
        id="",
        conversation="",
        question=body["question"],
        steps=tuple(Step(text, is_tool) for text, is_tool in body["steps"]),
        started=started,
        model=body["model"],
        is_subagent=body["subagent"],
    )


def _at(moment: datetime | None) -> str:
    return f" · {moment.astimezone():%Y-%m-%d %H:%M}" if moment else ""


def _say(made: Readable, *lines: str) -> None:
    made.lines += lines


def _quote(made: Readable, text: str) -> None:
    """Add a text that is searched; a fence that it leaves open is closed."""
    if made.text:
        made.text += "\n\n"
        made.line_of += [len(made.lines) - 1]
    lines = _LINE_END.split(text)
    made.text += "\n".join(lines)
    made.line_of += range(len(made.lines), len(made.lines) + len(lines))
    made.lines += lines
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
    _say(made, *([fence, ""] if fence else [""]))
