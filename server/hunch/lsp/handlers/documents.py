"""Notifications about documents and notebooks that are open in the editor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hunch.lsp.live import align_documents

if TYPE_CHECKING:
    from lsprotocol import types as lsp

    from hunch.lsp.server import HunchServer


def opened(ls: HunchServer, params: lsp.DidOpenTextDocumentParams) -> None:
    """Take in a document; one that was open before has another text now."""
    _align(ls)
    _changed(ls, params.text_document.uri)


def changed(ls: HunchServer, params: lsp.DidChangeTextDocumentParams) -> None:
    """Take note of a change; the text is asked for when it is needed."""
    _changed(ls, params.text_document.uri)


def closed(ls: HunchServer, _: lsp.DidCloseTextDocumentParams) -> None:
    """Drop a document."""
    _align(ls)


def notebook_opened(ls: HunchServer, _: lsp.DidOpenNotebookDocumentParams) -> None:
    """Take in the cells of a notebook, each a document of its own."""
    _align(ls)


def notebook_changed(ls: HunchServer, params: lsp.DidChangeNotebookDocumentParams) -> None:
    """Take note of changed cells, of those that came and of those that went."""
    _align(ls)
    cells = params.change.cells
    for content in (cells and cells.text_content) or ():
        _changed(ls, content.document.uri)


def notebook_closed(ls: HunchServer, _: lsp.DidCloseNotebookDocumentParams) -> None:
    """Drop the cells of a notebook."""
    _align(ls)


def _align(ls: HunchServer) -> None:
    # Without an open engine nothing is lost: it is told of every open document when it is opened.
    app = ls.engine.now()
    if app is not None:
        align_documents(ls, app)


def _changed(ls: HunchServer, uri: str) -> None:
    app = ls.engine.now()
    if app is not None:
        app.index.open_documents.change(uri)
