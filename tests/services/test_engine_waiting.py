"""A session whose index is held by another program when it begins."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from hunch.config import Settings
from hunch.errors import IndexBusy
from hunch.lsp import engine as waiting
from hunch.lsp.engine import Engine
from hunch.store.database import Database
from support.engine_app import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

    from hunch.model import IndexState


def held(database: Path) -> sqlite3.Connection:
    """Make an index and hold it, so that nobody else can use it."""
    Database.open(database).close()
    other = sqlite3.connect(database, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN IMMEDIATE")
    return other


@pytest.mark.asyncio
async def test_a_session_waits_for_its_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says why, fails requests after a while, and opens as soon as the other program is done."""
    monkeypatch.delenv("HUNCH_DB", raising=False)
    monkeypatch.setattr(waiting, "_PATIENCE_WITH_OTHERS", 0.1)
    database = tmp_path / "index.db"
    told: asyncio.Queue[IndexState] = asyncio.Queue()
    engine = Engine()
    async with asyncio.timeout(PATIENCE):
        with closing(held(database)):
            engine.start(Settings(database=str(database), embedder="builtin"), told.put_nowait)
            state = await told.get()
            assert (state.state, (await engine.state()).message) == ("starting", state.message)
            assert "Another program is using the index" in state.message
            with pytest.raises(IndexBusy, match="Another program is using the index"):
                await engine.app()
            assert engine.now() is None
        app = await engine.opened()
        assert app is await engine.app()
        state = await engine.state()
        assert (state.state, state.message) == ("ready", "")
        await engine.aclose()


@pytest.mark.asyncio
async def test_a_session_that_ends_stops_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is opened after the end."""
    monkeypatch.delenv("HUNCH_DB", raising=False)
    database = tmp_path / "index.db"
    told: asyncio.Queue[IndexState] = asyncio.Queue()
    engine = Engine()
    async with asyncio.timeout(PATIENCE):
        with closing(held(database)):
            engine.start(Settings(database=str(database), embedder="builtin"), told.put_nowait)
            await told.get()
            await engine.aclose()
    assert engine.now() is None
