"""The chunk around a place in a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hunch.chunking.chunker import chunk_document

if TYPE_CHECKING:
    from hunch.model import Chunk, Position


def enclosing_chunk(path: str, text: str, place: Position) -> Chunk | None:
    """Return the innermost chunk at `place`; on a blank line, the nearest one above.

    Above the first chunk, that one is meant.

    Args:
        path: names the language; nothing is read from it.
        text: the whole document.
        place: beyond the end of the text, its last chunk is meant.

    Returns:
        The chunk, or None when there is no text at all.
    """
    chunks = chunk_document(path, text).chunks
    around = [chunk for chunk in chunks if _is_at(chunk, place)]
    above = [chunk for chunk in chunks if chunk.range.start.line <= place.line]
    found = around or above or chunks[:1]
    return found[-1] if found else None


def _is_at(chunk: Chunk, place: Position) -> bool:
    start, end = chunk.range.start, chunk.range.end
    # The end of a chunk that stops in the middle of a line still belongs to it.
    inside = place.line < end.line or (place.line == end.line and end.character > 0)
    return start.line <= place.line and inside
