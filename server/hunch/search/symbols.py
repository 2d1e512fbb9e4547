"""Finding definitions by their name: exact, then prefix, then anywhere, then letters in order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hunch.model import NamedSymbol
from hunch.store.chunks import find_definitions
from hunch.text import split_lines, utf16_length

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hunch.store.chunks import NamedDefinition
    from hunch.store.database import Connection
    from hunch.store.snapshot import Snapshot

MAX_NAME = 100
"""Characters; longer queries are not names."""


def find_symbols(
    connection: Connection,
    snapshot: Snapshot,
    name: str,
    roots: Sequence[Path],
    limit: int,
) -> list[NamedSymbol]:
    """Return definitions in the folders `roots` whose name matches, best first.

    A qualified name (`Client.send`) is matched by its last part, and its owners by the symbol path.
    """
    *owners, last = [part for part in name.strip().replace("::", ".").split(".") if part] or [""]
    sources = [source.id for source in snapshot.sources.values() if source.root in roots]
    # What cannot be printed ends a pattern early (NUL) or cannot be stored (lone surrogates).
    if not last or len(name) > MAX_NAME or not name.isprintable() or not sources:
        return []
    path = "".join(f"%{_escaped(owner)}" for owner in owners) + "%"
    found: dict[tuple[int, str, int, str], NamedDefinition] = {}
    for pattern in _patterns(last):
        for match in find_definitions(connection, pattern, path, sources, limit):
            definition = match.definition
            key = (match.source_id, match.path, definition.line, definition.name)
            found.setdefault(key, match)
        if len(found) >= limit:
            break
    return [_symbol(snapshot, match) for match in [*found.values()][:limit]]


def _patterns(name: str) -> list[str]:
    letters = [_escaped(letter) for letter in name]
    whole = "".join(letters)
    patterns = [whole, f"{whole}%", f"%{whole}%"]
    return [*patterns, "%".join(["", *letters, ""])] if len(name) > 2 else patterns


def _escaped(text: str) -> str:
    return re.sub(r"[%_\\]", r"\\\g<0>", text)


def _symbol(snapshot: Snapshot, match: NamedDefinition) -> NamedSymbol:
    lines = split_lines(match.text)
    at = match.definition.line - match.range.start.line
    line = lines[at] if 0 <= at < len(lines) else ""
    start = max(line.find(match.definition.name), 0)
    indent = match.range.start.character if at == 0 else 0
    character = indent + utf16_length(line[:start])
    return NamedSymbol(
        match.definition,
        snapshot.sources[match.source_id],
        match.path,
        end=character + utf16_length(match.definition.name) if line else character,
        character=character,
    )
