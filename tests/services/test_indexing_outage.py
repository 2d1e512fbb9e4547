"""Indexing while the embedder fails, is away, or comes back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from hunch.model import Mode
from support.engine_app import PATIENCE, TWO, engine, index, paths, settled, write_files
from support.engine_embedder import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hunch.app import App
    from hunch.model import IndexState

LETTERS = "abcdefghij"
WORDS = [f"quilt{a}{b}" for a in LETTERS[:4] for b in LETTERS]
FILES = {
    f"m{n}.py": f"def handler(apple):\n    return {word} * 2\n" for n, word in enumerate(WORDS)
}
SEVENTH, LAST = WORDS[7], WORDS[39]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with forty files of one chunk each."""
    return write_files(tmp_path / "project", FILES).resolve()


async def until(app: App, holds: Callable[[IndexState], bool]) -> IndexState:
    """Wait for a state, as a client would: by the notifications."""
    seen: asyncio.Queue[IndexState] = asyncio.Queue()
    end = app.index.subscribe(seen.put_nowait)
    try:
        async with asyncio.timeout(PATIENCE):
            state = await app.index.state()
            while not holds(state):
                state = await seen.get()
            return state
    finally:
        end()


@pytest.mark.asyncio
async def test_a_text_that_cannot_be_embedded_is_counted_and_found_by_word(
    root: Path, database: Path
) -> None:
    """One poison text costs one text: it is failed, listed with a reason, and found by keyword."""
    embedder = HashingEmbedder()
    embedder.refused = frozenset({SEVENTH})
    async with engine(database, embedder) as app:
        state = await index(app, root)
        assert (state.state, state.counts.failed, state.counts.pending) == ("ready", 1, 0)
        assert state.counts.embedded == state.counts.chunks - 1
        assert "hunch problems" in state.message
        [(_, problem)] = await app.index.problems()
        assert (problem.path, problem.state) == ("m7.py", "failed")
        assert problem.reason == "not embedded: the test refuses it"
        assert await paths(app, SEVENTH, root, mode=Mode.KEYWORD) == ["m7.py"]
        assert (await paths(app, SEVENTH, root))[0] == "m7.py"
        assert "m7.py" not in await paths(app, SEVENTH, root, mode=Mode.SEMANTIC)
        embedder.asked.clear()
        await index(app, root)
        assert embedder.asked == []


@pytest.mark.asyncio
async def test_a_failed_text_is_tried_again_when_its_file_changes(
    tmp_path: Path, database: Path
) -> None:
    """Any change of the file gives its failed chunks another chance, and only those."""
    root = write_files(tmp_path / "project", {"two.py": TWO}).resolve()
    embedder = HashingEmbedder()
    embedder.refused = frozenset({"grow"})
    async with engine(database, embedder) as app:
        counts = (await index(app, root)).counts
        assert (counts.chunks, counts.failed) == (2, 1)
        embedder.refused = frozenset()
        embedder.asked.clear()
        write_files(root, {"two.py": TWO.replace("ripen(2)", "peel(3)")})
        state = await index(app, root)
        assert (state.counts.failed, state.counts.pending) == (0, 0)
        assert await app.index.problems() == []
        assert sorted("grow" in text for text in embedder.asked) == [False, True]


@pytest.mark.asyncio
async def test_force_tries_failed_texts_again(root: Path, database: Path) -> None:
    """A forced look embeds what failed before."""
    embedder = HashingEmbedder()
    embedder.refused = frozenset({SEVENTH})
    async with engine(database, embedder) as app:
        await index(app, root)
        embedder.refused = frozenset()
        assert (await index(app, root, force=True)).counts.failed == 0


@pytest.mark.asyncio
async def test_an_embedder_that_is_away_from_the_start(root: Path, database: Path) -> None:
    """Everything is found by keyword, the state is degraded, and vectors come by themselves."""
    embedder = HashingEmbedder()
    embedder.answers = False
    async with engine(database, embedder) as app:
        state = await index(app, root)
        assert (state.state, state.counts.embedded) == ("degraded", 0)
        assert state.counts.pending == state.counts.chunks == 40
        assert not state.embedder.available
        assert "does not answer" in state.message
        assert await paths(app, SEVENTH, root) == ["m7.py"]
        embedder.answers = True
        state = await until(app, lambda state: state.state == "ready")
        assert (state.counts.pending, state.counts.embedded) == (0, 40)
        assert state.embedder.available
        assert (await paths(app, SEVENTH, root, mode=Mode.SEMANTIC))[0] == "m7.py"


@pytest.mark.asyncio
async def test_a_forced_look_needs_no_embedder(root: Path, database: Path) -> None:
    """Without an embedder a forced look still reads everything for keyword search."""
    embedder = HashingEmbedder()
    embedder.answers = False
    async with engine(database, embedder) as app:
        state = await index(app, root, force=True)
        assert (state.state, state.counts.documents) == ("degraded", 40)


@pytest.mark.asyncio
async def test_an_embedder_that_goes_away_in_the_middle(root: Path, database: Path) -> None:
    """What was made is kept, search goes on by keyword, and only the rest is embedded later."""
    embedder = HashingEmbedder()

    def leave() -> None:
        embedder.answers = len(embedder.asked) <= 20

    embedder.before_batch = leave
    async with engine(database, embedder) as app:
        state = await index(app, root)
        assert state.state == "degraded"
        assert 0 < state.counts.pending < 40
        assert state.counts.pending + state.counts.embedded == 40
        assert (await paths(app, LAST, root))[0] == "m39.py"
        embedder.before_batch = lambda: None
        embedder.answers = True
        state = await until(app, lambda state: state.state == "ready")
        assert (state.counts.pending, state.counts.embedded, state.counts.failed) == (0, 40, 0)
        assert len(set(embedder.made)) == 40
        assert len(embedder.made) <= 40 + embedder.batch_size * (embedder.concurrency + 2)


@pytest.mark.asyncio
async def test_search_notices_that_the_embedder_is_back(root: Path, database: Path) -> None:
    """When nothing waits to be embedded, a query's vector tells whether the embedder answers."""
    embedder = HashingEmbedder()
    async with engine(database, embedder) as app:
        await index(app, root)
        embedder.answers = False
        assert await paths(app, SEVENTH, root) == ["m7.py"]
        assert (await app.index.state()).state == "degraded"
        embedder.answers = True
        assert (await paths(app, SEVENTH, root))[0] == "m7.py"
        assert (await app.index.state()).state == "ready"


@pytest.mark.asyncio
async def test_another_embedder_embeds_everything_and_the_first_keeps_its_vectors(
    root: Path, database: Path
) -> None:
    """Vectors are kept by embedder: going back to the first costs nothing."""
    first, second = HashingEmbedder(model="one"), HashingEmbedder(model="two", dimensions=32)
    for embedder, asked in ((first, 40), (second, 40), (first, 0)):
        embedder.asked.clear()
        async with engine(database, embedder) as app:
            state = await index(app, root)
            assert (state.state, state.counts.embedded) == ("ready", 40)
            assert state.embedder.model == embedder.model
            assert (await paths(app, SEVENTH, root, mode=Mode.SEMANTIC))[0] == "m7.py"
        assert len(embedder.asked) == asked


@pytest.mark.asyncio
async def test_progress_only_grows_and_ready_means_that_nothing_is_pending(
    root: Path, database: Path
) -> None:
    """States go from indexing to ready; done never falls; no ready state has work left."""
    embedder = HashingEmbedder()
    async with engine(database, embedder) as app:
        states: list[IndexState] = []
        app.index.subscribe(states.append)
        embedder.open.clear()
        app.index.open_folder(root)
        await until(app, lambda state: state.counts.chunks == 40)
        states.append(await app.index.state())
        assert states[-1].state == "indexing"
        assert states[-1].progress is not None
        embedder.open.set()
        await until(app, lambda state: state.state == "ready")
        states.append(await settled(app))
    assert {state.state for state in states} <= {"starting", "indexing", "ready"}
    names = [state.state for state in states if state.counts.documents]
    assert names == sorted(names)
    assert all(state.counts.pending == 0 for state in states if state.state == "ready")
    done = [state.progress.done for state in states if state.progress]
    assert done == sorted(done)
    assert states[-1].progress is None
