"""The whole engine on a real file, with the embedder of the test."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from hunch.app import App
from hunch.config import DEFAULTS, Settings
from hunch.model import Filter, Mode, Query
from hunch.sources.conversations.places import Places
from hunch.store.database import Database

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from hunch.model import Hit, IndexState
    from support.engine_embedder import HashingEmbedder

PATIENCE = 20
"""Seconds after which something that should happen counts as not happening."""

TWO = "def first_thing(apple):\n" + "    apple.grow(1)\n" * 40
TWO += "\n\ndef second_thing(banana):\n" + "    banana.ripen(2)\n" * 40
"""A file of two functions, each large enough for a chunk of its own."""


def write_files(root: Path, files: Mapping[str, str]) -> Path:
    """Write files below a folder, which is made, and return the folder."""
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode("utf-8", "surrogatepass"))
    root.mkdir(parents=True, exist_ok=True)
    return root


@asynccontextmanager
async def engine(
    database: Path,
    embedder: HashingEmbedder,
    *,
    settings: Settings = DEFAULTS,
    home: Path | None = None,
) -> AsyncIterator[App]:
    """Open an App that hardly waits before it asks the embedder again.

    Logs of agents are looked for below `home` only.
    """
    opened = await asyncio.to_thread(Database.open, database)
    app = App(
        settings,
        opened,
        choose=embedder.choose,
        places=Places(home or database.parent / "nobody"),
        retry_seconds=(0.001, 0.001),
    )
    app.index.start()
    async with app:
        yield app


async def settled(app: App) -> IndexState:
    """Wait until all work is done that can be done."""
    async with asyncio.timeout(PATIENCE):
        return await app.index.until_settled()


async def index(app: App, *roots: Path, force: bool = False) -> IndexState:
    """Open folders, or look at them again, and wait until they are indexed."""
    for root in roots:
        app.index.open_folder(root, look=False)
    app.index.request(roots, force=force)
    return await settled(app)


async def search(
    app: App,
    text: str,
    *roots: Path,
    mode: Mode = Mode.HYBRID,
    limit: int = 20,
    offset: int = 0,
    only: Filter | None = None,
) -> tuple[Hit, ...]:
    """Search some folders, or everywhere when none is named."""
    wanted = only or Filter(everywhere=not roots)
    query = Query(text, limit=limit, offset=offset, mode=mode, filter=wanted, roots=roots)
    async with asyncio.timeout(PATIENCE):
        result = await app.search.search(query)
    return result.hits


async def paths(app: App, text: str, *roots: Path, mode: Mode = Mode.HYBRID) -> list[str]:
    """Search and return only where the hits are."""
    return [hit.path for hit in await search(app, text, *roots, mode=mode)]
