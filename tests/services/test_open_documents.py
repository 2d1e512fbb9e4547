"""Open documents are searched as they are on the screen, saved or not."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from hunch.model import Filter, Mode, Query, RelatedQuery
from support.engine_app import PATIENCE, TWO, engine, index, paths, search, write_files
from support.engine_embedder import HashingEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from hunch.app import App

SAVED = "def ripen(banana):\n    return banana.yellow\n"


class Screen:
    """An editor with some documents open."""

    def __init__(self, app: App, root: Path) -> None:
        self.app = app
        self.root = root
        self.texts: dict[str, str] = {}

    def open(self, name: str, text: str, *, path: Path | None = None, language: str = "") -> str:
        path = path or (None if name.startswith("untitled:") else self.root / name)
        uri = path.as_uri() if path else name
        self.texts[uri] = text
        self.app.index.open_documents.open(uri, path, lambda: self.texts[uri], name=language)
        return uri

    def type(self, uri: str, text: str) -> None:
        self.texts[uri] = text
        self.app.index.open_documents.change(uri)

    def close(self, uri: str) -> None:
        self.app.index.open_documents.close(uri)


@pytest.mark.asyncio
async def test_unsaved_text_is_found_at_once_and_saved_text_that_is_gone_is_not(
    tmp_path: Path, database: Path
) -> None:
    """What is typed is found by its words before anything is saved; what was deleted is not."""
    root = write_files(tmp_path / "project", {"fruit.py": SAVED, "other.py": "x = 1\n"}).resolve()
    async with engine(database, HashingEmbedder()) as app:
        await index(app, root)
        screen = Screen(app, root)
        uri = screen.open("fruit.py", SAVED)
        assert await paths(app, "ripen", root, mode=Mode.KEYWORD) == ["fruit.py"]
        screen.type(uri, "\n\ndef peel(orange):\n    return orange.segments\n")
        assert await paths(app, "ripen", root, mode=Mode.KEYWORD) == []
        [hit] = await search(app, "peel", root, mode=Mode.KEYWORD)
        assert (hit.path, hit.uri, hit.title, hit.range.start.line) == ("fruit.py", uri, "peel", 2)
        screen.close(uri)
        assert await paths(app, "peel", root, mode=Mode.KEYWORD) == []
        assert await paths(app, "ripen", root, mode=Mode.KEYWORD) == ["fruit.py"]
