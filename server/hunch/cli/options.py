"""Options and arguments that several commands share, and the values they take."""

from __future__ import annotations

import difflib
from datetime import datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hunch.languages import LANGUAGES, TEXT, language_of
from hunch.model import Filter, Kind
from hunch.moments import parse_moment

if TYPE_CHECKING:
    from collections.abc import Callable

    F = TypeVar("F", bound=Callable[..., Any])

EXIT_CODES = "Exit codes: 0 found, 1 nothing found, 2 wrong usage, 3 failure."
EXISTING = click.Path(exists=True, path_type=Path)

MAX_QUERY = 10_000
"""Characters of a query that count."""


def moment_at(day_time: time) -> Callable[[str], datetime]:
    """Return a reader of ISO 8601 times; a date alone is a whole local day, with an end at `day_time`.

    Without an offset the machine's own time zone is meant.
    """

    def read(text: str) -> datetime:
        try:
            return parse_moment(text, day_time)
        except ValueError:
            example = "must be a date such as 2026-10-01, or a time such as 2026-10-01T12:00"
            raise click.BadParameter(example) from None

    return read


def language(text: str) -> str:
    """Return the name that the index knows a language by, given that or a file extension."""
    name = text.lower()
    if name in LANGUAGES:
        return name
    known = language_of(f"x.{name}")
    if known != TEXT:
        return known
    close = difflib.get_close_matches(name, LANGUAGES, n=3)
    hint = f"; did you mean {' or '.join(close)}?" if close else ""
    raise click.BadParameter(f"{name!r} is not a language that Hunch knows{hint}")


def json_option(command: F) -> F:
    """Add `--json`."""
    text = "Print one JSON document instead of text."
    return click.option("--json", "as_json", is_flag=True, help=text)(command)


def yes_option(command: F) -> F:
    """Add `--yes`."""
    text = "Index a home directory or a whole file system, which is refused otherwise."
    return click.option("--yes", "-y", is_flag=True, help=text)(command)


def paths_argument(command: F) -> F:
    """Add `[PATH]...`; without any the current directory is meant."""
    return click.argument("paths", metavar="[PATH]...", nargs=-1, type=EXISTING)(command)


def limit_option(command: F) -> F:
    """Add `--limit`."""
    return click.option(
        "--limit",
        "-n",
        type=click.IntRange(1, 200),
        default=10,
        show_default=True,
        help="Hits to show.",
    )(command)


_FILTERS = (
    click.option(
        "--kind",
        "kinds",
        multiple=True,
        type=click.Choice([kind.value for kind in Kind]),
        help="Only this kind of text. Repeatable.",
    ),
    click.option(
        "--language",
        "-l",
        "languages",
        multiple=True,
        type=language,
        metavar="LANGUAGE",
        help="Only this language, by name or extension: python, ts. Repeatable.",
    ),
    click.option(
        "--agent",
        "agents",
        multiple=True,
        metavar="AGENT",
        help="Only conversations with this agent: codex, claude-code (see hunch sources). Repeatable.",
    ),
    click.option(
        "--include",
        multiple=True,
        metavar="GLOB",
        help="Only files that match, in gitignore syntax: 'src/**'. Repeatable.",
    ),
    click.option(
        "--exclude",
        multiple=True,
        metavar="GLOB",
        help="No files that match: '**/test/**'. Repeatable.",
    ),
    click.option(
        "--since",
        type=moment_at(time.min),
        metavar="DATE",
        help="Only what changed at or after this date or time.",
    ),
    click.option(
        "--until",
        type=moment_at(time.max),
        metavar="DATE",
        help="Only what changed at or before this date or time.",
    ),
    click.option(
        "--everywhere",
        is_flag=True,
        help="Search every folder that was ever indexed; only PATHs are looked at for changes.",
    ),
)


def filter_options(command: F) -> F:
    """Add the options that `to_filter` reads."""
    for option in reversed(_FILTERS):
        command = option(command)
    return command


def to_filter(options: dict[str, Any], folders: tuple[Path, ...] = ()) -> Filter:
    """Make a filter of the values of `filter_options` and of some real paths.

    Raises:
        click.UsageError: the times contradict each other.
    """
    since, until = options["since"], options["until"]
    if since and until and since > until:
        raise click.UsageError("--until is before --since.")
    return Filter(
        kinds=frozenset(map(Kind, options["kinds"])) or None,
        everywhere=options["everywhere"],
        folders=folders,
        include=options["include"],
        exclude=options["exclude"],
        languages=frozenset(options["languages"]) or None,
        agents=frozenset(options["agents"]) or None,
        since=since,
        until=until,
    )
