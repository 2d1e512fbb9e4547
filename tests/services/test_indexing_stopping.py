"""Indexing that is paused, closed, killed, shared, or hindered by the file system."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import support
from hunch.model import FoundFile, Mode, Problem
from hunch.sources import folder
from support.engine_app import PATIENCE, engine, index, paths, settled, write_files
from support.engine_dump import dump
from support.engine_embedder import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hunch.app import App
    from hunch.embedding.base import Embedded
    from hunch.model import IndexState

TESTS = Path(next(iter(support.__path__))).parent
WORDS = [f"quilt{a}{b}{c}" for a in "abc" for b in "abcdefghij" for c in "abcdefgh"]
FILES = {
    f"p{n % 7}/m{n}.py": f"def handler(apple):\n    return {word} * 2\n"
    for n, word in enumerate(WORDS)
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder of many small files, which are cut in three batches."""
    return write_files(tmp_path / "project", FILES).resolve()


async def uninterrupted(root: Path, database: Path) -> HashingEmbedder:
    """Index a folder from nothing, for comparison."""
    embedder = HashingEmbedder()
    async with engine(database, embedder) as app:
        assert (await index(app, root)).state == "ready"
    return embedder


@pytest.mark.asyncio
async def test_nothing_is_done_while_paused(root: Path, database: Path) -> None:
    """A folder opened while paused is not looked at; resuming indexes it."""
    embedder = HashingEmbedder()
    async with engine(database, embedder) as app:
        app.index.pause()
        state = await index(app, root)
        assert (state.state, state.counts.documents) == ("paused", 0)
        app.index.resume()
        state = await settled(app)
        assert (state.state, state.counts.documents) == ("ready", 240)


@pytest.mark.asyncio
async def test_a_folder_closed_while_paused_is_not_missed(root: Path, database: Path) -> None:
    """That a waiting folder was closed does not end the work on those that come later."""
    async with engine(database, HashingEmbedder()) as app:
        app.index.pause()
        app.index.open_folder(root)
        await asyncio.to_thread(lambda: None)
        app.index.close_folder(root)
        app.index.resume()
        state = await index(app, root)
        assert (state.state, state.counts.documents) == ("ready", 240)


@pytest.mark.asyncio
async def test_a_pause_stops_before_the_next_batch(root: Path, database: Path) -> None:
    """Pausing in the middle of embedding leaves the rest for later, and resuming finishes it."""
    embedder = HashingEmbedder()
    async with engine(database, embedder) as app:
        embedder.before_batch = app.index.pause
        state = await index(app, root)
        assert state.state == "paused"
        assert len(embedder.asked) <= embedder.batch_size * (embedder.concurrency + 2)
        assert (await paths(app, WORDS[0], root, mode=Mode.SEMANTIC)) is not None
        embedder.before_batch = lambda: None
        app.index.resume()
        state = await settled(app)
        assert (state.state, state.counts.pending) == ("ready", 0)
        assert len(embedder.asked) == len(set(embedder.asked)) == state.counts.chunks


@pytest.mark.asyncio
async def test_a_pause_stops_writing_too(
    root: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pausing while the second hundred files are read leaves them for later."""
    read, loop = folder.read, asyncio.get_running_loop()
    async with engine(database, HashingEmbedder()) as app:

        async def pause() -> None:
            app.index.pause()

        def pausing(root: Path, path: str, **options: int) -> folder.Read | Problem:
            if path == sorted(FILES)[100]:
                asyncio.run_coroutine_threadsafe(pause(), loop).result(PATIENCE)
            return read(root, path, **options)

        monkeypatch.setattr(folder, "read", pausing)
        assert (await index(app, root)).counts.documents <= 100
        app.index.resume()
        assert (await settled(app)).counts.documents == 240


@pytest.mark.asyncio
async def test_what_was_done_before_closing_is_not_done_again(
    root: Path, database: Path, tmp_path: Path
) -> None:
    """An engine that is closed in the middle of its work is followed by one that does the rest."""
    whole = await uninterrupted(root, tmp_path / "whole.db")
    first, second = HashingEmbedder(), HashingEmbedder()
    reached = asyncio.Event()
    first.before_batch = lambda: reached.set() if len(first.made) >= 40 else None
    async with engine(database, first) as app:
        app.index.open_folder(root)
        async with asyncio.timeout(PATIENCE):
            await reached.wait()
    assert first.closed
    async with engine(database, second) as app:
        assert (await index(app, root)).state == "ready"
    assert dump(database) == dump(tmp_path / "whole.db")
    in_flight = first.batch_size * (first.concurrency + 2)
    assert len(second.made) <= len(whole.made) - 40 + in_flight


@pytest.mark.parametrize("batches", [0, 1, 6, 12])
@pytest.mark.asyncio
async def test_a_killed_process_loses_the_batches_in_flight_at_most(
    root: Path, database: Path, tmp_path: Path, batches: int
) -> None:
    """After kill -9 the file is sound, and the next start embeds the rest to the same result."""
    whole = await uninterrupted(root, tmp_path / "whole.db")
    started = await asyncio.to_thread(_kill_after, batches, database, root)
    embedder = HashingEmbedder()
    async with engine(database, embedder) as app:
        assert app.index._database.notice == ""
        assert (await index(app, root)).state == "ready"
    assert dump(database) == dump(tmp_path / "whole.db")
    in_flight = embedder.batch_size * (embedder.concurrency + 2)
    assert len(embedder.made) <= len(whole.made) - embedder.batch_size * started + in_flight


def _kill_after(batches: int, database: Path, root: Path) -> int:
    """Start a process that indexes and kill it; return how many batches it surely finished."""
    child = subprocess.Popen(
        [sys.executable, "-m", "support.engine_child", str(database), str(root)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
    )
    with child:
        assert child.stdout is not None
        if batches:
            for _ in range(batches):
                assert child.stdout.readline() == b"batch\n"
        else:
            while not database.exists() and child.poll() is None:
                pass
        child.kill()
    return batches


async def ready(app: App) -> IndexState:
    """Ask for the state until everything is in, whoever does it."""
    async with asyncio.timeout(PATIENCE):
        while (state := await app.index.state()).state != "ready":
            pass
    return state


@pytest.mark.asyncio
async def test_two_engines_share_a_new_database(root: Path, database: Path, tmp_path: Path) -> None:
    """Two engines that index the same folder at once both end well, with one and the same index."""
    await uninterrupted(root, tmp_path / "whole.db")
    one, other = HashingEmbedder(), HashingEmbedder()
    async with engine(database, one) as left, engine(database, other) as right:
        await asyncio.gather(index(left, root), index(right, root))
        # Each of them may have to hear that the other one has done the rest.
        states = [await ready(app) for app in (left, right)]
        assert [(state.state, state.message) for state in states] == [("ready", "")] * 2
        assert [state.counts.documents for state in states] == [240, 240]
        assert [state.counts.pending for state in states] == [0, 0]
        assert (await paths(left, WORDS[5], root))[0] == (await paths(right, WORDS[5], root))[0]
    assert dump(database) == dump(tmp_path / "whole.db")


@pytest.mark.asyncio
async def test_two_processes_make_one_database(root: Path, database: Path) -> None:
    """Processes that find no database at the same moment do not hinder each other."""
    command = [sys.executable, "-m", "support.engine_child", str(database), str(root)]
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    children = [
        await asyncio.create_subprocess_exec(
            *command, stdout=asyncio.subprocess.PIPE, env=environment
        )
        for _ in range(2)
    ]
    for child in children:
        async with asyncio.timeout(PATIENCE):
            out, _ = await child.communicate()
        assert child.returncode == 0
        assert out.endswith(b"done\n")
    assert len({path for path, _ in dump(database).chunks}) == 240


@pytest.mark.asyncio
async def test_an_engine_sees_what_another_one_wrote(
    root: Path, database: Path, tmp_path: Path
) -> None:
    """A search answers from what another process indexed a moment ago."""
    async with engine(database, HashingEmbedder()) as left:
        await index(left, root)
        assert await paths(left, "pumpernickel", root, mode=Mode.KEYWORD) == []
        async with engine(database, HashingEmbedder()) as right:
            write_files(root, {"bread.py": "def bake(pumpernickel): ...\n"})
            await index(right, root)
        assert await paths(left, "pumpernickel", root, mode=Mode.KEYWORD) == ["bread.py"]


@pytest.mark.parametrize("failed", ["p3", "p3/m3.py", "."])
@pytest.mark.asyncio
async def test_what_may_not_be_opened_keeps_its_documents(
    root: Path, database: Path, monkeypatch: pytest.MonkeyPatch, failed: str
) -> None:
    """A folder or file that cannot be listed says nothing of what is in it, so it stays found."""
    embedder = HashingEmbedder()
    async with engine(database, embedder) as app:
        before = (await index(app, root)).counts
        scan = folder.scan

        def hindered(root: Path, **options: object) -> folder.Scan:
            found = scan(root, **options)
            seen = [file for file in found.files if not _is_at_or_below(file, failed)]
            return folder.Scan(seen, [Problem(failed, "permission denied", "failed")], [])

        monkeypatch.setattr(folder, "scan", hindered)
        state = await index(app, root)
        assert (state.counts.documents, state.counts.failed) == (240, 1)
        assert (await paths(app, WORDS[3], root))[0] == "p3/m3.py"
        monkeypatch.setattr(folder, "scan", scan)
        (root / "p3/m3.py").unlink()
        state = await index(app, root)
        assert (state.counts.documents, state.counts.failed) == (239, 0)
        assert state.counts.chunks < before.chunks


def _is_at_or_below(file: FoundFile, place: str) -> bool:
    return place in {".", file.path} or file.path.startswith(f"{place}/")


@pytest.mark.asyncio
async def test_a_neighbour_with_a_longer_name_is_not_below(
    root: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That `p3` cannot be opened keeps nothing alive in `p3x`."""
    write_files(root, {"p3x/gone.py": "marzipan = 1\n"})
    async with engine(database, HashingEmbedder()) as app:
        await index(app, root)
        (root / "p3x/gone.py").unlink()
        scan = folder.scan

        def hindered(root: Path, **options: object) -> folder.Scan:
            found = scan(root, **options)
            return folder.Scan(found.files, [Problem("p3", "permission denied", "failed")], [])

        monkeypatch.setattr(folder, "scan", hindered)
        await index(app, root)
        assert "p3x/gone.py" not in await paths(app, "marzipan", root)


@pytest.mark.asyncio
async def test_a_folder_that_is_gone_keeps_its_index(root: Path, database: Path) -> None:
    """An unplugged disk is no reason to forget; the state of the folder says what is wrong."""
    embedder = HashingEmbedder()
    async with engine(database, embedder) as app:
        await index(app, root)
        await asyncio.to_thread(root.rename, root.with_name("elsewhere"))
        state = await index(app, root)
        assert (state.state, state.counts.documents) == ("ready", 240)
        assert "cannot be opened" in state.sources[0].message
        assert (await paths(app, WORDS[5], root))[0] == "p5/m5.py"
        await asyncio.to_thread(root.with_name("elsewhere").rename, root)
        embedder.asked.clear()
        state = await index(app, root)
        assert (state.state, state.sources[0].message) == ("ready", "")
        assert embedder.asked == []


@pytest.mark.asyncio
async def test_a_file_that_may_not_be_read_is_tried_at_every_look(
    root: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Permissions do not change a file's time, so a failed file is never taken for known."""
    read = folder.read

    def hindered(root: Path, path: str, **options: int) -> folder.Read | Problem:
        if path == "p1/m1.py":
            return Problem(path, "permission denied", "failed")
        return read(root, path, **options)

    async with engine(database, HashingEmbedder()) as app:
        monkeypatch.setattr(folder, "read", hindered)
        for _ in range(2):
            state = await index(app, root)
            assert (state.counts.documents, state.counts.failed) == (239, 1)
        monkeypatch.setattr(folder, "read", read)
        state = await index(app, root)
        assert (state.counts.documents, state.counts.failed) == (240, 0)
        monkeypatch.setattr(folder, "read", hindered)
        write_files(root, {"p1/m1.py": "marzipan = 1\n"})
        state = await index(app, root)
        assert (state.counts.documents, state.counts.failed) == (240, 1)
        assert (await paths(app, WORDS[1], root))[0] == "p1/m1.py"


@pytest.mark.parametrize("end", ["close", "forget"])
@pytest.mark.asyncio
async def test_a_folder_can_be_left_while_it_is_indexed(
    root: Path, database: Path, end: str
) -> None:
    """Closing or forgetting a folder in the middle of its look ends that look, without a fault."""
    embedder = HashingEmbedder()
    async with engine(database, embedder) as app:
        begun = asyncio.Event()
        embedder.before_batch = begun.set
        app.index.open_folder(root)
        async with asyncio.timeout(PATIENCE):
            await begun.wait()
            if end == "close":
                app.index.close_folder(root)
            else:
                await app.index.forget(root)
        state = await settled(app)
        assert (state.state, state.message) == ("ready", "")
        assert state.sources == ()
        if end == "close":
            assert 0 < len(set(await paths(app, WORDS[0]))) < 240
        else:
            assert await app.index.sources() == []
            assert await paths(app, WORDS[0]) == []
        state = await index(app, root)
        assert (state.state, state.counts.documents) == ("ready", 240)


class _Stubborn(HashingEmbedder):
    """Swallows one cancellation, as a library that catches too much may."""

    async def embed_documents(self, texts: Sequence[str]) -> Embedded:
        """Wait for ever, and after a first cancellation once more."""
        self.asked += texts
        self.before_batch()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.Event().wait()
        raise AssertionError


@pytest.mark.asyncio
async def test_a_swallowed_cancellation_does_not_keep_it_open(root: Path, database: Path) -> None:
    """Closing ends although a cancellation got lost on its way."""
    embedder, asked = _Stubborn(), asyncio.Event()
    embedder.before_batch = asked.set
    async with asyncio.timeout(PATIENCE):
        async with engine(database, embedder) as app:
            app.index.open_folder(root)
            await asked.wait()
