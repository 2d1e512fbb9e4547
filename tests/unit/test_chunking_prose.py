"""How prose, notebooks and data are cut."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from hunch.chunking.chunker import chunk_document
from hunch.chunking.lines import Lines
from hunch.chunking.markdown import scan
from hunch.chunking.restructuredtext import headings
from hunch.chunking.yaml import outline
from hunch.model import Chunk, Kind

WORDS = "Some words about the matter at hand, and then a few more of them. " * 20
HEADINGS = {
    "levels and closing marks": ("# A #\n\n## B `x`\n###### C\n", ["1 A", "2 B `x`", "6 C"]),
    "seven marks, no space, too deep": ("####### a\n#b\n    # c\n", []),
    "setext": ("A title\n===\n\nAnother\ntitle\n---\n", ["1 A title", "2 Another title"]),
    "a rule is no heading": ("\n---\ntext\n\n---\n* a\n---\n", []),
    "fences": ("```sh\n# no\n```\n~~~\n# no\n```\n~~~~\n# A\n", ["1 A"]),
    "a longer fence holds a shorter one": ("````\n```\n# no\n````\n# A\n", ["1 A"]),
    "a fence in a list": ("- ```\n  # no\n  ```\n# A\n", ["1 A"]),
    "a deep fence in a list": ("1. a\n\n    ```\n    # no\n    ```\n# A\n", ["1 A"]),
    "a fence that is never closed": ("# A\n```\n# no\n", ["1 A"]),
    "comments": ("<!-- a\n# no\n-->\n# A\n<!-- b -->\n## B\n", ["1 A", "2 B"]),
    "front matter": ("---\n# no\ntitle: x\n---\n# A\n", ["1 A"]),
    "a table and a quote": ("| a |\n|---|\n> b\n---\n", []),
    "an empty heading": ("#\n", ["1 "]),
}


def titles(name: str, text: str) -> list[str]:
    """Return the titles of the chunks of a text."""
    return [chunk.title for chunk in chunk_document(name, text).chunks]


@pytest.mark.parametrize("case", HEADINGS)
def test_markdown_headings_are_found_where_they_are(case: str) -> None:
    """Headings are lines of the block structure, not lines that look like one."""
    text, expected = HEADINGS[case]
    assert [f"{h.level} {h.text}" for h in scan(text.split("\n")).headings] == expected


def test_sections_have_their_heading_path() -> None:
    """A section that fills a chunk is called by the headings above it, without their markup."""
    text = f"# The *tool*\n\n{WORDS}\n\n## Use [it](x)\n\n{WORDS}\n\n# Other\n\n{WORDS}\n"
    assert titles("a.md", text) == ["The tool", "The tool > Use it", "Other"]


def test_small_sections_share_a_chunk() -> None:
    """Short siblings are merged and named by what is around them."""
    text = f"# Tool\n\n{WORDS}\n\n" + "".join(f"## Part {n}\n\nShort.\n\n" for n in range(4))
    assert titles("a.md", text) == ["Tool"]


def test_front_matter_is_a_chunk_of_its_own() -> None:
    """Settings at the top do not mix with the first section."""
    text = "---\ntitle: x\n---\n\n# A\n\nShort.\n"
    assert titles("a.md", text) == ["(front matter)", "A"]


def test_long_sections_are_cut_at_paragraphs_and_overlap() -> None:
    """The pieces of a section begin with the last two lines of the piece before."""
    paragraphs = [
        f"Paragraph {n} begins.\nIt goes on {'and on ' * 20}\nand ends." for n in range(30)
    ]
    chunks = chunk_document("a.md", "# Long\n\n" + "\n\n".join(paragraphs) + "\n").chunks
    assert len(chunks) > 2
    assert {c.title for c in chunks} == {"Long"}
    for before, after in pairwise(chunks):
        assert after.text.split("\n")[:2] == before.text.split("\n")[-2:]
        assert before.text.endswith("and ends.")


def test_a_fence_is_kept_whole_while_it_fits() -> None:
    """Blank lines inside a fence are no place to cut."""
    code = "```\n" + "\n\n".join(f"line {n} of the listing" for n in range(40)) + "\n```"
    text = f"# A\n\n{WORDS}\n\n{code}\n\n{WORDS}\n"
    assert any(code in chunk.text for chunk in chunk_document("a.md", text).chunks)


RST = {
    "under and over": (
        "===\nTop\n===\n\nSub\n---\n\nDeep\n~~~~\n\nSub 2\n-----\n",
        "1 Top|2 Sub|3 Deep|2 Sub 2",
    ),
    "too short": ("A long title\n---\n", ""),
    "indented": ("::\n\n   Code\n   ----\n", ""),
    "a table": ("====  ====\na     b\n====  ====\n", ""),
    "a transition": ("text\n\n----\n\nmore\n", ""),
}


@pytest.mark.parametrize("case", RST)
def test_restructuredtext_headings_are_underlined(case: str) -> None:
    """Adornments make headings, in the order in which they appear."""
    text, expected = RST[case]
    found = [f"{h.level} {h.text}" for h in headings(text.split("\n"))]
    assert "|".join(found) == expected


def notebook(*cells: tuple[str, list[str], list[str]], indent: int | None = 1) -> str:
    """Write a notebook of (type, source, output lines)."""
    made = [
        {
            "cell_type": kind,
            "metadata": {},
            **({"outputs": [{"text": output}] if output else []} if kind == "code" else {}),
            "source": source,
        }
        for kind, source, output in cells
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4}, indent=indent)


def test_notebooks_are_cut_by_cells_without_outputs() -> None:
    """Outputs are in no chunk; everything else is, with the definitions of code cells."""
    text = notebook(
        ("markdown", ["# Loading\n", WORDS], []),
        ("code", ["%matplotlib inline\n", "def load(path):\n", "    return 1"], ["SECRET\n"] * 9),
        ("code", ["class Model:\n", "    pass\n", *["x = 1\n"] * 60], []),
    )
    document = chunk_document("a.ipynb", text)
    shown = "\n".join(c.text for c in document.chunks)
    assert (document.note, document.language) == ("", "jupyter")
    assert "SECRET" not in shown
    assert "def load(path)" in shown
    assert [c.title for c in document.chunks] == ["Loading", "Loading > cell 3"]
    lines = text.split("\n")
    definitions = {d.path: lines[d.line] for c in document.chunks for d in c.definitions}
    assert "def load" in definitions["load"]
    assert "class Model" in definitions["Model"]


@pytest.mark.parametrize("text", ["{", "[1, 2]", '{"cells": []}', "not json"])
def test_what_is_no_notebook_is_cut_into_blocks(text: str) -> None:
    """Bad JSON is still found, and the note says why it was cut simply."""
    document = chunk_document("a.ipynb", text)
    assert document.note == "cut into blocks: it is not a notebook with cells"
    assert [c.text for c in document.chunks] == [text]


def test_a_notebook_on_one_line_keeps_everything() -> None:
    """Outputs are left out only where they have lines of their own."""
    text = notebook(("code", ["x = 1"], ["out"]), indent=None)
    assert [c.text for c in chunk_document("a.ipynb", text).chunks] == [text]


def long(line: str) -> str:
    """Repeat a line until it needs a chunk of its own."""
    return line * (900 // len(line.strip()))


DATA = {
    "a.json": ('{\n"name": "x",\n"scripts": {\n' + long('  "run": "make all the things",\n') + '  "z": 1\n},\n"files": [\n' + long('  "some/file",\n') + '  "z"\n]\n}\n', ["name", "scripts", "files"]),
    "a.yaml": ("name: x\njobs:\n" + long("  - run: make all the things\n") + "files:\n" + long("  - some/file\n"), ["jobs", "files"]),
    "a.toml": ("[project]\n" + long('key = "make all the things"\n') + "[tool.lint]\n" + long('key = "make all"\n'), ["project", "tool.lint"]),
    "a.css": (".a > .b {\n" + long("  color: red;\n") + "}\n@media (x) {\n" + long("  a { color: red; }\n") + "}\n", [".a > .b", "@media"]),
    "a.html": (f"<h1>Top <b>x</b></h1>\n<p>{WORDS}</p>\n<h2>Sub</h2>\n<p>{WORDS}</p>\n", ["Top x", "Top x > Sub"]),
}  # fmt: skip


YAML = {
    "nesting": ("a:\n  b: 1\n  c:\n    d: 2\ne: 3\n", "a 0-4|a.b 1-2|a.c 2-4|a.c.d 3-4|e 4-5"),
    "items": ("a:\n- x: 1\n- y\nb:\n  - z: 1\n", "a 0-3|b 3-5"),
    "block scalars": ("a: |-\n  no: key\n\n  more: text\nb: >2  # c\n  no: 1\n", "a 0-4|b 4-6"),
    "comments": ("a: 1\n\n# About b.\n# no: key\nb: 2\n", "a 0-2|b 2-5"),
    "quotes, spaces, colons": (
        "'a b': 1\nc d: 2\nhttp://x\n\"e:f\": 3\n",
        "a b 0-1|c d 1-2|e:f 3-4",
    ),
    "documents": ("a: 1\n---\nb: 2\n", "a 0-1|b 2-3"),
    "flow": ("{a: 1}\n[b: 2]\n- c: 3\n", ""),
}


@pytest.mark.parametrize("case", YAML)
def test_yaml_keys_are_found_by_indentation(case: str) -> None:
    """Each key has its path, its lines and the comment above; text in scalars is no key."""
    text, expected = YAML[case]
    found = list[str]()
    waiting = list(reversed(outline(Lines(text)).children))
    while waiting:
        part = waiting.pop()
        found.append(f"{part.title} {part.first}-{min(part.last, text.count(chr(10)))}")
        waiting += reversed(part.children)
    assert "|".join(found) == expected


@pytest.mark.parametrize("name", DATA)
def test_data_and_markup_are_cut_by_keys(name: str) -> None:
    """Keys, selectors and headings are titles, but define nothing."""
    text, expected = DATA[name]
    document = chunk_document(name, text)
    found = [c.title for c in document.chunks]
    assert [title for title in expected if title in found or title == "name"] == expected
    assert [c.definitions for c in document.chunks] == [()] * len(found)


def test_components_list_what_their_scripts_define() -> None:
    """A Vue file is HTML whose scripts are read as TypeScript, at their own lines."""
    text = "<template>\n  <p/>\n</template>\n\n<script setup>\nconst x = 1\nfunction go() {}\n</script>\n"
    document = chunk_document("a.vue", text)
    found = {d.path: d.line for c in document.chunks for d in c.definitions}
    assert found == {"x": 5, "go": 6}


def test_other_texts_are_cut_at_blank_lines() -> None:
    """Unknown text is cut into blocks of 50 lines at most, between paragraphs."""
    text = "\n".join(f"line {n}" + "\n" * (n % 7 == 0) for n in range(300))
    chunks: tuple[Chunk, ...] = chunk_document("notes.txt", text).chunks
    assert all(c.range.end.line - c.range.start.line < 50 for c in chunks)
    assert all(int(c.text.split()[1]) % 7 == 1 for c in chunks[1:])


@pytest.mark.parametrize(
    ("name", "language", "kind"),
    [("a.md", "markdown", Kind.DOCS), ("a.py", "python", Kind.CODE), ("x", "text", Kind.DOCS)],
)
def test_language_and_kind_are_told(name: str, language: str, kind: Kind) -> None:
    """The document says what it was taken for."""
    document = chunk_document(name, "x\n")
    assert (document.language, document.kind) == (language, kind)
