"""The workspace folders that the client has open, by URI and by real path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hunch.lsp import uris

if TYPE_CHECKING:
    from pathlib import Path


class Folders:
    """Knows each open folder by the client's own URI and by its real path.

    The client gets its own spelling back: a folder that it opened through a symbolic link or with
    `file:///c%3A/` would otherwise have every file in it open twice.
    """

    def __init__(self) -> None:
        self._paths: dict[str, Path] = {}

    @property
    def roots(self) -> tuple[Path, ...]:
        """The real paths, each once, in the order in which they were opened."""
        return tuple(dict.fromkeys(self._paths.values()))

    def add(self, uri: str) -> Path:
        """Open a folder and return its real path.

        Raises:
            InvalidQuery: the URI does not name a folder on this machine.
        """
        return self._paths.setdefault(uri, uris.path_of(uri, "workspaceFolders"))

    def remove(self, uri: str) -> Path | None:
        """Close a folder and return its real path, unless it is open under another URI too."""
        path = self._paths.pop(uri, None)
        return None if path in self._paths.values() else path

    def containing(self, path: Path) -> tuple[Path, ...]:
        """Return the roots that `path` is at or below."""
        return tuple(root for root in self.roots if path.is_relative_to(root))

    def uri_of(self, path: Path) -> str:
        """Return the URI of a real path, as the client would write it."""
        for uri, root in self._paths.items():
            if path.is_relative_to(root):
                relative = path.relative_to(root).as_posix()
                return uris.join(uri, "" if relative == "." else relative)
        return path.as_uri()
