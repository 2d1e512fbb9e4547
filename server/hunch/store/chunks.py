"""Reading chunks by id, and definitions by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hunch.model import Definition, Position, Range, SymbolKind
from hunch.store.ids import ids

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence


class ChunkHead(NamedTuple):
    """What the ranking looks at in a chunk."""

    id: int
    title: str
    range: Range
    definitions: tuple[Definition, ...]


class NamedDefinition(NamedTuple):
    """A definition found by its name."""

    definition: Definition
    source_id: int
    path: str
    """Of the document, relative to its source."""
    text: str
    """Of the chunk."""
    range: Range
    """Of the chunk."""


def read_heads(connection: sqlite3.Connection, chunk_ids: Sequence[int]) -> dict[int, ChunkHead]:
    """Return the heads of some chunks by id; those that are gone are left out."""
    definitions: dict[int, list[Definition]] = {}
    for chunk_id, name, path, kind, line in connection.execute(
        "SELECT chunk_id, name, path, kind, line FROM definitions"
        " WHERE chunk_id IN (SELECT value FROM json_each(?)) ORDER BY chunk_id, ordinal",
        (ids(chunk_ids),),
    ):
        definition = Definition(name, SymbolKind(kind), line, path)
        definitions.setdefault(chunk_id, []).append(definition)
    rows = connection.execute(
        "SELECT id, title, start_line, start_character, end_line, end_character FROM chunks"
        " WHERE id IN (SELECT value FROM json_each(?))",
        (ids(chunk_ids),),
    )
    return {
        chunk_id: ChunkHead(chunk_id, title, _range(place), tuple(definitions.get(chunk_id, ())))
        for chunk_id, title, *place in rows
    }


def read_texts(connection: sqlite3.Connection, chunk_ids: Sequence[int]) -> dict[int, str]:
    """Return the display texts of some chunks by id."""
    return dict(
        connection.execute(
            "SELECT id, text FROM chunks WHERE id IN (SELECT value FROM json_each(?))",
            (ids(chunk_ids),),
        )
    )


def find_definitions(
    connection: sqlite3.Connection,
    name: str,
    path: str,
    source_ids: Sequence[int],
    limit: int,
) -> list[NamedDefinition]:
    r"""Return definitions with name and symbol path LIKE these patterns, shortest name first.

    The escape character is `\\`.
    """
    rows = connection.execute(
        "SELECT n.name, n.path, n.kind, n.line, d.source_id, d.path, c.text,"
        " c.start_line, c.start_character, c.end_line, c.end_character FROM"
        " (SELECT * FROM definitions WHERE name LIKE ? ESCAPE '\\'"
        "  AND path LIKE ? ESCAPE '\\') AS n"
        " JOIN chunks AS c ON c.id = n.chunk_id JOIN documents AS d ON d.id = c.document_id"
        " WHERE d.source_id IN (SELECT value FROM json_each(?))"
        " ORDER BY length(n.name), n.name, d.path, n.line LIMIT ?",
        (name, path, ids(source_ids), limit),
    )
    return [
        NamedDefinition(
            Definition(called, SymbolKind(kind), line, within),
            source_id,
            document,
            text,
            _range(rest),
        )
        for called, within, kind, line, source_id, document, text, *rest in rows
    ]


def _range(numbers: Sequence[int]) -> Range:
    return Range(Position(numbers[0], numbers[1]), Position(numbers[2], numbers[3]))
