"""The one door of chunking: a text goes in, its chunks come out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hunch.model import ChunkedDocument


def chunk_document(path: str, text: str, *, plain: str = "") -> ChunkedDocument:
    """Cut a document into chunks along the structure of its language.

    Never raises, whatever the text: what cannot be understood is cut into blocks, and `note` says
    so. Every line that is not blank is in some chunk, the outputs of notebooks excepted. Safe to
    call from several threads.

    Args:
        path: names the language; nothing is read from it.
        text: the whole document.
        plain: when not empty, the document is cut into blocks whatever its language; a clause that
            says why, for the note.
    """
    from hunch.chunking.dispatch import cut_document  # noqa: PLC0415 - a search needs none of it

    return cut_document(path, text, plain)
