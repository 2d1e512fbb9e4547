"""The chunk around a place."""

from __future__ import annotations

import pytest

from hunch.chunking.enclosing import enclosing_chunk
from hunch.model import Position

BODY = "\n".join(f"    value_{n} = compute(argument, {n})" for n in range(40))
TEXT = f"\n\ndef first():\n{BODY}\n\n\n\ndef second():\n{BODY}\n"
"""Line 2 starts `first`, line 46 starts `second`."""


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (0, "first"),
        (2, "first"),
        (42, "first"),
        (44, "first"),
        (46, "second"),
        (60, "second"),
        (999, "second"),
    ],
)
def test_the_chunk_around_a_line(line: int, name: str) -> None:
    """The innermost chunk is meant, between two the one above, and beyond the text the last."""
    chunk = enclosing_chunk("x.py", TEXT, Position(line))
    assert chunk is not None
    assert [definition.name for definition in chunk.definitions] == [name]


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_no_text_has_no_chunk(text: str) -> None:
    """Where there is nothing to read there is no chunk."""
    assert enclosing_chunk("x.py", text, Position(0)) is None
