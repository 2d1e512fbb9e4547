"""An index run that is killed at any moment, and one whose files change under its hands."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import support
from hunch.model import Mode
from hunch.sources import folder
from support.engine_app import engine, index, paths, write_files
from support.engine_dump import dump
from support.engine_embedder import HashingEmbedder

if TYPE_CHECKING:
    from hunch.model import Problem

TESTS = Path(next(iter(support.__path__))).parent
WORDS = [f"quilt{a}{b}{c}" for a in "abc" for b in "abcdefghij" for c in "abcdefgh"]
FILES = {
    f"p{n % 7}/m{n}.py": f"def handler(apple):\n    return {word} * 2\n"
    for n, word in enumerate(WORDS)
}
KILLS = 20


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder of many small files, which are cut in three batches."""
    return write_files(tmp_path / "project", FILES).resolve()


def _kill(database: Path, root: Path, event: int) -> list[str]:
    """Start a process that indexes, kill it at its n-th event, and return the events until then."""
    said: list[str] = []
    with subprocess.Popen(
        [sys.executable, "-m", "support.engine_child", str(database), str(root), "events"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
    ) as child:
        assert child.stdout is not None
        for line in child.stdout:
            said.append(line.strip())
            if len(said) > event:
                break
        child.kill()
        said += [line.strip() for line in child.stdout if line.endswith("\n")]
    return said


@pytest.mark.asyncio
async def test_kill_9_at_twenty_moments(root: Path, database: Path, tmp_path: Path) -> None:
    """The file is sound after each, the result is that of one whole run, and little is made twice."""
    whole = HashingEmbedder()
    async with engine(tmp_path / "whole.db", whole) as app:
        assert (await index(app, root)).state == "ready"
    chance = random.Random(3)
    began = saved = 0
    for number in range(KILLS):
        # Half of the runs begin with nothing, and are killed early, so that all of it is met.
        if number % 10 == 0:
            await asyncio.to_thread(database.unlink, missing_ok=True)
            began = saved = 0
        said = await asyncio.to_thread(_kill, database, root, chance.randrange(8))
        began += sum(line == "batch" for line in said)
        saved += sum(line == "saved" for line in said)
        dump(database)  # checks that the file is sound
        if number % 10 == 9:
            embedder = HashingEmbedder()
            async with engine(database, embedder) as app:
                assert (await index(app, root)).state == "ready"
                assert app.index._database.notice == ""
            assert dump(database) == dump(tmp_path / "whole.db")
            size = embedder.batch_size
            # What was made and not saved when the kill came is made again, and nothing else.
            lost = 10 * (embedder.concurrency + 2)
            assert began * size + len(embedder.made) <= len(whole.made) + lost * size
            assert len(embedder.made) <= len(whole.made) - saved * size


@pytest.mark.parametrize("moment", ["listed", "read"])
@pytest.mark.parametrize("change", ["vanishes", "grows", "grows too large", "is closed"])
@pytest.mark.asyncio
async def test_a_file_that_changes_while_it_is_indexed(
    root: Path, database: Path, monkeypatch: pytest.MonkeyPatch, change: str, moment: str
) -> None:
    """It costs nobody anything: the others are in, and the next look has it as it is then."""
    path = "p1/m1.py"
    place = root / path

    def happen() -> None:
        if change == "vanishes":
            place.unlink(missing_ok=True)
        elif change == "grows":
            place.write_text("marzipan = 1\n" * 50, "utf-8")
        elif change == "grows too large":
            place.write_text("marzipan = 1\n" * 200_000, "utf-8")
        else:
            # Not even root may read a folder.
            place.unlink(missing_ok=True)
            place.mkdir(exist_ok=True)

    read = folder.read

    def read_late(root: Path, name: str, **options: int) -> folder.Read | Problem:
        if name == path and moment == "listed":
            happen()
        found = read(root, name, **options)
        if name == path and moment == "read":
            happen()
        return found

    monkeypatch.setattr(folder, "read", read_late)
    async with engine(database, HashingEmbedder()) as app:
        state = await index(app, root)
        assert state.state == "ready"
        assert state.counts.documents >= 239
        assert state.counts.pending == 0
        monkeypatch.setattr(folder, "read", read)
        state = await index(app, root)
        assert state.state == "ready"
        is_in = change == "grows"
        assert state.counts.documents == (240 if is_in else 239)
        found = await app.index.problems()
        assert len(found) == state.counts.failed + state.counts.skipped
        assert [p.path for _, p in found] == ([path] if change == "grows too large" else [])
        hits = await paths(app, "marzipan", root, mode=Mode.KEYWORD)
        assert set(hits) == ({path} if is_in else set())
