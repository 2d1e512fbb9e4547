"""Tells the index which documents the client has open, and that their text changed."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from hunch.errors import InvalidQuery
from hunch.languages import sample_name
from hunch.lsp import convert, uris

if TYPE_CHECKING:
    from pathlib import Path

    from pygls.workspace import TextDocument

    from hunch.app import App
    from hunch.lsp.server import HunchServer

_SCHEMES = frozenset({"file", "untitled", "vscode-notebook-cell"})
"""Of documents that a person writes; others show what a program made, such as an older version."""


def align_documents(ls: HunchServer, app: App) -> None:
    """Open and close documents in the index until they are those that the client has open."""
    live = {d.uri: d for d in ls.workspace.text_documents.values() if _scheme(d.uri) in _SCHEMES}
    for uri in ls.shown.difference(live):
        app.index.open_documents.close(uri)
    for uri in live.keys() - ls.shown:
        _open(ls, app, live[uri])
    ls.shown = set(live)


def _open(ls: HunchServer, app: App, document: TextDocument) -> None:
    uri = document.uri
    file_uri = _notebook_of(ls, uri) or uri
    path = _path(file_uri)
    stem = path.stem if path else unquote(urlsplit(file_uri).path).rpartition("/")[2]
    language = convert.language(document.language_id or "")
    is_file = path is not None and file_uri == uri
    app.index.open_documents.open(
        uri,
        path,
        lambda: ls.live_text(uri) or "",
        name="" if is_file else sample_name(stem or "untitled", language),
    )


def _notebook_of(ls: HunchServer, uri: str) -> str | None:
    notebook = ls.workspace.get_notebook_document(cell_uri=uri)
    return notebook.uri if notebook else None


def _path(uri: str) -> Path | None:
    try:
        return uris.path_of(uri, "uri")
    except InvalidQuery:
        return None


def _scheme(uri: str) -> str:
    return uri.partition(":")[0]
