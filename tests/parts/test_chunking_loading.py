"""Grammars and threads: what is loaded, when, and what happens when it cannot be."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from hunch.chunking import parsing
from hunch.chunking.chunker import chunk_document
from hunch.chunking.grammars import GRAMMARS, Grammar
from hunch.chunking.shadow import shadow, without_macros

SAMPLES = {
    "a.py": "import os\n\n\ndef f(x):\n    return x\n" * 200,
    "a.go": "package a\n\nfunc f(x int) int {\n\treturn x\n}\n" * 200,
    "a.md": "# A\n\nText.\n\n" * 200,
}


def test_nothing_is_loaded_before_it_is_needed() -> None:
    """Importing the chunker loads no parser, and a document loads its own grammar only."""
    script = (
        "import sys\n"
        "from hunch.chunking.chunker import chunk_document\n"
        "def loaded(): return sorted(m for m in sys.modules if m.startswith('tree_sitter'))\n"
        "chunk_document('a.md', '# x')\n"
        "assert loaded() == [], loaded()\n"
        "chunk_document('a.lua', 'x = 1')\n"
        "assert {m.split('.')[0] for m in loaded()} == {'tree_sitter', 'tree_sitter_lua'}, loaded()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("grammar", "error"),
    [(Grammar("tree_sitter_absent"), "ModuleNotFoundError"), (Grammar("json"), "AttributeError")],
)
def test_a_grammar_that_fails_to_load_costs_structure_only(
    monkeypatch: pytest.MonkeyPatch, grammar: Grammar, error: str
) -> None:
    """Without its grammar a text is cut into blocks, and the note says so."""
    monkeypatch.setitem(GRAMMARS, "dart", grammar)
    document = chunk_document("a.dart", "void main() {}\n")
    assert document.note == f"cut into blocks: the dart grammar cannot be loaded ({error})"
    assert [c.text for c in document.chunks] == ["void main() {}"]


def test_a_text_that_defeats_its_grammar_is_cut_into_blocks() -> None:
    """What is no program costs a second at most, and is still found whole."""
    text = "(" * 200_000
    document = chunk_document("a.py", text)
    assert document.note == "cut into blocks: the python grammar makes nothing of it"
    assert "".join(c.text for c in document.chunks) == text


def test_a_parse_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A grammar has a limit of processor time."""
    monkeypatch.setattr(parsing, "PARSE_SECONDS", 0.0)
    document = chunk_document("a.py", SAMPLES["a.py"])
    assert document.note == "cut into blocks: the python grammar takes too long"
    assert document.chunks[0].range.start.line == 0


def test_indentation_too_deep_for_a_scanner_is_never_parsed() -> None:
    """What would crash the parser, and us with it, is cut into blocks."""
    text = "".join(" " * n + 'if "{\n' for n in range(700))
    document = chunk_document("a.py", text)
    assert document.note == "cut into blocks: it is indented too deeply"


def test_deep_nesting_is_harmless() -> None:
    """100,000 brackets inside one another neither crash nor recurse."""
    text = "x = " + "(" * 100_000 + "1" + ")" * 100_000 + "\n"
    document = chunk_document("a.js", text)
    assert "".join(c.text for c in document.chunks) == text.rstrip("\n")


def test_threads_do_not_disturb_one_another() -> None:
    """Many threads get what one thread gets."""
    alone = {name: chunk_document(name, text) for name, text in SAMPLES.items()}
    names = [*SAMPLES] * 8
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda name: chunk_document(name, SAMPLES[name]), names))
    assert together == [alone[name] for name in names]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("é = '漢🎉'\r\n", b"x = 'xx'\r\n"),
        ("a\rb\r\nc\0", b"a\nb\r\nc "),
        ("\ufeffa\ufeff\ud800", b"\naxx"),
    ],
)
def test_a_shadow_has_one_byte_for_each_character(text: str, expected: bytes) -> None:
    """Parsers see ASCII of the same length, so that their offsets are ours."""
    assert shadow(text) == expected
    assert len(expected) == len(text)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (b"FOO_BEGIN\nnamespace a {", b"         \nnamespace a {"),
        (b"class FOO_EXPORT A {", b"class            A {"),
        (b"TEST_F(A, B)\n{", b"TEST_F(A, B)\n{"),
        (b"enum { A_B\n}", b"enum { A_B\n}"),
        (b"x = A_B |\n  C_D\n;", b"x = A_B |\n  C_D\n;"),
    ],
)
def test_macros_that_hide_structure_are_blanked(source: bytes, expected: bytes) -> None:
    """Macros alone on a line or before a class's name are no part of the grammar."""
    assert without_macros(source) == expected


def test_names_across_the_parser_s_reading_buffer_are_seen_whole() -> None:
    """A predicate reads a name that begins in one slice and ends in the next."""
    for padding in range(parsing._READ_BYTES - 24, parsing._READ_BYTES):
        text = "#" * padding + "\nclass A\n  attr_reader :url\nend\n"
        found = [d.path for c in chunk_document("a.rb", text).chunks for d in c.definitions]
        assert sorted(found) == ["A", "A.url"]
