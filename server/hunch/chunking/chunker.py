"""The one door of chunking: a text goes in, its chunks come out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hunch.chunking.assembling import HEADER, Assembler
from hunch.chunking.budget import BLOCK_LINES
from hunch.chunking.cutting import Cutter
from hunch.chunking.definitions import outline
from hunch.chunking.grammars import GRAMMARS
from hunch.chunking.levels import by_layout, by_syntax
from hunch.chunking.lines import Lines
from hunch.chunking.notebook import cut_notebook
from hunch.chunking.outline import Part
from hunch.chunking.parsing import ParseError, parse
from hunch.chunking.prose import cut_html, cut_markdown, cut_restructuredtext
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
}


def chunk_document(path: str, text: str) -> ChunkedDocument:
    """Cut a document into chunks along the structure of its language.

    Never raises, whatever the text: what cannot be understood is cut into blocks, and `note` says
    so. Every line that is not blank is in some chunk, the outputs of notebooks excepted. Safe to
    call from several threads.

    Args:
        path: names the language; nothing is read from it.
        text: the whole document.
    """
    language = _language(path, text)
    lines = Lines(text)
    try:
        chunks, note = _cut(language, lines), ""
    except ParseError as reason:
        chunks, note = _by_blocks(lines), f"cut into blocks: {reason}"
    return ChunkedDocument(language, kind_of(language), chunks, note)


def _language(path: str, text: str) -> str:
    language = language_of(path, text[:_FIRST_LINE_CHARS])
    # Headers of both languages are called `.h`.
    return "cpp" if language == "c" and _CPP.search(text) else language


def _cut(language: str, lines: Lines) -> tuple[Chunk, ...]:
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
