"""The embedder in use: chosen once, changed with the settings, and known to answer or not."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from hunch.app import App
from hunch.config import Settings
from hunch.embedding.active import ActiveEmbedder
from hunch.embedding.choose import Chosen
from hunch.embedding.lexicon import Lexicon
from hunch.errors import EmbedderUnavailable
from hunch.model import EmbedderState
from hunch.store.database import Database
from support.engine_app import PATIENCE, index, settled, write_files
from support.engine_embedder import HashingEmbedder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.asyncio
async def test_an_embedder_is_chosen_once() -> None:
    """Callers that come at the same moment get the same embedder, and its message is kept."""
    chosen: list[HashingEmbedder] = []

    async def choose(settings: Settings) -> Chosen:
        await asyncio.Event().wait() if len(chosen) else chosen.append(HashingEmbedder())
        return Chosen(chosen[0], "could be better")

    active = ActiveEmbedder(Settings(), choose)
    assert active.fingerprint is None
    async with asyncio.timeout(PATIENCE):
        got = await asyncio.gather(*(active.get() for _ in range(5)))
    assert set(map(id, got)) == {id(chosen[0])}
    assert active.fingerprint == "hashing/words/64"
    assert active.state() == EmbedderState("hashing", "words", 64, True, "could be better")
    active.worked()
    assert active.state().message == "could be better"


@pytest.mark.asyncio
async def test_an_embedder_that_cannot_be_had_is_asked_again() -> None:
    """A failure is told in the state; the next call chooses anew."""
    embedder = HashingEmbedder()
    embedder.answers = False
    active = ActiveEmbedder(Settings(embedder="ollama", ollama_model="m"), embedder.choose)
    assert active.state() == EmbedderState("ollama", "m", 0, False, "")
    with pytest.raises(EmbedderUnavailable):
        await active.get()
    message = "The embedder of the test does not answer."
    assert active.state() == EmbedderState("ollama", "m", 0, False, message)
    embedder.answers = True
    assert await active.get() is embedder
    assert active.state() == EmbedderState("hashing", "words", 64, True, "")


@pytest.mark.asyncio
async def test_failing_and_answering_again_are_noted() -> None:
    """What was said of a failure is taken back when the embedder answers."""
    active = ActiveEmbedder(Settings(), HashingEmbedder().choose)
    await active.get()
    active.failed(EmbedderUnavailable("gone"))
    assert (active.available, active.message) == (False, "gone")
    active.worked()
    assert (active.available, active.message) == (True, "")


@pytest.mark.asyncio
async def test_other_settings_bring_another_embedder_in_the_middle_of_work(tmp_path: Path) -> None:
    """The embedder that was in use is closed, and the one that is wanted now does all the work."""
    root = write_files(tmp_path / "p", {f"{n}.py": f"kiwi = {n}\n" for n in range(30)}).resolve()
    by_model = {name: HashingEmbedder(model=name) for name in ("one", "two")}

    async def choose(settings: Settings) -> Chosen:
        return await by_model[settings.ollama_model].choose(settings)

    first, second = by_model.values()
    first.open.clear()
    asked = asyncio.Event()
    first.before_batch = asked.set
    one = Settings(ollama_model="one")
    database = await asyncio.to_thread(Database.open, tmp_path / "index.db")
    async with App(one, database, choose=choose, retry_seconds=(0.001, 0.001)) as app:
        app.index.start()
        app.index.open_folder(root)
        async with asyncio.timeout(PATIENCE):
            await asked.wait()
        await app.index.reconfigure(Settings(ollama_model="two"))
        assert first.closed
        second.before_batch = asked.set
        asked.clear()
        async with asyncio.timeout(PATIENCE):
            await asked.wait()
        state = await settled(app)
        assert (state.state, state.embedder.model) == ("ready", "two")
        assert (state.counts.embedded, state.counts.pending) == (30, 0)
        assert len(second.made) == 30
        assert first.made == []
        assert (await app.try_embedder()).model == "two"


@pytest.mark.asyncio
async def test_other_settings_end_the_wait_for_an_embedder(tmp_path: Path) -> None:
    """Whoever chooses another embedder need not wait for the next attempt at the one before."""
    root = write_files(tmp_path / "p", {"a.py": "kiwi = 1\n"}).resolve()
    away, there = HashingEmbedder(model="away"), HashingEmbedder(model="there")
    away.answers = False

    async def choose(settings: Settings) -> Chosen:
        return await (away if settings.embedder == "ollama" else there).choose(settings)

    database = await asyncio.to_thread(Database.open, tmp_path / "index.db")
    wanted = Settings(embedder="ollama")
    async with App(wanted, database, choose=choose, retry_seconds=(3_600, 3_600)) as app:
        app.index.start()
        assert (await index(app, root)).state == "degraded"
        await app.index.reconfigure(Settings(embedder="builtin"))
        state = await settled(app)
        assert (state.state, state.embedder.model, state.counts.pending) == ("ready", "there", 0)


@pytest.mark.asyncio
async def test_a_smaller_limit_takes_files_out(tmp_path: Path) -> None:
    """Settings that change what is indexed are followed by a look."""
    root = write_files(tmp_path / "p", {"a.txt": "kiwi\n", "b.txt": "kiwi\n" * 400}).resolve()
    database = await asyncio.to_thread(Database.open, tmp_path / "index.db")
    async with App(Settings(), database, choose=HashingEmbedder().choose) as app:
        app.index.start()
        assert (await index(app, root)).counts.documents == 2
        await app.index.reconfigure(Settings(index_max_file_bytes=1_024))
        counts = (await settled(app)).counts
        assert (counts.documents, counts.skipped) == (1, 1)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("retry", True),
        ("sendWithRetry", True),
        ("日本語", True),
        ("zxqv", False),
        ("ZXQV", False),
        ("", False),
        ("… ?! 😀", False),
        ("\ud800\0", False),
    ],
)
@pytest.mark.asyncio
async def test_words_are_told_from_noise(text: str, known: bool) -> None:
    """A text has a known word if the built-in vocabulary or another script says so."""
    assert await Lexicon().knows_any(text) is known
