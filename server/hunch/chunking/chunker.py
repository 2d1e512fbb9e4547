"""The one door of chunking: a text goes in, its chunks come out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hunch.chunking.assembling import HEADER, Assembler
from hunch.chunking.budget import BLOCK_LINES
from hunch.chunking.cutting import Cutter
from hunch.chunking.definitions import outline
from hunch.chunking.grammars import GRAMMARS
from hunch.chunking.levels import by_layout, by_syntax
from hunch.chunking.lines import Lines
from hunch.chunking.outline import Part
from hunch.chunking.parsing import ParseError, parse
from hunch.languages import kind_of, language_of
from hunch.model import ChunkedDocument

if TYPE_CHECKING:
    from hunch.model import Chunk

_FIRST_LINE_CHARS = 200


def chunk_document(path: str, text: str) -> ChunkedDocument:
    """Cut a document into chunks along the structure of its language.

    Never raises, whatever the text: what cannot be understood is cut into blocks, and `note` says
    so. Every line that is not blank is in some chunk, the outputs of notebooks excepted. Safe to
    call from several threads.

    Args:
        path: names the language; nothing is read from it.
        text: the whole document.
    """
    language = language_of(path, text[:_FIRST_LINE_CHARS])
    note = ""
    if not text.strip():
        chunks = ()
    elif language in GRAMMARS:
        chunks, note = _by_syntax(language, text)
    else:
        chunks = _by_blocks(text)
    return ChunkedDocument(language, kind_of(language), chunks, note)


def _by_syntax(language: str, text: str) -> tuple[tuple[Chunk, ...], str]:
    try:
        tree, matches = parse(language, text)
    except ParseError as reason:
        return _by_blocks(text), f"cut into blocks: {reason}"
    lines = Lines(text)
    root = outline(lines, matches)
    pieces = Cutter(lines, by_syntax(lines, tree.root_node)).pieces(root)
    header = HEADER if GRAMMARS[language].has_symbols else ""
    return tuple(Assembler(lines, root, header=header).chunks(pieces)), ""


def _by_blocks(text: str) -> tuple[Chunk, ...]:
    lines = Lines(text)
    root = Part(0, lines.count, head=-1)
    pieces = Cutter(lines, by_layout(lines), max_lines=BLOCK_LINES).pieces(root)
    return tuple(Assembler(lines, root).chunks(pieces))
