"""Excerpts: small, exact, and about what was asked."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hunch.model import Position, Range
from hunch.ranking.terms import Terms
from hunch.search.snippets import MAX_CHARS, MAX_LINES, Snippet, cut_snippet
from hunch.text import LineIndex

terms = Terms()
BEFORE = "# a line before 😀\r\n"


def cut(text: str, query: str, *, indent: str = "") -> tuple[Snippet, str]:
    """Cut a snippet of a chunk in the middle of a document; return it and the document."""
    document = BEFORE + indent + text + "\nafter\n"
    start = len(BEFORE) + len(indent)
    place = LineIndex(document).range(start, start + len(text))
    return cut_snippet(text, place, frozenset(terms.of(query)), terms), document


def shown(document: str, place: Range) -> str:
    """Return what a document holds in a range."""
    lines = LineIndex(document)
    return document[lines.offset(place.start) : lines.offset(place.end)]


def test_a_short_chunk_is_shown_whole() -> None:
    """The text without its last line end, where it stands, its words marked in any spelling."""
    snippet, _ = cut("def send_it():\n    return sendIt, SENT, other\n", "send it")
    assert snippet.text == "def send_it():\n    return sendIt, SENT, other"
    assert snippet.range == Range(Position(1, 0), Position(2, 30))
    marked = [snippet.text[a:b] for a, b in snippet.highlights]
    assert marked == ["send_it", "sendIt"]


@pytest.mark.parametrize(("at", "first"), [(0, 0), (5, 0), (19, 0), (20, 1), (50, 31), (99, 80)])
def test_a_long_chunk_shows_the_lines_that_match(at: int, first: int) -> None:
    """The earliest stretch of twenty lines with the word of the query."""
    lines = [f"line {n}" for n in range(100)]
    lines[at] = "here is kiwi"
    snippet, document = cut("\n".join(lines), "kiwi")
    assert snippet.text.split("\n") == lines[first : first + MAX_LINES]
    assert snippet.range.start == Position(1 + first, 0)
    assert shown(document, snippet.range) == snippet.text


def test_more_words_beat_more_repetitions() -> None:
    """A stretch with both words comes before one with one of them many times."""
    lines = ["filler"] * 90
    lines[10:14] = ["kiwi kiwi kiwi"] * 4
    lines[60] = "kiwi mango"
    snippet, _ = cut("\n".join(lines), "kiwi mango")
    assert "mango" in snippet.text


def test_a_chunk_that_starts_in_a_line_counts_from_there() -> None:
    """Columns of the first line go on from where the chunk starts in it."""
    snippet, document = cut("short", "short", indent="é😀  ")
    assert snippet.range == Range(Position(1, 5), Position(1, 10))
    assert shown(document, snippet.range) == "short"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("length", [1_996, 1_997, 1_998, 1_999, 2_000, 2_001, 3_000])
def test_a_cut_never_ends_in_a_line_end(end: str, length: int) -> None:
    """However a line end falls on the limit, the range ends in a line and holds the text."""
    snippet, document = cut("x" * length + end + "y" * 3_000, "x")
    assert len(snippet.text) <= MAX_CHARS
    assert not snippet.text.endswith(("\r", "\n"))
    assert shown(document, snippet.range) == snippet.text


word = st.sampled_from(["kiwi", "mango", "😀", "日本", "\f", "\u2028", " ", "x" * 300, "Kiwis"])
line_end = st.sampled_from(["\n", "\r\n", "\r"])


@settings(deadline=None, max_examples=150)
@given(st.lists(st.one_of(word, line_end), max_size=120), st.sampled_from(["", "  ", "é😀"]))
def test_any_snippet_is_exact_and_small(parts: list[str], indent: str) -> None:
    """The text is what the document holds in the range; lines, characters and marks are bounded."""
    snippet, document = cut("".join(parts), "kiwi 日本", indent=indent)
    assert shown(document, snippet.range) == snippet.text
    assert len(snippet.text) <= MAX_CHARS
    assert snippet.range.end.line - snippet.range.start.line < MAX_LINES
    assert [*snippet.highlights] == sorted(snippet.highlights)
    for start, end in snippet.highlights:
        assert any(name in snippet.text[start:end].lower() for name in ("kiwi", "日本"))
