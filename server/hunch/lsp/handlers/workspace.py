"""Notifications about what is open, what was saved, and what changed on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hunch.errors import InvalidQuery
from hunch.lsp import lifecycle, uris
from hunch.lsp.handlers.session import add_folder

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from lsprotocol import types as lsp

    from hunch.lsp.server import HunchServer


def folders_changed(ls: HunchServer, params: lsp.DidChangeWorkspaceFoldersParams) -> None:
    """Open and close folders."""
    for folder in params.event.removed:
        ls.folders.remove(folder.uri)
    for folder in params.event.added:
        add_folder(ls, folder.uri)
    app = ls.engine.now()
    if app is not None:
        lifecycle.align_folders(ls, app)


def configuration_changed(ls: HunchServer, params: lsp.DidChangeConfigurationParams) -> None:
    """Take over changed settings in the background."""
    ls.spawn(lifecycle.reconfigure(ls, params.settings), "reconfigure")


def saved(ls: HunchServer, params: lsp.DidSaveTextDocumentParams) -> None:
    """Look at the folder of a saved document."""
    _look_at(ls, [params.text_document.uri])


def notebook_saved(ls: HunchServer, params: lsp.DidSaveNotebookDocumentParams) -> None:
    """Look at the folder of a saved notebook."""
    _look_at(ls, [params.notebook_document.uri])


def files_changed(ls: HunchServer, params: lsp.DidChangeWatchedFilesParams) -> None:
    """Look at the folders in which files changed."""
    _look_at(ls, (change.uri for change in params.changes))


def _look_at(ls: HunchServer, changed: Iterable[str]) -> None:
    app = ls.engine.now()
    roots = {root for uri in changed for root in _roots_of(ls, uri)}
    # Without an open engine nothing is lost: every folder is looked at when it is opened.
    if app is not None and roots:
        app.index.request(sorted(roots))


def _roots_of(ls: HunchServer, uri: str) -> tuple[Path, ...]:
    try:
        path = uris.path_of(uri, "uri")
    except InvalidQuery:  # a buffer that is no file
        return ()
    # What git itself writes changes nothing that is indexed, but it changes often.
    return () if ".git" in path.parts else ls.folders.containing(path)
