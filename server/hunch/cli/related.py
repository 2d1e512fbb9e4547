"""`hunch related`."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hunch.cli import options, session
from hunch.cli.scope import root_of
from hunch.cli.search import show
from hunch.errors import InvalidQuery
from hunch.model import Mode, Position, Problem, Range, RelatedQuery

if TYPE_CHECKING:
    from hunch.app import App
    from hunch.model import SearchResult

# The path is as short as it can be, so that a column may follow; a drive letter is no line number.
_PLACE = re.compile(r"(?P<path>.+?):(?P<first>[0-9]+)(?:-(?P<last>[0-9]+)|:[0-9]+)?")
_MAX_BYTES = 16_777_216


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file."""

    path: Path
    first: int
    """Counted from 0."""
    last: int | None
    """Inclusive; None when the code around `first` is meant, however long it is."""


def place(text: str) -> Place:
    """Read `FILE:LINE` or `FILE:START-END`; a column after the line is ignored."""
    match = _PLACE.fullmatch(text)
    if not match:
        raise click.BadParameter("must be FILE:LINE or FILE:START-END")
    path, first = Path(match["path"]).expanduser(), int(match["first"])
    last = int(match["last"] or first)
    if not path.is_file():
        raise click.BadParameter(f"there is no file {path}")
    if not 1 <= first <= last:
        raise click.BadParameter("lines are counted from 1, and the first comes first")
    return Place(path.resolve(), first - 1, last - 1 if match["last"] else None)


@click.command("related", epilog=options.EXIT_CODES)
@click.argument("at", metavar="FILE:LINE", type=place)
@options.limit_option
@options.filter_options
@click.option("--no-index", is_flag=True, help="Answer from what is indexed; look for no changes.")
@options.yes_option
@options.json_option
def command(at: Place, **given: Any) -> int:
    """Find code like the code at a place.

    Takes the function, class or section around a line, or the lines FILE:START-END, and finds what
    is like it in the indexed folder that the file lies in, else in the current directory.

    \b
    Examples:
      hunch related src/client.py:120
      hunch related src/client.py:100-140 --limit 3
    """  # noqa: D301 - click wants its own \b
    result = session.run(_related(at, given))
    session.tell_embedder(result, wanted=Mode.HYBRID)
    return show(result, as_json=given["as_json"])


async def _related(at: Place, given: dict[str, Any]) -> SearchResult:
    text, stretch = await asyncio.to_thread(_text_at, at)
    async with session.opened() as app:
        root = await _open(app, at, given)
        if not given["no_index"]:
            await session.bring_up_to_date(app)
        return await app.search.related(
            RelatedQuery(
                text[: options.MAX_QUERY],
                path=at.path,
                range=stretch,
                limit=given["limit"],
                filter=options.to_filter(given),
                roots=(root,),
            )
        )


async def _open(app: App, at: Place, given: dict[str, Any]) -> Path:
    here = Path.cwd().resolve()
    known = {source.root for source in await app.index.sources()}
    root = root_of(at.path, known)
    if root not in known and at.path.is_relative_to(here):
        root = here
    scope = await session.open_paths(app, [root], yes=given["yes"], look=not given["no_index"])
    return scope.roots[0]


def _text_at(at: Place) -> tuple[str, Range]:
    """Return what is asked about, and where it stands.

    Raises:
        InvalidQuery: the file has no text there.
    """
    # The grammars are loaded with the first document that is cut.
    from hunch.chunking.enclosing import enclosing_chunk  # noqa: PLC0415
    from hunch.sources.folder import read  # noqa: PLC0415

    found = read(at.path.parent, at.path.name, max_file_bytes=_MAX_BYTES)
    if isinstance(found, Problem):
        raise InvalidQuery(at.path.name, found.reason)
    if at.last is not None:
        return _lines(found.text, at.first, at.last)
    chunk = enclosing_chunk(at.path.name, found.text, Position(at.first))
    if chunk is None or not chunk.text.strip():
        raise InvalidQuery(at.path.name, "there is no text")
    return chunk.text, chunk.range


def _lines(text: str, first: int, last: int) -> tuple[str, Range]:
    from hunch.text import LineIndex  # noqa: PLC0415 - only needed for ranges

    index = LineIndex(text)
    start, end = index.offset(Position(first)), index.offset(Position(last + 1))
    if not text[start:end].strip():
        raise InvalidQuery("FILE:START-END", "there is no text in these lines")
    return text[start:end], index.range(start, end)
