"""From the text of a file to what the store keeps of it: chunks, content hashes, postings."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from hunch.chunking.chunker import chunk_document
from hunch.model import Problem
from hunch.ranking.terms import Terms, count_terms
from hunch.store.documents import NewDocument, Stamp
from hunch.store.postings import Postings
from hunch.text import embedding_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hunch.model import Chunk, ChunkedDocument

CHUNKER_VERSION = 1
"""Raised when equal files are cut or counted differently than before: every file is cut again."""

File = tuple[str, str, Stamp]
"""Path, text and stamp."""
Plan = tuple[list[NewDocument], Postings]
"""Some documents, and the postings of all their chunks."""


def plan(
    files: Sequence[File],
    terms: Terms,
    *,
    plain: Mapping[str, str] | None = None,
    begin: Callable[[str, int], object] = lambda _path, _size: None,
) -> Plan:
    """Cut some files and count their terms; blocks.

    A document that could not be cut along its structure says so in its `problem`.

    Args:
        files: no two with the same path.
        terms: shared between calls for its memory of words.
        plain: path → why the file is to be cut into blocks, for those that are.
        begin: called before each file is cut with its path and its length, after the last with an
            empty path and the length of all.
    """
    plain = plain or {}
    cut: list[tuple[str, Stamp, ChunkedDocument, list[bytes]]] = []
    fields: list[tuple[list[int], list[int], list[int]]] = []
    for path, text, stamp in files:
        begin(path, len(text))
        document = chunk_document(path, text, plain=plain.get(path, ""))
        path_terms = terms.of(_path_words(path))
        fields += [_fields(path_terms, chunk, terms) for chunk in document.chunks]
        cut.append((path, stamp, document, [content_hash(chunk) for chunk in document.chunks]))
    begin("", sum(len(text) for _, text, _ in files))
    counts, lengths = count_terms(fields)
    documents: list[NewDocument] = []
    at = 0
    for path, stamp, document, hashes in cut:
        documents.append(
            NewDocument(
                path=path,
                stamp=stamp,
                language=document.language,
                kind=document.kind,
                chunks=document.chunks,
                text_hashes=hashes,
                lengths=lengths[at : at + len(hashes)],
                problem=Problem(path, document.note, "not understood") if document.note else None,
            )
        )
        at += len(hashes)
    return documents, Postings(*counts)


def content_hash(chunk: Chunk) -> bytes:
    """Return blake2b-16 of a chunk's embedding text."""
    return hash_of_text(embedding_text(chunk.title, chunk.context, chunk.text))


def hash_of_text(embedding_text: str) -> bytes:
    """Return blake2b-16 of an embedding text."""
    return blake2b(embedding_text.encode("utf-8", "replace"), digest_size=16).digest()


def _fields(
    path_terms: list[int], chunk: Chunk, terms: Terms
) -> tuple[list[int], list[int], list[int]]:
    names = " ".join([chunk.title, *(definition.name for definition in chunk.definitions)])
    return terms.of(names), path_terms, terms.of(chunk.text)


def _path_words(path: str) -> str:
    """Return the words of a path that tell files apart: its last three folders and its stem."""
    pure = PurePosixPath(path)
    return " ".join([*pure.parts[-4:-1], pure.stem])
