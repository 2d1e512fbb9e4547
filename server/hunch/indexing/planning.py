"""From the text of a file to what the store keeps of it: chunks, content hashes, postings."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from hunch.chunking.chunker import chunk_document
from hunch.ranking.terms import Terms, count_terms
from hunch.store.documents import NewDocument, Stamp
from hunch.store.postings import Postings
from hunch.text import embedding_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hunch.model import Chunk

CHUNKER_VERSION = 1
"""Raised when equal files are cut or counted differently than before: every file is cut again."""


def plan(
    files: Sequence[tuple[str, str, Stamp]], terms: Terms
) -> tuple[list[NewDocument], Postings]:
    """Cut some files and count their terms; blocks.

    Args:
        files: path, text and stamp of each.
        terms: shared between calls for its memory of words.
    """
    cut = [(path, stamp, chunk_document(path, text)) for path, text, stamp in files]
    counts, lengths = count_terms(
        _fields(path_terms, chunk, terms)
        for path, _, document in cut
        for path_terms in (terms.of(_path_words(path)),)
        for chunk in document.chunks
    )
    documents: list[NewDocument] = []
    at = 0
    for path, stamp, document in cut:
        chunks = document.chunks
        documents.append(
            NewDocument(
                path=path,
                stamp=stamp,
                language=document.language,
                kind=document.kind,
                chunks=chunks,
                text_hashes=[content_hash(chunk) for chunk in chunks],
                lengths=lengths[at : at + len(chunks)],
            )
        )
        at += len(chunks)
    return documents, Postings(*counts)


def content_hash(chunk: Chunk) -> bytes:
    """Return blake2b-16 of a chunk's embedding text."""
    text = embedding_text(chunk.title, chunk.context, chunk.text)
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


def _fields(
    path_terms: list[int], chunk: Chunk, terms: Terms
) -> tuple[list[int], list[int], list[int]]:
    names = " ".join([chunk.title, *(definition.name for definition in chunk.definitions)])
    return terms.of(names), path_terms, terms.of(chunk.text)


def _path_words(path: str) -> str:
    """Return the words of a path that tell files apart: its last three folders and its stem."""
    pure = PurePosixPath(path)
    return " ".join([*pure.parts[-4:-1], pure.stem])
