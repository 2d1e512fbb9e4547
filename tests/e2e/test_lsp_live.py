"""What is on the screen and on the disk is what the server finds, whoever tells it of a change."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from support.lsp_raw import RawClient, private_env
from support.lsp_workspace import CACHE, GUIDE, make_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

WATCHES = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}
NEW = "def quench(thirst):\n    return thirst.water()\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The project that is open."""
    return make_workspace(tmp_path / "my café 100%")


@pytest.fixture
def client(tmp_path: Path, root: Path) -> Iterator[RawClient]:
    """An editor that leaves watching to the server, with the project indexed."""
    with opened(tmp_path, root) as client:
        yield client


class opened:  # noqa: N801 - used as a function
    """A server with some folders open and indexed, ended at the end of the block."""

    def __init__(self, home: Path, *roots: Path, **capabilities: Any) -> None:
        self._client = RawClient(private_env(home))
        self._roots, self._capabilities = roots, capabilities

    def __enter__(self) -> RawClient:
        self._client.initialize(self._roots, capabilities=self._capabilities)
        self._client.until_ready()
        return self._client

    def __exit__(self, *_: object) -> None:
        self._client.kill()


def search(client: RawClient, query: str, **options: Any) -> list[dict[str, Any]]:
    """Search by keyword and return the hits."""
    return client.result("hunch/search", {"query": query, "mode": "keyword", **options})["hits"]


def until(client: RawClient, query: str, fits: Callable[[list[dict[str, Any]]], bool]) -> Any:
    """Search again and again until the hits are as expected."""
    for _ in range(2_000):
        hits = search(client, query)
        if fits(hits):
            return hits
    raise AssertionError([hit["detail"] for hit in hits])


def open_document(client: RawClient, uri: str, text: str, language: str = "python") -> None:
    """Open a document."""
    item = {"uri": uri, "languageId": language, "version": 1, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": item})


def type_at(client: RawClient, uri: str, line: int, text: str, version: int = 2) -> None:
    """Insert some text at the start of a line."""
    place = {"line": line, "character": 0}
    change = {"range": {"start": place, "end": place}, "text": text}
    document = {"uri": uri, "version": version}
    client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})


def test_what_was_just_typed_is_found_where_it_stands(client: RawClient, root: Path) -> None:
    """A search right after a keystroke sees it; ranges are in the buffer; closing takes it back."""
    uri = (root / "src/cache.py").as_uri()
    open_document(client, uri, CACHE)
    type_at(client, uri, 4, "\n\n" + NEW)
    [hit] = search(client, "quench")
    assert (hit["uri"], hit["stale"]) == (uri, False)
    for name, line in (("quench", 6), ("LeastRecentlyUsed", 9)):
        [symbol, *_] = client.result("workspace/symbol", {"query": name})
        assert symbol["location"]["uri"] == uri
        assert symbol["location"]["range"]["start"]["line"] == line
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert search(client, "quench") == []


def test_a_document_that_was_open_before_the_index_is_live(tmp_path: Path, root: Path) -> None:
    """What is opened while the server starts is not forgotten."""
    client = RawClient(private_env(tmp_path))
    try:
        client.initialize([root])
        uri = (root / "src/cache.py").as_uri()
        open_document(client, uri, NEW)
        client.until_ready()
        assert [hit["uri"] for hit in search(client, "quench")] == [uri]
        assert search(client, "LeastRecentlyUsed") == []
    finally:
        client.kill()


def test_untitled_documents_and_those_of_programs(client: RawClient) -> None:
    """A buffer that was never saved is found under its own URI; what git shows is not."""
    open_document(client, "untitled:Untitled-1", NEW)
    open_document(client, "git:/old.py?ref", NEW)
    [hit] = search(client, "quench")
    assert (hit["uri"], hit["language"]) == ("untitled:Untitled-1", "python")


def test_the_cells_of_a_notebook_are_live(client: RawClient, root: Path) -> None:
    """Cells are found under their own URIs, also those that are added and changed later."""
    uri = (root / "work.ipynb").as_uri()
    cell = f"vscode-notebook-cell:{uri[5:]}#a"

    def document(name: str, text: str) -> dict[str, Any]:
        return {"uri": name, "languageId": "python", "version": 1, "text": text}

    notebook = {
        "uri": uri,
        "notebookType": "jupyter-notebook",
        "version": 1,
        "cells": [{"kind": 2, "document": cell}],
    }
    client.notify(
        "notebookDocument/didOpen",
        {"notebookDocument": notebook, "cellTextDocuments": [document(cell, NEW)]},
    )
    [hit] = search(client, "quench")
    assert (hit["uri"], hit["detail"]) == (cell, "work.ipynb")
    other = cell[:-1] + "b"
    structure = {
        "array": {"start": 1, "deleteCount": 0, "cells": [{"kind": 2, "document": other}]},
        "didOpen": [document(other, "def drizzle(rain): ...\n")],
    }
    text = {"document": {"uri": cell, "version": 2}, "changes": [{"text": "x = 1\n"}]}
    client.notify(
        "notebookDocument/didChange",
        {
            "notebookDocument": {"uri": uri, "version": 2},
            "change": {"cells": {"structure": structure, "textContent": [text]}},
        },
    )
    assert search(client, "quench") == []
    assert [hit["uri"] for hit in search(client, "drizzle")] == [other]
    cells = [{"uri": cell}, {"uri": other}]
    client.notify(
        "notebookDocument/didClose",
        {"notebookDocument": {"uri": uri}, "cellTextDocuments": cells},
    )
    assert search(client, "drizzle") == []


def test_the_server_notices_files_by_itself(client: RawClient, root: Path) -> None:
    """Without a word of the client: files made, changed, renamed and deleted on the disk."""
    (root / "src/new.py").write_text(NEW, "utf-8")
    until(client, "quench", lambda hits: [h["detail"] for h in hits] == ["src/new.py"])
    (root / "src/new.py").rename(root / "src/renamed.py")
    until(client, "quench", lambda hits: [h["detail"] for h in hits] == ["src/renamed.py"])
    (root / "src/renamed.py").write_text("x = 1\n", "utf-8")
    until(client, "quench", lambda hits: not hits)
    (root / "fresh/deep").mkdir(parents=True)
    (root / "fresh/deep/spring.py").write_text(NEW, "utf-8")
    until(client, "quench", lambda hits: [h["detail"] for h in hits] == ["fresh/deep/spring.py"])
    shutil.rmtree(root / "fresh")
    until(client, "quench", lambda hits: not hits)


def test_branches_and_ignore_rules(client: RawClient, root: Path) -> None:
    """Switching a branch switches what is found, and so do ignore files."""

    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
        subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)

    git("add", ".")
    git("commit", "-qm", "one")
    git("switch", "-qc", "other")
    (root / "src/new.py").write_text(NEW, "utf-8")
    git("add", ".")
    git("commit", "-qm", "two")
    until(client, "quench", lambda hits: len(hits) == 1)
    git("switch", "-q", "-")
    until(client, "quench", lambda hits: not hits)
    git("switch", "-q", "other")
    until(client, "quench", lambda hits: len(hits) == 1)
    (root / ".gitignore").write_text("docs/\n", "utf-8")
    (root / ".hunchignore").write_text("new.py\n", "utf-8")
    until(client, "quench", lambda hits: not hits)
    (root / ".hunchignore").unlink()
    until(client, "quench", lambda hits: len(hits) == 1)


def test_what_the_client_watches_is_looked_at_when_it_says_so(tmp_path: Path, root: Path) -> None:
    """A client that can watch is asked to, and what it tells is a hint to look."""
    with opened(tmp_path, root, **WATCHES) as client:
        registered = [m for m in client.seen if m.get("method") == "client/registerCapability"]
        [asked] = registered[0]["params"]["registrations"]
        assert asked["method"] == "workspace/didChangeWatchedFiles"
        (root / "src/new.py").write_text(NEW, "utf-8")
        change = {"uri": (root / "src/new.py").as_uri(), "type": 1}
        client.notify("workspace/didChangeWatchedFiles", {"changes": [change]})
        until(client, "quench", lambda hits: len(hits) == 1)
        (root / "src/new.py").write_text("x = 1\n", "utf-8")
        client.notify("workspace/didChangeWatchedFiles", {"changes": [change | {"type": 2}]})
        until(client, "quench", lambda hits: not hits)


def test_folders_come_and_go(client: RawClient, root: Path, tmp_path: Path) -> None:
    """An added folder is searched, a removed one is found `everywhere` only, nested ones once."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "new.py").write_text(NEW, "utf-8")

    def change(**folders: list[Path]) -> None:
        event = {
            side: [{"uri": f.as_uri(), "name": f.name} for f in folders.get(side, [])]
            for side in ("added", "removed")
        }
        client.notify("workspace/didChangeWorkspaceFolders", {"event": event})

    change(added=[other])
    until(client, "quench", lambda hits: [h["detail"] for h in hits] == ["new.py"])
    change(added=[root / "docs"])
    until(client, "cold storage", lambda hits: [h["detail"] for h in hits] == ["guide.md"])
    change(removed=[other, root / "docs"])
    assert search(client, "quench") == []
    assert len(search(client, "quench", filter={"scope": "everywhere"})) == 1
    assert [hit["detail"] for hit in search(client, "cold storage")] == ["docs/guide.md"]


def test_a_folder_on_another_machine_is_refused_clearly(tmp_path: Path, root: Path) -> None:
    """A remote folder is named in one message, and the others are indexed."""
    client = RawClient(private_env(tmp_path))
    try:
        remote = {"uri": "vscode-remote://ssh-remote%2Bbox/src", "name": "src"}
        local = {"uri": root.as_uri(), "name": "local"}
        client.initialize(workspaceFolders=[remote, local])
        shown = client.notification("window/showMessage")
        assert "vscode-remote" in shown["message"]
        client.until_ready()
        assert search(client, "LeastRecentlyUsed")
    finally:
        client.kill()


def test_a_hit_in_a_file_that_changed_unseen_is_moved_or_marked(tmp_path: Path, root: Path) -> None:
    """Between a change on disk and the look at it, hits point at the right lines or say `stale`."""
    with opened(tmp_path, root, **WATCHES) as client:
        guide = root / "docs/guide.md"
        guide.write_text("# News\n\nNothing.\n\n" + GUIDE, "utf-8")
        [hit] = search(client, "cold storage")
        assert (hit["range"]["start"]["line"], hit["stale"]) == (4, False)
        guide.write_text("# News\n\nNothing.\n", "utf-8")
        assert [hit["stale"] for hit in search(client, "cold storage")] == [True]
        guide.unlink()
        assert [hit["stale"] for hit in search(client, "cold storage")] == [True]
