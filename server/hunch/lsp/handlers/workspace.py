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
    hints: dict[Path, list[str] | None] = {}
    for uri in changed:
        for root, path in _places_of(ls, uri):
            listed = hints.setdefault(root, [])
            if ".git" in path.parts:
                hints[root] = None
            elif listed is not None:
                listed.append(path.as_posix())
    # Without an open engine nothing is lost: every folder is looked at when it is opened.
    if app is not None:
        for root, paths in hints.items():
            app.index.hint(root, paths)


def _places_of(ls: HunchServer, uri: str) -> list[tuple[Path, Path]]:
    """Return the open folders around a file, and its path in each."""
    try:
        path = uris.path_of(uri, "uri")
    except InvalidQuery:  # a buffer that is no file
        return []
    # What git writes for itself changes often, and nothing that is indexed but through these two.
    if ".git" in path.parts and path.name not in {"HEAD", "index"}:
        return []
    return [(root, path.relative_to(root)) for root in ls.folders.containing(path)]
