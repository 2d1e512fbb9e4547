"""Choosing how a document is cut, by its language."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hunch.chunking.assembling import HEADER, Assembler
from hunch.chunking.budget import BLOCK_LINES
from hunch.chunking.components import COMPONENTS, cut_component
from hunch.chunking.cutting import Cutter
from hunch.chunking.definitions import outline
from hunch.chunking.grammars import GRAMMARS
from hunch.chunking.levels import by_layout, by_syntax
from hunch.chunking.lines import Lines
from hunch.chunking.notebook import cut_notebook
from hunch.chunking.outline import Part
from hunch.chunking.parsing import ParseError, parse
from hunch.chunking.prose import cut_html, cut_markdown, cut_restructuredtext, cut_yaml
from hunch.languages import kind_of, language_of
from hunch.model import ChunkedDocument

if TYPE_CHECKING:
    from hunch.model import Chunk

_FIRST_LINE_CHARS = 200
_CPP = re.compile(r"^[ \t]*(?:class \w+|namespace\b|template\s*<|using \w|public:)", re.MULTILINE)
_OWN_WAYS = {
    "html": cut_html,
    "jupyter": cut_notebook,
    "markdown": cut_markdown,
    "restructuredtext": cut_restructuredtext,
    "yaml": cut_yaml,
}


def cut_document(path: str, text: str, plain: str = "") -> ChunkedDocument:
    """Cut a document as `chunker.chunk_document` promises."""
    language = _language(path, text)
    lines = Lines(text)
    try:
        chunks, note = _cut(path, language, lines, plain), ""
    except ParseError as reason:
        chunks, note = _by_blocks(lines), f"cut into blocks: {reason}"
    return ChunkedDocument(language, kind_of(language), chunks, note)


def _language(path: str, text: str) -> str:
    language = language_of(path, text[:_FIRST_LINE_CHARS])
    # Headers of both languages are called `.h`.
    return "cpp" if language == "c" and _CPP.search(text) else language


def _cut(path: str, language: str, lines: Lines, plain: str) -> tuple[Chunk, ...]:
    if plain:
        raise ParseError(plain)
    if path.lower().endswith(COMPONENTS):
        return cut_component(lines)
    if language in _OWN_WAYS:
        return _OWN_WAYS[language](lines)
    if language in GRAMMARS:
        return _by_syntax(language, lines)
    return _by_blocks(lines)


def _by_syntax(language: str, lines: Lines) -> tuple[Chunk, ...]:
    grammar = GRAMMARS[language]
    tree, matches = parse(language, lines.text)
    root = outline(lines, matches, grammar)
    pieces = Cutter(lines, by_syntax(lines, tree.root_node)).pieces(root)
    header = HEADER if grammar.has_symbols else ""
    return tuple(Assembler(lines, root, header=header).chunks(pieces))


def _by_blocks(lines: Lines) -> tuple[Chunk, ...]:
    root = Part(0, lines.count, head=-1)
    pieces = Cutter(lines, by_layout(lines), max_lines=BLOCK_LINES).pieces(root)
    return tuple(Assembler(lines, root).chunks(pieces))
