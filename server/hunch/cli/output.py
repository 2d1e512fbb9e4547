"""What goes to the terminal, or to a pipe: consoles, and the spelling of names, sizes and times."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Mapping

_CONTROL_PICTURES = {code: 0x2400 + code for code in range(32) if code not in {9, 10}}
_UNSAFE: Mapping[int, int] = {
    **_CONTROL_PICTURES,
    127: 0x2421,
    **dict.fromkeys(range(0x80, 0xA0), 0xFFFD),
    **dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], 0xFFFD),
}
"""Control characters, which could move the cursor, and those that reorder a line."""


def stdout() -> Console:
    """Return the console for results; it colours on a terminal only."""
    return Console(highlight=False, soft_wrap=True, emoji=False, markup=False)


def stderr() -> Console:
    """Return the console for everything that is not a result."""
    return Console(stderr=True, highlight=False, soft_wrap=True, emoji=False, markup=False)


def visible(text: str) -> str:
    """Make control characters visible; the length stays the same."""
    return text.translate(_UNSAFE)


def warn(sentence: str) -> None:
    """Tell something that is not a result."""
    stderr().print(Text(visible(sentence), "yellow"))


def note(sentence: str) -> None:
    """Tell something that a reader may pass over."""
    stderr().print(Text(visible(sentence), "dim"))


def print_json(document: object) -> None:
    """Write one JSON document to stdout; its characters are ASCII, so that any pipe takes it."""
    import json  # noqa: PLC0415 - text output does not need it

    sys.stdout.write(json.dumps(document, indent=2, allow_nan=False) + "\n")


def shown_path(path: Path) -> str:
    """Return a path relative to the current directory if it is below it, else the whole of it."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def short_home(path: Path) -> str:
    """Return a path with the home directory as `~`."""
    home = os.path.expanduser("~")  # noqa: PTH111 - unlike Path.home it never raises
    if not path.is_relative_to(home):
        return str(path)
    return str(Path("~") / path.relative_to(home))


def size(count: float) -> str:
    """Return a number of bytes as people say it: `41.2 MB`."""
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def plural(count: int, noun: str) -> str:
    """Return a count with its noun: `1 file`, `3,093 files`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def age(moment: datetime | None) -> str:
    """Return how long ago something was: `just now`, `3 hours ago`, `never`."""
    if moment is None:
        return "never"
    minutes = int((datetime.now(UTC) - moment).total_seconds() // 60)
    if minutes < 1:
        return "just now"
    for most, unit, length in ((60, "minute", 1), (1440, "hour", 60)):
        if minutes < most:
            return f"{plural(minutes // length, unit)} ago"
    return f"{plural(minutes // 1440, 'day')} ago"
