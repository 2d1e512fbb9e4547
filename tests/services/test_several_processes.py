"""Several processes on one index: one works, all answer, and nothing is done twice."""

from __future__ import annotations

import asyncio
import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hunch.model import Mode
from support.engine_app import PATIENCE, engine, index, paths, settled, write_files
from support.engine_embedder import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from hunch.app import App

CHILD = Path(__file__).parent.parent / "support" / "engine_child.py"
FILES = {f"p{n}/m{n}.py": f"def work_{n}(fig{n}):\n    return fig{n}.grow()\n" for n in range(40)}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder of small files."""
    return write_files(tmp_path / "project", FILES).resolve()


async def until(holds: Callable[[], Awaitable[object]]) -> None:
    """Ask until something holds."""
    async with asyncio.timeout(PATIENCE):
        while not await holds():
            pass


def finds(app: App, word: str, root: Path, path: str) -> Callable[[], Awaitable[bool]]:
    """Ask whether a word is found by keyword at the top of a file."""

    async def asks() -> bool:
        return (await paths(app, word, root, mode=Mode.KEYWORD))[:1] == [path]

    return asks


async def writer(app: App) -> str:
    """Return who the index says is keeping the folders in line."""
    return (await app.index.state()).writer


@pytest.mark.asyncio
async def test_one_works_and_the_other_answers(root: Path, database: Path) -> None:
    """Two windows open at once index every file once, and both find everything."""
    embedders = HashingEmbedder(), HashingEmbedder()
    async with engine(database, embedders[0]) as left, engine(database, embedders[1]) as right:
        left.index.open_folder(root)
        right.index.open_folder(root)
        for app in (left, right):
            await settled(app)
            await until(finds(app, "fig7", root, "p7/m7.py"))

            async def is_complete(app: App = app) -> bool:
                state = await app.index.state()
                return (state.state, state.counts.embedded) == ("ready", len(FILES))

            await until(is_complete)
        asked = Counter(embedders[0].asked + embedders[1].asked)
        assert set(asked.values()) == {1}
        assert sorted([await writer(left), await writer(right)]) == [
            f"another window (pid {os.getpid()})",
            "this server",
        ]


@pytest.mark.asyncio
async def test_who_is_asked_looks_for_the_one_who_may_not(root: Path, database: Path) -> None:
    """Reindexing in a window that follows is done by the one that leads, before it is called done."""
    embedders = HashingEmbedder(), HashingEmbedder()
    async with engine(database, embedders[0]) as left, engine(database, embedders[1]) as right:
        await index(left, root)
        write_files(root, {"bread.py": "def bake(pumpernickel): ...\n"})
        await index(right, root)
        assert await finds(right, "pumpernickel", root, "bread.py")()
        assert await finds(left, "pumpernickel", root, "bread.py")()
        await index(right, root, force=True)
        await settled(left)

        async def is_embedded() -> bool:
            return (await left.index.state()).counts.pending == 0

        await until(is_embedded)
        # Whichever comes first embeds; each text was asked for once, and once more by force.
        asked = Counter(embedders[0].asked + embedders[1].asked)
        assert set(asked.values()) == {2}
        assert len(asked) == len(FILES) + 1


@pytest.mark.asyncio
async def test_what_one_leaves_another_takes_over(root: Path, database: Path) -> None:
    """When the window that led is closed, the next one looks for what has changed meanwhile."""
    async with engine(database, HashingEmbedder()) as follower:
        async with engine(database, HashingEmbedder()) as leader:
            await index(leader, root)
            follower.index.open_folder(root)
            await settled(follower)
            assert "another window" in await writer(follower)
        write_files(root, {"bread.py": "def bake(pumpernickel): ...\n"})
        await until(finds(follower, "pumpernickel", root, "bread.py"))
        assert await writer(follower) == "this server"


@pytest.mark.asyncio
async def test_a_killed_process_leaves_its_work_to_another(root: Path, database: Path) -> None:
    """A leader that is killed in the middle of its work is replaced, and only the rest is done."""
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        str(CHILD),
        str(database),
        str(root),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(CHILD.parent.parent)},
    )
    assert child.stdout is not None
    async with asyncio.timeout(PATIENCE):
        assert await child.stdout.readline() == b"batch\n"
    embedder = HashingEmbedder()
    async with engine(database, embedder) as app:
        app.index.open_folder(root)
        await settled(app)
        child.kill()
        await child.wait()

        async def is_complete() -> bool:
            state = await app.index.state()
            return (state.state, state.counts.embedded, state.writer) == (
                "ready",
                len(FILES),
                "this server",
            )

        await until(is_complete)
        assert set(Counter(embedder.asked).values()) <= {1}


@pytest.mark.asyncio
async def test_a_closed_folder_is_free_for_another_process(root: Path, database: Path) -> None:
    """A window that closes a folder, and goes on, leaves it to the next one."""
    async with (
        engine(database, HashingEmbedder()) as left,
        engine(database, HashingEmbedder()) as right,
    ):
        await index(left, root)
        right.index.open_folder(root)
        await settled(right)
        left.index.close_folder(root)
        write_files(root, {"bread.py": "def bake(pumpernickel): ...\n"})
        await until(finds(right, "pumpernickel", root, "bread.py"))


@pytest.mark.asyncio
async def test_who_took_over_is_said_to_keep_the_folder_before_it_has_looked(
    root: Path, database: Path
) -> None:
    """A window that took a folder over, and has other things to do first, is not "another window"."""
    async with engine(database, HashingEmbedder()) as right:
        async with engine(database, HashingEmbedder()) as left:
            await index(left, root)
            right.index.open_folder(root)
            await settled(right)
            right.index.pause()
            assert "another window" in await writer(right)

        async def is_ours() -> bool:
            return await writer(right) == "this server"

        await until(is_ours)
