"""Finding definitions by their name: exact, then prefix, then anywhere, then letters in order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from hunch.model import Filter, NamedSymbol
from hunch.search.scope import allowed_documents
from hunch.store.chunks import NamedDefinition, find_definitions
from hunch.text import split_lines, utf16_length

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from hunch.store.database import Connection
    from hunch.store.view import Overlay, View

MAX_NAME = 100
"""Characters; longer queries are not names."""


def find_symbols(
    connection: Connection,
    view: View,
    name: str,
    roots: Sequence[Path],
    limit: int,
) -> list[NamedSymbol]:
    """Return definitions in the folders `roots` and in open documents whose name matches, best first.

    A qualified name (`Client.send`) is matched by its last part, and its owners by the symbol path.
    """
    *owners, last = [part for part in name.strip().replace("::", ".").split(".") if part] or [""]
    sources = [source.id for source in view.stored.sources.values() if source.root in roots]
    # What cannot be printed ends a pattern early (NUL) or cannot be stored (lone surrogates).
    if not last or len(name) > MAX_NAME or not name.isprintable():
        return []
    path = ["", *owners, ""] if owners else ["", ""]
    hidden = _hidden(view, roots)
    found: dict[object, tuple[NamedDefinition, str]] = {}
    for pattern in _patterns(last):
        for match in find_definitions(connection, _like(pattern), _like(path), sources, limit):
            key = (match.source_id, match.path, match.definition.line, match.definition.name)
            if key[:2] not in hidden:
                found.setdefault(key, (match, ""))
        for overlay, match in _in_overlays(view, pattern, path):
            key = (overlay.uri, match.definition.line, match.definition.name)
            found.setdefault(key, (match, overlay.uri))
        if len(found) >= limit:
            break
    return [_symbol(view, *entry) for entry in [*found.values()][:limit]]


def _hidden(view: View, roots: Sequence[Path]) -> set[tuple[int, str]]:
    """Return source and path of what open documents, or better sources of the same files, replace."""
    ids = [source.id for source in view.stored.sources.values() if source.root in roots]
    documents = view.documents
    hidden = np.isin(documents.sources, ids) & ~allowed_documents(view, Filter(), roots)
    return {
        (int(documents.sources[i]), documents.paths[i]) for i in np.flatnonzero(hidden).tolist()
    }


def _in_overlays(
    view: View, name: Sequence[str], path: Sequence[str]
) -> Iterator[tuple[Overlay, NamedDefinition]]:
    of_name, of_path = _regex(name), _regex(path)
    for overlay in view.overlays:
        for chunk in overlay.chunks:
            for definition in chunk.definitions:
                if of_name.fullmatch(definition.name) and of_path.fullmatch(definition.path):
                    yield (
                        overlay,
                        NamedDefinition(
                            definition, overlay.source.id, overlay.path, chunk.text, chunk.range
                        ),
                    )


def _patterns(name: str) -> list[list[str]]:
    """Return what a name may look like, best first: parts, between which there may be anything."""
    patterns = [[name], [name, ""], ["", name, ""]]
    return [*patterns, ["", *name, ""]] if len(name) > 2 else patterns


def _like(parts: Sequence[str]) -> str:
    return "%".join(re.sub(r"[%_\\]", r"\\\g<0>", part) for part in parts)


def _regex(parts: Sequence[str]) -> re.Pattern[str]:
    """Match what `_like` matches, and letters outside ASCII in either case too."""
    return re.compile(".*".join(map(re.escape, parts)), re.IGNORECASE | re.DOTALL)


def _symbol(view: View, match: NamedDefinition, uri: str) -> NamedSymbol:
    lines = split_lines(match.text)
    at = match.definition.line - match.range.start.line
    line = lines[at] if 0 <= at < len(lines) else ""
    start = max(line.find(match.definition.name), 0)
    indent = match.range.start.character if at == 0 else 0
    character = indent + utf16_length(line[:start])
    return NamedSymbol(
        match.definition,
        view.sources[match.source_id],
        match.path,
        end=character + utf16_length(match.definition.name) if line else character,
        character=character,
        uri=uri,
    )
