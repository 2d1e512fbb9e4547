"""An editor with some documents open, as far as the index sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from hunch.app import App


class Screen:
    """Opens, changes and closes documents of one folder."""

    def __init__(self, app: App, root: Path) -> None:
        self._documents = app.index.open_documents
        self._root = root
        self._texts: dict[str, str] = {}

    def open(self, path: str, text: str) -> str:
        """Open a file of the folder, which need not exist, and return its URI."""
        return self._open((self._root / path).as_uri(), self._root / path, text, "")

    def open_untitled(self, name: str, text: str) -> str:
        """Open a document that was never saved; `name` tells its language."""
        return self._open(f"untitled:{name}", None, text, name)

    def open_cell(self, notebook: str, number: int, text: str, name: str = "cell.py") -> str:
        """Open a cell of a notebook."""
        uri = f"vscode-notebook-cell:{self._root}/{notebook}#{number}"
        return self._open(uri, self._root / notebook, text, name)

    def _open(self, uri: str, path: Path | None, text: str, name: str) -> str:
        self._texts[uri] = text
        self._documents.open(uri, path, lambda: self._texts[uri], name=name)
        return uri

    def change(self, uri: str, text: str) -> None:
        """Give an open document another text."""
        self._texts[uri] = text
        self._documents.change(uri)

    def close(self, uri: str) -> None:
        """Close a document without saving it."""
        self._documents.close(uri)
