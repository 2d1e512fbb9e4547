"""An editor with a real server: it holds documents, tells of changes, and is ended and started."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import psutil

from hunch.text import split_lines
from support.lsp_raw import RawClient
from support.soak_tree import WORD, edited

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from random import Random

_WATCHES = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}
_BAD = (b"Traceback", b"locked", b"ERROR", b"CRITICAL")
_ERROR = 1
_MEGABYTE = 1_048_576
_PAUSE = 0.02
"""Seconds between two questions to a server that works meanwhile."""


@dataclass(eq=False)
class Document:
    """What one open document is on the screen."""

    text: str
    version: int = 1

    @property
    def words(self) -> frozenset[str]:
        """The made-up words in it."""
        return frozenset(WORD.findall(self.text))


class Editor:
    """One editor and its server."""

    def __init__(
        self, name: str, root: Path, env: Mapping[str, str], *, watches: bool, **options: Any
    ) -> None:
        """Prepare; `start` starts the server.

        Args:
            name: how reports call it.
            root: the folder that is open.
            env: of the server.
            watches: whether the editor tells of changes, so that its server need not watch.
            options: `initializationOptions`.
        """
        self.name = name
        self.root = root
        self.watches = watches
        self.folders: list[Path] = [root]
        self.documents: dict[str, Document] = {}
        self.is_paused = False
        self.warnings: list[str] = []
        """What the servers have logged above the level of information."""
        self._env, self._options = env, options
        self._client: RawClient | None = None

    # The server

    @property
    def is_running(self) -> bool:
        """Whether it has a server."""
        return self._client is not None

    @property
    def client(self) -> RawClient:
        """Its server."""
        assert self._client is not None
        return self._client

    def start(self) -> None:
        """Start a server, and show it what is open."""
        self._client = RawClient(self._env)
        self.client.initialize(
            self.folders,
            capabilities=_WATCHES if self.watches else {},
            initializationOptions=self._options,
        )
        for path in self.documents:
            self._show(path)

    def stop(self) -> None:
        """End the server as the protocol asks."""
        assert self.client.close() == 0
        self._ended()

    def kill(self) -> None:
        """End the server in the middle of whatever it does."""
        self.client.kill()
        self._ended()

    def _ended(self) -> None:
        self.check()
        self._client, self.is_paused = None, False

    def check(self) -> None:
        """See that the server has complained of nothing and shown nothing."""
        for message in self.client.seen:
            assert "error" not in message, message
            method, params = message.get("method", ""), message.get("params")
            assert not method.startswith("window/showMessage"), message
            if method == "window/logMessage":
                assert params["type"] != _ERROR, message
                if params["type"] == _ERROR + 1:
                    self.warnings.append(params["message"])
        self.client.seen.clear()
        printed = b"".join(self.client.errors)
        assert not any(bad in printed for bad in _BAD), printed.decode()

    def ask(self, method: str, **params: Any) -> Any:
        """Send a request that must succeed and return its result."""
        return self.client.result(method, params)

    def memory(self) -> tuple[float, float, float]:
        """Return the seconds that the server runs, and the resident megabytes of it and its workers."""
        with contextlib.suppress(psutil.Error):
            server = psutil.Process(self.client.process.pid)
            workers = sum(child.memory_info().rss for child in server.children(recursive=True))
            own = server.memory_info().rss
            return time.time() - server.create_time(), own / _MEGABYTE, workers / _MEGABYTE
        return 0.0, 0.0, 0.0

    # What is open

    def uri(self, path: str) -> str:
        """Return the URI of a file of the folder."""
        return (self.root / path).as_uri()

    def open(self, path: str, text: str) -> None:
        """Open a document."""
        self.documents[path] = Document(text)
        self._show(path)

    def _show(self, path: str) -> None:
        document = self.documents[path]
        item = {
            "uri": self.uri(path),
            "languageId": "plaintext",
            "version": document.version,
            "text": document.text,
        }
        self.client.notify("textDocument/didOpen", {"textDocument": item})

    def type(self, path: str, chance: Random, word: str) -> None:
        """Change some lines of a document, as one edit that spans just what differs."""
        document = self.documents[path]
        before, after = document.text, edited(document.text, chance, word)
        document.text = after
        document.version += 1
        self.client.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": self.uri(path), "version": document.version},
                "contentChanges": [_difference(before, after)],
            },
        )

    def saved(self, path: str) -> None:
        """Tell that a document was written to its file."""
        self.client.notify("textDocument/didSave", {"textDocument": {"uri": self.uri(path)}})

    def close(self, path: str) -> None:
        """Close a document as it is."""
        del self.documents[path]
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": self.uri(path)}})

    def change_folders(self, *, added: Sequence[Path] = (), removed: Sequence[Path] = ()) -> None:
        """Open and close workspace folders."""
        self.folders = [f for f in self.folders if f not in removed] + [*added]
        event = {
            "added": [{"uri": folder.as_uri(), "name": folder.name} for folder in added],
            "removed": [{"uri": folder.as_uri(), "name": folder.name} for folder in removed],
        }
        self.client.notify("workspace/didChangeWorkspaceFolders", {"event": event})

    def tell(self, told: Sequence[tuple[str, int]]) -> None:
        """Tell of changes on disk, if that is left to the editor."""
        if self.watches and self.is_running and told:
            listed = [{"uri": self.uri(path), "type": kind} for path, kind in told]
            self.client.notify("workspace/didChangeWatchedFiles", {"changes": listed})

    # What is found

    def places(self, word: str) -> tuple[set[str], float]:
        """Search a word by keyword; return the paths of the hits, and the seconds that it took."""
        started = time.monotonic()
        hits = self.ask("hunch/search", query=word, mode="keyword")["hits"]
        prefix = self.root.as_uri() + "/"
        found = [unquote(hit["uri"].removeprefix(prefix)) for hit in hits]
        assert len(found) == len({(h["uri"], str(h["range"])) for h in hits}), found
        return set(found), time.monotonic() - started

    def is_ready(self) -> bool:
        """Tell whether the server says that everything is in."""
        return self.ask("hunch/status")["state"] == "ready"


def until(holds: Callable[[], bool], seconds: float, what: str) -> None:
    """Ask again and again whether something holds, and fail if it does not in time."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"not in {seconds} s: {what}"
        time.sleep(_PAUSE)


def _difference(before: str, after: str) -> dict[str, Any]:
    """Return one LSP change that makes `after` of `before`, between the lines that they share."""
    old, new = split_lines(before), split_lines(after)
    start = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), None)
    if start is None:
        start = min(len(old), len(new))
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    # A last line without an end has no line after it.
    stop = len(old) - end
    last = (
        {"line": stop, "character": 0}
        if stop < len(old) or before.endswith(("\n", "\r")) or not before
        else {"line": stop - 1, "character": len(old[-1].encode("utf-16-le")) // 2}
    )
    first = {"line": start, "character": 0}
    return {
        "range": {"start": first, "end": last},
        "text": "".join(new[start : len(new) - end]),
    }
