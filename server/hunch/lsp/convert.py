"""From the shapes on the wire to the values that Hunch computes with; `results.py` goes back.

Everything that a client can get wrong is checked here, so that the services below see sound
values only. An error names the field as the client wrote it.
"""

from __future__ import annotations

from datetime import datetime, time
from typing import TYPE_CHECKING, TypeVar

from hunch.errors import InvalidQuery
from hunch.languages import LANGUAGES
from hunch.lsp import uris
from hunch.model import Filter, Kind, Mode, Position, Query, Range, RelatedQuery
from hunch.moments import parse_moment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from enum import StrEnum
    from pathlib import Path

    from lsprotocol import types as lsp

    from hunch.lsp.documents import Place
    from hunch.lsp.folders import Folders
    from hunch.protocol import types as wire

    E = TypeVar("E", bound=StrEnum)

MAX_QUERY = 10_000
"""Characters of a query or of a text that is asked about."""
MAX_LIMIT = 200
_DEFAULT_LIMIT = 20
_MAX_VALUES = 100
_MAX_GLOB = 1_000
_EDITOR_LANGUAGES = {
    "dockerfile": "dockerfile",
    "javascriptreact": "javascript",
    "makefile": "make",
    "plaintext": "text",
    "rst": "restructuredtext",
    "sh": "bash",
    "shellscript": "bash",
    "typescriptreact": "tsx",
}


def query(params: wire.SearchParams, folders: Folders) -> Query:
    """Check the params of `hunch/search`.

    Raises:
        InvalidQuery: a field is out of range.
    """
    return Query(
        text=checked_text(params.query, "query"),
        limit=_limit(params.limit),
        offset=_offset(params.offset),
        mode=_choice(Mode, params.mode, "mode") or Mode.HYBRID,
        filter=filter_of(params.filter),
        roots=folders.roots,
    )


def related(params: wire.RelatedParams, place: Place, folders: Folders) -> RelatedQuery:
    """Check the params of `hunch/related`, whose code has been found at `place` already.

    Raises:
        InvalidQuery: a field is out of range.
    """
    return RelatedQuery(
        text=place.text[:MAX_QUERY],
        path=place.path,
        uri=place.uri,
        range=place.range,
        limit=_limit(params.limit),
        offset=_offset(params.offset),
        filter=filter_of(params.filter),
        roots=folders.roots,
        symbol=place.symbol,
    )


def checked_text(text: str, field: str) -> str:
    """Check a query or a text that is asked about.

    Raises:
        InvalidQuery: it is blank or too long; blames `field`.
    """
    if not text.strip():
        raise InvalidQuery(field, "must not be empty")
    if len(text) > MAX_QUERY:
        raise InvalidQuery(field, f"must have at most {MAX_QUERY:,} characters")
    return text


def filter_of(params: wire.FilterParams | None) -> Filter:
    """Check a filter; without one, everything in the open folders may be found.

    Raises:
        InvalidQuery: a field is not understood.
    """
    if params is None:
        return Filter()
    kinds = [_choice(Kind, kind, "filter.kinds") for kind in _values(params.kinds, "filter.kinds")]
    since = _moment(params.since, "filter.since", time.min)
    until = _moment(params.until, "filter.until", time.max)
    if since and until and since > until:
        raise InvalidQuery("filter.until", "is before filter.since")
    return Filter(
        kinds=frozenset(kind for kind in kinds if kind) or None,
        everywhere=_is_everywhere(params.scope),
        folders=paths(params.folders, "filter.folders"),
        include=_globs(params.include, "filter.include"),
        exclude=_globs(params.exclude, "filter.exclude"),
        languages=_languages(params.languages),
        agents=frozenset(_values(params.agents, "filter.agents")) or None,
        since=since,
        until=until,
    )


def paths(folder_uris: Sequence[str] | None, field: str) -> tuple[Path, ...]:
    """Return the real paths of folder URIs.

    Raises:
        InvalidQuery: one of them is not a file URI; names it by its index.
    """
    listed = enumerate(_values(folder_uris, field))
    return tuple(uris.path_of(uri, f"{field}[{index}]") for index, uri in listed)


def open_roots(folder_uris: Sequence[str] | None, folders: Folders) -> tuple[Path, ...]:
    """Return the real paths of folders that must be open; none when none are named.

    Raises:
        InvalidQuery: one of them is not open; names it by its index.
    """
    roots = paths(folder_uris, "folders")
    for index, root in enumerate(roots):
        if root not in folders.roots:
            raise InvalidQuery(f"folders[{index}]", "is not an open folder")
    return roots


def position(place: lsp.Position) -> Position:
    """Take over a position of the wire; both count UTF-16 code units."""
    return Position(place.line, place.character)


def range_of(stretch: lsp.Range) -> Range:
    """Take over a range of the wire."""
    return Range(position(stretch.start), position(stretch.end))


def _limit(limit: int | None) -> int:
    if limit is None:
        return _DEFAULT_LIMIT
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidQuery("limit", f"must be from 1 to {MAX_LIMIT}")
    return limit


def _offset(offset: int | None) -> int:
    if offset is not None and not 0 <= offset < 2**31:
        raise InvalidQuery("offset", "must be from 0 to 2147483647")
    return offset or 0


def _choice(choices: type[E], value: str | None, field: str) -> E | None:
    if value is None:
        return None
    try:
        return choices(value)
    except ValueError:
        raise InvalidQuery(field, f"must be one of {', '.join(choices)}") from None


def _is_everywhere(scope: str | None) -> bool:
    if scope not in {None, "workspace", "everywhere"}:
        raise InvalidQuery("filter.scope", "must be one of workspace, everywhere")
    return scope == "everywhere"


def _values(values: Sequence[str] | None, field: str) -> Sequence[str]:
    values = values or ()
    if len(values) > _MAX_VALUES:
        raise InvalidQuery(field, f"must have at most {_MAX_VALUES} values")
    for index, value in enumerate(values):
        if not value:
            raise InvalidQuery(f"{field}[{index}]", "must not be empty")
    return values


def _globs(globs: Sequence[str] | None, field: str) -> tuple[str, ...]:
    for index, glob in enumerate(_values(globs, field)):
        if not glob.strip("/ \t\r\n") or "\0" in glob or len(glob) > _MAX_GLOB:
            raise InvalidQuery(f"{field}[{index}]", "is not a glob")
        if glob.startswith("!"):
            raise InvalidQuery(f"{field}[{index}]", "must not be negated; use the other list")
    return tuple(globs or ())


def _languages(names: Sequence[str] | None) -> frozenset[str] | None:
    known = [language(name) for name in _values(names, "filter.languages")]
    for index, name in enumerate(known):
        if name not in LANGUAGES:
            raise InvalidQuery(f"filter.languages[{index}]", "is not a language that Hunch knows")
    return frozenset(known) or None


def language(editor_name: str) -> str:
    """Return our name of a language that an editor names by its `languageId`."""
    return _EDITOR_LANGUAGES.get(editor_name, editor_name)


def _moment(text: str | None, field: str, day_time: time) -> datetime | None:
    """Read an ISO 8601 time; a date alone is a whole local day, of which `day_time` is one end."""
    if text is None:
        return None
    try:
        return parse_moment(text, day_time)
    except ValueError:
        raise InvalidQuery(field, "must be an ISO 8601 date or time") from None
