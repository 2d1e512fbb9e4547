"""Finds the code that `hunch/related` is asked about."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from hunch.errors import InvalidQuery
from hunch.lsp import convert, uris
from hunch.lsp.documents import Place
from hunch.text import LineIndex

if TYPE_CHECKING:
    from pathlib import Path

    from hunch.lsp.server import HunchServer
    from hunch.model import Position, Range
    from hunch.protocol.types import RelatedParams


async def place_of(ls: HunchServer, params: RelatedParams) -> Place:
    """Return the loose text, the selection, or the chunk around the position.

    The live text of an open document is used, saved or not; other files are read from disk when
    they are in an open folder.

    Raises:
        InvalidQuery: the params say nothing or two things at once, or there is no such text.
    """
    if params.text is not None:
        if params.text_document is not None:
            raise InvalidQuery("text", "must not be given together with textDocument")
        return Place(convert.checked_text(params.text, "text"))
    if params.text_document is None:
        raise InvalidQuery("textDocument", "is required when there is no text")
    if (params.position is None) == (params.range is None):
        raise InvalidQuery("position", "either it or range is required, and not both")
    text, path = await _document(ls, params.text_document.uri)
    if params.range is not None and params.range.start != params.range.end:
        place = _selection(text, path, convert.range_of(params.range))
        return replace(place, uri=params.text_document.uri)
    cursor = params.position or (params.range and params.range.start)
    assert cursor is not None
    name = path.name if path else urlsplit(unquote(params.text_document.uri)).path
    place = await asyncio.to_thread(_enclosing, text, path, name, convert.position(cursor))
    return replace(place, uri=params.text_document.uri)


async def _document(ls: HunchServer, uri: str) -> tuple[str, Path | None]:
    text = ls.live_text(uri)
    if text is not None and not uri.startswith("file:"):
        return text, None
    path = uris.path_of(uri, "textDocument.uri")
    if text is not None:
        return text, path
    if not ls.folders.containing(path):
        raise InvalidQuery("textDocument.uri", "is neither open nor in an open folder")
    return await asyncio.to_thread(_read, path, ls.settings.index_max_file_bytes), path


def _read(path: Path, most: int) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(most + 1)
    except OSError:
        raise InvalidQuery("textDocument.uri", "cannot be read") from None
    if len(content) > most:
        raise InvalidQuery("textDocument.uri", "is too large")
    return content.decode("utf-8-sig", "replace")


def _selection(text: str, path: Path | None, stretch: Range) -> Place:
    index = LineIndex(text)
    start, end = sorted((index.offset(stretch.start), index.offset(stretch.end)))
    return _place(text[start:end], path, index.range(start, end), "range")


def _enclosing(text: str, path: Path | None, name: str, cursor: Position) -> Place:
    # The grammars are loaded with the first document that is cut.
    from hunch.chunking.enclosing import enclosing_chunk  # noqa: PLC0415

    chunk = enclosing_chunk(name, text, cursor)
    if chunk is None:
        raise InvalidQuery("position", "there is no text")
    return replace(_place(chunk.text, path, chunk.range, "position"), symbol=chunk.title)


def _place(text: str, path: Path | None, stretch: Range, field: str) -> Place:
    if not text.strip():
        raise InvalidQuery(field, "there is no text")
    return Place(text, path, range=stretch)
