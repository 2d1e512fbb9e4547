"""How code is cut: the classic faults of code chunkers."""

from __future__ import annotations

import pytest

from hunch.chunking import budget
from hunch.chunking.chunker import chunk_document
from hunch.chunking.definitions import outline
from hunch.chunking.grammars import GRAMMARS
from hunch.chunking.lines import Lines
from hunch.chunking.parsing import parse
from hunch.languages import language_of
from hunch.model import Chunk, SymbolKind

BODY = "".join(f"    value_{n} = compute_something_useful(value_{n}, {n})\n" for n in range(12))


def chunks(name: str, text: str) -> tuple[Chunk, ...]:
    """Cut a text whose grammar must work."""
    document = chunk_document(name, text)
    assert document.note == ""
    return document.chunks


def holding(found: tuple[Chunk, ...], line: int) -> Chunk:
    """Return the one chunk that holds a line."""
    (chunk,) = [c for c in found if c.range.start.line <= line <= c.range.end.line]
    return chunk


def test_a_def_inside_a_string_is_not_a_boundary() -> None:
    """A string that holds code stays within its function, which is the only definition."""
    text = f'def real():\n    text = """\ndef fake():\n{BODY}"""\n    return text\n'
    (chunk,) = chunks("a.py", text)
    assert [d.path for d in chunk.definitions] == ["real"]
    assert chunk.text == text.rstrip("\n")


LEADS = [
    ("a.py", "# Why.\n@cached\n@retry(\n    3,\n)\ndef send(x):\n"),
    ("a.js", "/**\n * Why.\n */\nexport async function send(x) {\n"),
    ("a.js", "/** Why. */\n\nres.send = function (x) {\n"),
    ("a.ts", "// Why.\n@Component({\n  a: 1,\n})\nexport class send {\n"),
    ("a.go", "// Why.\n// More.\nfunc send(x int) {\n"),
    ("a.rs", "/// Why.\n#[inline]\n#[must_use]\npub fn send(x: u8) {\n"),
    ("A.java", "/** Why. */\n@Override\n@Marker(1)\nclass send {\n"),
    ("a.cpp", "// Why.\ntemplate <\n  typename T>\nT send(T x) {\n"),
    ("a.cs", "/// Why.\n[Marker]\nclass send {\n"),
    ("a.rb", "# Why.\n# More.\ndef send(x)\n"),
    ("a.php", "<?php\n\n/** Why. */\n#[Marker]\nfunction send($x) {\n"),
    ("a.kt", "/** Why. */\n@Marker\nfun send(x: Int) {\n"),
    ("a.swift", "/// Why.\n@objc\nfunc send(x: Int) {\n"),
    ("a.sh", "# Why.\nsend() {\n"),
    ("a.lua", "--- Why.\nlocal function send(x)\n"),
    ("a.sql", "-- Why.\nCREATE TABLE send (\n"),
]


@pytest.mark.parametrize(("name", "lead"), LEADS, ids=[f"{n} {t[:9]!r}" for n, t in LEADS])
def test_decorators_and_documentation_stay_with_their_definition(name: str, lead: str) -> None:
    """A definition's lines begin with the comment, attributes and decorators above it."""
    closers = {"a.py": "    pass\n", "a.rb": "end\n", "a.lua": "end\n", "a.sql": "  x int\n);\n"}
    language = language_of(name)
    text = lead + closers.get(name, "}\n")
    root = outline(Lines(text), parse(language, text)[1], GRAMMARS[language])
    (part,) = root.children
    assert part.title in {"send", "res.send"}
    assert (part.first, part.last) == (2 * text.startswith("<?php"), text.count("\n"))


def test_a_long_class_becomes_an_outline_and_its_methods() -> None:
    """A class of 3,000 lines is cut into its header and its methods, none lost, none unbounded."""
    methods = "".join(
        f"    def method_{n}(self):\n{BODY}\n".replace("    value", "        value")
        for n in range(230)
    )
    text = f'class Big(Base):\n    """What it is for."""\n\n    limit = 3\n\n{methods}'
    assert text.count("\n") > 3_000
    found = chunks("a.py", text)
    assert len(found) == 230
    assert found[0].text.startswith('class Big(Base):\n    """What it is for."""')
    assert [d.path for c in found for d in c.definitions if d.kind is SymbolKind.METHOD] == [
        f"Big.method_{n}" for n in range(230)
    ]
    assert {c.context for c in found[1:]} == {"class Big(Base):"}
    assert all(budget.ink(c.text) <= budget.TARGET_INK + budget.TINY_INK for c in found)


def test_many_constants_become_a_few_chunks() -> None:
    """400 one-line constants fill whole chunks, and each is listed once."""
    found = chunks("a.py", "".join(f"CONSTANT_NUMBER_{n} = {n}\n" for n in range(400)))
    assert 5 <= len(found) <= 12
    assert [d.name for c in found for d in c.definitions] == [
        f"CONSTANT_NUMBER_{n}" for n in range(400)
    ]


def test_one_line_methods_share_a_chunk() -> None:
    """Tiny methods are merged; the chunk lists them all and is called after their class."""
    text = (
        "class Big {\n"
        + "".join(f"  get{n}() {{ return this.value{n}; }}\n" for n in range(150))
        + "}\n"
    )
    found = chunks("a.js", text)
    assert len(found) <= 6
    assert {c.title for c in found} == {"Big"}
    assert sum(d.kind is SymbolKind.METHOD for c in found for d in c.definitions) == 150


def test_nested_functions_stay_with_their_parent_and_are_listed() -> None:
    """A function that fits is one chunk, with everything it defines."""
    (chunk,) = chunks("a.py", "def outer():\n    def inner():\n        pass\n    return inner\n")
    assert chunk.title == "outer"
    assert [d.path for d in chunk.definitions] == ["outer", "outer.inner"]


def test_pieces_of_a_long_function_keep_title_and_signature() -> None:
    """A function over the budget is cut between statements; each piece says whose it is."""
    statements = "".join(
        f"    if check_{n}(\n        argument\n    ):\n        act_on_{n}()\n" for n in range(120)
    )
    found = chunks("a.py", f"def long(a,\n         b):\n{statements}")
    assert len(found) == 3
    assert {c.title for c in found} == {"long"}
    assert [c.context for c in found] == [""] + ["def long(a,"] * (len(found) - 1)
    assert all(c.text.startswith("    if check_") for c in found[1:])
    assert [len(c.definitions) for c in found] == [1] + [0] * (len(found) - 1)


def test_the_preamble_is_the_header() -> None:
    """Docstring, imports and constants before the first definition are one chunk."""
    header = '"""Why."""\n\nimport os\n\nLIMIT = 3\n' + "import something\n" * 20
    found = chunks("a.py", f"{header}\n\ndef first():\n{BODY}\n\ndef second():\n{BODY}")
    assert [c.title for c in found] == ["(imports/header)", "first", "second"]
    assert found[0].text == header.rstrip("\n")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("odd", ["\f", "\u2028", "\x85", "\v", "é", "🎉", "\ufeff"])
def test_lines_are_counted_as_editors_count_them(newline: str, odd: str) -> None:
    """Only LF, CRLF and CR end a line; odd characters shift nothing."""
    text = newline.join(
        [f"# {odd} and {odd}", f"x = '{odd}{odd}'", "", "def first():", "    pass", ""]
    )
    definitions = {d.name: d for c in chunks("a.py", text) for d in c.definitions}
    assert definitions["first"].line == 3
    assert definitions["x"].line == 1


def test_columns_count_utf16() -> None:
    """The end of a chunk is given in UTF-16 code units."""
    (chunk,) = chunks("a.py", "x = '🎉'\r\n")
    assert (chunk.range.end.line, chunk.range.end.character) == (0, 8)


def test_a_giant_line_is_cut_in_the_middle() -> None:
    """A line longer than a chunk may be is cut, each part on the same line, nothing lost."""
    text = "const data = [" + "'🎉 words and more', " * 1_000 + "];\n"
    found = chunks("a.js", text)
    assert len(found) > 10
    assert "".join(c.text for c in found) == text.rstrip("\n")
    assert {c.range.start.line for c in found} == {0}
    assert found[1].range.start == found[0].range.end


def test_broken_code_still_gives_definitions() -> None:
    """A missing bracket costs little."""
    text = f"def first(:\n{BODY}\n\ndef second():\n{BODY}\n\nclass Third:\n    def m(self):\n        pass\n"
    found = chunk_document("a.py", text)
    names = {d.name for c in found.chunks for d in c.definitions}
    assert {"second", "Third", "m"} <= names


def test_a_header_with_classes_is_read_as_cpp() -> None:
    """A `.h` file is C unless it says otherwise."""
    assert chunk_document("a.h", "struct x { int y; };\n").language == "c"
    assert chunk_document("a.h", "#pragma once\nnamespace a {\nclass B {};\n}\n").language == "cpp"


def test_empty_texts_have_no_chunks() -> None:
    """White space is nothing to find."""
    assert [chunk_document("a.py", text).chunks for text in ("", " \n\t\r\n\f\n")] == [(), ()]


TESTS = {
    "a.ts": "describe('box', () => {{\n  it.each([1])\n  it('opens', () => {{\n{}  }})\n}})\n",
    "a.rb": "describe 'box' do\n  it 'opens' do\n{}  end\nend\n",
    "a.exs": 'describe "box" do\n  test "opens", %{{x: x}} do\n{}  end\nend\n',
    "a.lua": "describe('box', function()\n  it('opens', function()\n{}  end)\nend)\n",
}


@pytest.mark.parametrize("name", TESTS)
def test_test_cases_are_titles_but_no_definitions(name: str) -> None:
    """A chunk of a test file is called after its test, which defines nothing."""
    body = "".join(f"    expect_that(value_{n}, is_equal_to({n}))\n" for n in range(60))
    found = chunks(name, TESTS[name].format(body))
    assert {c.title for c in found} == {"box.opens"}
    assert [c.definitions for c in found] == [()] * len(found)


def test_an_annotation_with_arguments_stays_with_its_kotlin_function() -> None:
    """The grammar takes such an annotation for an expression."""
    text = '/** Why. */\n@Suppress("X")\nfun send(x: Int) {\n}\n'
    root = outline(Lines(text), parse("kotlin", text)[1], GRAMMARS["kotlin"])
    assert [(part.title, part.first) for part in root.children] == [("send", 0)]
