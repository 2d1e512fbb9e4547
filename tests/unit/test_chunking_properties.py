"""What holds for the chunks of any text in any language."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hunch.chunking import budget
from hunch.chunking.chunker import chunk_document
from hunch.text import LineIndex, split_lines

if TYPE_CHECKING:
    from hunch.model import ChunkedDocument

NAMES = (  # noqa: SIM905 - a list of words reads better as words
    "a.sh a.c a.h a.cpp a.cs a.css a.ex a.go a.hs a.html a.vue a.java a.js a.json a.kt a.lua a.md "
    "a.php a.py a.rb a.rs a.rst a.scala a.sql a.swift a.toml a.ts a.tsx a.yaml a.zig a.txt Makefile"
).split()
WORDS = (  # noqa: SIM905 - a list of words reads better as words
    "class Foo def f(x): function bar() { } end module impl fn func fun struct enum interface "
    "const x = => let var return if else do ( ) [ ] ; , . : # ## === --- ``` ~~~ <!-- --> /* */ // "
    '-- """ \' " << EOF <h1> </h1> <script> </script> a: {} - key [t] @dec #[attr] defmodule A where '
    "create table t select 1 template <class T> public: namespace n Ünï 漢字 🎉"
).split(" ")
ODD = ["\r\n", "\r", "\f", "\u2028", "\x85", "\0", "\ud800", "\ufeff", "\t", "    ", "\n", "\n\n"]
pieces = st.one_of(
    st.sampled_from(WORDS), st.sampled_from(ODD), st.sampled_from(["\n", " "]), st.text(max_size=8)
)
texts = st.one_of(
    st.text(max_size=300),
    st.lists(pieces, max_size=120).map(" ".join),
    st.builds(
        lambda parts, times: ("".join(parts) + "\n") * times,
        st.lists(pieces, max_size=12),
        st.integers(1, 300),
    ),
    st.builds(lambda word, times: word * times, pieces, st.integers(0, 3_000)),
)


def check(text: str, document: ChunkedDocument) -> None:
    """Assert everything that the chunks of `text` promise."""
    index, lines = LineIndex(text), split_lines(text)
    covered = set[int]()
    previous = -1
    for chunk in document.chunks:
        start, end = index.offset(chunk.range.start), index.offset(chunk.range.end)
        assert text[start:end] == chunk.text
        assert index.range(start, end) == chunk.range
        assert chunk.text.strip()
        assert start > previous
        assert len(chunk.text) <= budget.MAX_CHARS
        assert budget.estimate_tokens(chunk.text) <= budget.MAX_TOKENS
        assert len(chunk.context) <= budget.CONTEXT_CHARS
        for definition in chunk.definitions:
            assert definition.name
            assert definition.path.endswith(definition.name)
            assert chunk.range.start.line <= definition.line <= chunk.range.end.line
        covered.update(range(chunk.range.start.line, chunk.range.end.line + 1))
        previous = start
    assert {n for n, line in enumerate(lines) if line.strip()} <= covered


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=30)
@given(text=texts)
def test_chunks_of_any_text_keep_their_promises(name: str, text: str) -> None:
    """Chunks are exact, ordered, bounded and cover every line that is not blank."""
    check(text, chunk_document(name, text))
