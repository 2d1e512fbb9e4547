"""The whole engine while its index file is deleted, damaged, replaced, locked, or on a bad disk."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from hunch.errors import IndexUnavailable
from support import engine_disk
from support.engine_app import PATIENCE, engine, index, paths, search, write_files
from support.engine_dump import dump
from support.engine_embedder import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from hunch.app import App
    from hunch.model import IndexState

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="mounts a file system of its own")

WORDS = [f"quilt{a}{b}{c}" for a in "abc" for b in "abcdefghij" for c in "abcdefgh"]
FILES = {
    f"p{n % 7}/m{n}.py": f"def handler(apple):\n    return {word} * 2\n"
    for n, word in enumerate(WORDS)
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder of many small files, which are cut in three batches."""
    return write_files(tmp_path / "project", FILES).resolve()


async def whole(root: Path, database: Path) -> None:
    """Index a folder without any trouble, for comparison."""
    async with engine(database, HashingEmbedder()) as app:
        assert (await index(app, root)).state == "ready"


async def complete(app: App) -> IndexState:
    """Search and ask for the state until everything is in; see that nobody is told of locks."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                await search(app, WORDS[5])
                state = await app.index.state()
                said = state.message
            except IndexUnavailable as error:
                state, said = None, str(error)
            assert "locked" not in said
            if state is None:
                continue
            counts = state.counts
            if state.state == "ready" and counts.documents >= len(FILES) and not counts.pending:
                return state


def delete(database: Path) -> None:
    """Delete the file alone, as people do."""
    database.unlink()


def delete_folder(database: Path) -> None:
    """Delete everything that Hunch has."""
    shutil.rmtree(database.parent)


def truncate(database: Path) -> None:
    """Cut the file off in the middle."""
    os.truncate(database, database.stat().st_size // 2)


def empty(database: Path) -> None:
    """Leave nothing in the file."""
    os.truncate(database, 0)


def garble(database: Path) -> None:
    """Write something else into the file where it lies."""
    with database.open("r+b") as file:
        file.write(b"garbage " * (database.stat().st_size // 8))


def replace(database: Path) -> None:
    """Lay an index of something else in its place."""
    database.with_name("other.db").replace(database)


@pytest.mark.parametrize(
    ("moment", "harm"),
    [
        ("in the middle", delete),
        ("in the middle", delete_folder),
        ("in the middle", garble),
        ("when all is in", truncate),
        ("when all is in", empty),
        ("when all is in", replace),
    ],
)
@pytest.mark.asyncio
async def test_an_index_that_is_lost_while_it_is_in_use(
    root: Path, database: Path, tmp_path: Path, harm: Callable[[Path], None], moment: str
) -> None:
    """Another one takes its place by itself, with the content that it would have had anyway."""
    await whole(root, tmp_path / "whole.db")
    other = write_files(tmp_path / "other", {"x.py": "def elsewhere(pear): ...\n"}).resolve()
    await whole(other, database.with_name("other.db"))
    embedder, reached = HashingEmbedder(), asyncio.Event()
    async with engine(database, embedder) as app:
        if moment == "in the middle":
            embedder.before_batch = lambda: reached.set() if len(embedder.made) >= 40 else None
            app.index.open_folder(root)
            async with asyncio.timeout(PATIENCE):
                await reached.wait()
            embedder.open.clear()
        else:
            await index(app, root)
        await asyncio.to_thread(harm, database)
        embedder.open.set()
        await complete(app)
        assert (await paths(app, WORDS[7], root))[0] == "p0/m7.py"
    ours = dump(database)
    expected = dump(tmp_path / "whole.db")
    assert {key: ours.chunks.get(key) for key in expected.chunks} == expected.chunks
    assert {path for path, _ in ours.chunks} - {*FILES} <= ({"x.py"} if harm is replace else set())


@pytest.fixture
def holder(database: Path) -> Iterator[Callable[[str], subprocess.Popen[str]]]:
    """Have another program run a statement on the index and keep it open."""
    started: list[subprocess.Popen[str]] = []
    code = (
        "import sqlite3, sys\n"
        "held = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)\n"
        "held.execute(sys.argv[2])\n"
        "print('held', flush=True)\n"
        "sys.stdin.read()\n"
    )

    def hold(statement: str) -> subprocess.Popen[str]:
        other = subprocess.Popen(
            [sys.executable, "-c", code, str(database), statement],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(other)
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        return other

    yield hold
    for other in started:
        with other:
            other.kill()


@pytest.mark.parametrize("moment", ["before anything", "in the middle"])
@pytest.mark.asyncio
async def test_an_index_that_another_program_locks(
    root: Path,
    database: Path,
    tmp_path: Path,
    holder: Callable[[str], subprocess.Popen[str]],
    moment: str,
) -> None:
    """Indexing waits and says so, searches go on, and all of it completes when the lock is gone."""
    await whole(root, tmp_path / "whole.db")
    embedder, reached = HashingEmbedder(), asyncio.Event()
    async with engine(database, embedder) as app:
        if moment == "in the middle":
            embedder.before_batch = lambda: reached.set() if len(embedder.made) >= 40 else None
            app.index.open_folder(root)
            async with asyncio.timeout(PATIENCE):
                await reached.wait()
        other = await asyncio.to_thread(holder, "BEGIN EXCLUSIVE")
        app.index.open_folder(root)
        async with asyncio.timeout(PATIENCE):
            while "indexing goes on when it is done" not in (await app.index.state()).message:
                pass
        state = await app.index.state()
        assert state.state == "indexing"
        if moment == "in the middle":
            assert await search(app, "handler apple")
        other.kill()
        await complete(app)
        assert (await paths(app, WORDS[7], root))[0] == "p0/m7.py"
    assert dump(database) == dump(tmp_path / "whole.db")
    assert [*database.parent.glob("*.damaged-*")] == []
    assert len(embedder.made) == len({*embedder.made})


@pytest.mark.asyncio
async def test_an_index_that_another_program_reads_all_the_time(root: Path, database: Path) -> None:
    """A program that keeps a long view of the index hinders neither indexing nor searching."""
    write_files(root, {"bread.py": "def bake(pumpernickel): ...\n"})
    await whole(root, database)
    with closing(sqlite3.connect(database, isolation_level=None)) as other:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM chunks").fetchone()
        async with engine(database, HashingEmbedder()) as app:
            write_files(root, {"bread.py": "def bake(baguette): ...\n"})
            assert (await index(app, root)).state == "ready"
            assert (await paths(app, "baguette", root))[0] == "bread.py"


@needs_linux
@pytest.mark.parametrize("scene", engine_disk.SCENES)
def test_what_a_bad_disk_does_to_the_engine(scene: str, tmp_path: Path) -> None:
    """The state says so, searches go on, and all completes by itself once the disk is well."""
    program = [sys.executable, engine_disk.__file__, scene, str(tmp_path)]
    child = subprocess.run(
        ["unshare", "--map-root-user", "--mount", *program],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(engine_disk.TESTS)},
    )
    assert child.stderr == ""
    assert json.loads(child.stdout) == engine_disk.SEEN[scene]
