"""The whole engine with an Ollama that fails in every way that Ollama can, over its real protocol."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from hunch.app import App
from hunch.config import Settings
from hunch.embedding import ollama
from hunch.embedding.choose import Chosen, choose_embedder
from hunch.model import Mode
from hunch.search import service
from hunch.store import vectors
from hunch.store.database import Database
from support.engine_app import PATIENCE, index, paths, settled, write_files
from support.stub_ollama import StubOllama

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from hunch.model import IndexState
    from hunch.store.database import Connection
    from support.stub_ollama import Trouble

WORDS = [f"quilt{a}{b}" for a in "abcd" for b in "abcdefghij"]
FILES = {
    f"m{n}.py": f"def handler(apple):\n    return {word} * 2\n" for n, word in enumerate(WORDS)
}
BATCH, CONCURRENCY = 4, 1
IN_FLIGHT = BATCH * (CONCURRENCY + 2)
"""Texts that may be made and not saved when something goes wrong."""


@pytest.fixture
def stub() -> Iterator[StubOllama]:
    """An Ollama that listens."""
    with StubOllama(dimensions=64, models=("nomic-embed-text:latest", "other:latest")) as stub:
        yield stub


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with forty files of one chunk each."""
    return write_files(tmp_path / "project", FILES).resolve()


async def quick(settings: Settings) -> Chosen:
    """Choose an embedder; Ollama is asked again without much waiting."""
    if settings.embedder == "ollama":
        return Chosen(await ollama.connect(settings, backoff=0.001))
    return await choose_embedder(settings)


def settings_of(stub: StubOllama, embedder: str = "ollama") -> Settings:
    """Return settings that name the stub."""
    return Settings(
        embedder=embedder,
        ollama_url=stub.url,
        ollama_batch_size=BATCH,
        ollama_concurrency=CONCURRENCY,
    )


@asynccontextmanager
async def engine(database: Path, settings: Settings) -> AsyncIterator[App]:
    """Open an App with the embedder that settings name."""
    opened = await asyncio.to_thread(Database.open, database)
    app = App(settings, opened, choose=quick, retry_seconds=(0.001, 0.001))
    app.index.start()
    async with app:
        yield app


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


def is_complete(state: IndexState) -> bool:
    """Tell whether everything is in."""
    return state.state == "ready" and state.counts.embedded == len(WORDS)


def documents(stub: StubOllama) -> list[str]:
    """Return the texts of documents that were sent."""
    sent = [text for batch in stub.batches for text in batch]
    return [text for text in sent if text.startswith("search_document: ")]


async def held(app: App, root: Path, stub: StubOllama, texts: int) -> None:
    """Begin to index a folder, and hold Ollama at a request once so many texts have arrived."""
    stub.hold_after = texts
    app.index.open_folder(root)
    async with asyncio.timeout(PATIENCE):
        while stub.gate.is_set():
            stub.arrived.clear()
            if stub.gate.is_set():
                await asyncio.to_thread(stub.arrived.wait, PATIENCE)


@pytest.mark.asyncio
async def test_auto_goes_without_an_ollama_that_is_down(
    root: Path, database: Path, stub: StubOllama
) -> None:
    """With `auto` the built-in embedder does the work, and the state says what Ollama would add."""
    stub.stop()
    async with engine(database, settings_of(stub, "auto")) as app:
        state = await index(app, root)
        assert (state.state, state.embedder.provider, state.counts.pending) == (
            "ready",
            "builtin",
            0,
        )
        assert state.embedder.message.startswith("Using the built-in embedder. Ollama is not run")


@pytest.mark.asyncio
async def test_ollama_that_is_down_at_start(root: Path, database: Path, stub: StubOllama) -> None:
    """Keyword search works, one sentence says why no more, and all goes on when it comes up."""
    stub.stop()
    async with engine(database, settings_of(stub)) as app:
        state = await index(app, root)
        assert (state.state, state.message) == ("degraded", "Ollama does not answer.")
        assert (state.counts.pending, state.counts.embedded) == (40, 0)
        assert await paths(app, WORDS[7], root) == ["m7.py"]
        stub.start()
        await until(app, is_complete)
        assert Counter(documents(stub)).most_common(1)[0][1] == 1
        assert (await paths(app, WORDS[7], root, mode=Mode.SEMANTIC))[0] == "m7.py"


@pytest.mark.asyncio
async def test_a_model_that_is_missing_is_used_once_it_is_there(
    root: Path, database: Path, stub: StubOllama
) -> None:
    """The sentence says how to get the model, and having got it is enough."""
    held = dict(stub.digests)
    stub.digests.clear()
    async with engine(database, settings_of(stub)) as app:
        state = await index(app, root)
        assert state.state == "degraded"
        assert "ollama pull nomic-embed-text" in state.message
        stub.digests |= held
        await until(app, is_complete)


@pytest.mark.asyncio
async def test_ollama_dies_in_the_middle(root: Path, database: Path, stub: StubOllama) -> None:
    """What was made is kept; after its return the rest is made, and nothing else twice."""
    async with engine(database, settings_of(stub)) as app:
        await held(app, root, stub, 20)
        stub.stop()
        stub.gate.set()
        state = await until(app, lambda state: state.state == "degraded")
        assert state.message == "Ollama does not answer."
        assert 20 - IN_FLIGHT <= state.counts.embedded < 40
        assert state.counts.embedded + state.counts.pending == 40
        kept = state.counts.embedded
        stub.batches.clear()
        stub.start()
        await until(app, is_complete)
        sent = documents(stub)
        assert len(sent) <= 40 - kept + IN_FLIGHT
        assert set(Counter(sent).values()) == {1}


@pytest.mark.parametrize("width", [64, 32])
@pytest.mark.parametrize("moment", ["while it is down", "between two answers", "when all is in"])
@pytest.mark.asyncio
async def test_another_model_under_the_same_name(
    root: Path, database: Path, stub: StubOllama, moment: str, width: int
) -> None:
    """Everything is embedded anew, and no vector of the one is kept as the other's."""
    name = "nomic-embed-text:latest"

    def replace_model() -> None:
        stub.digests[name], stub.salt, stub.dimensions = "f" * 64, "another", width

    async with engine(database, settings_of(stub)) as app:
        await held(app, root, stub, 20)
        if moment == "while it is down":
            stub.stop()
            replace_model()
            stub.gate.set()
            stub.start()
        elif moment == "between two answers":
            replace_model()
            stub.gate.set()
        else:
            stub.gate.set()
            await until(app, is_complete)
            replace_model()
            # A query is the first to notice; it is answered by keyword, and the index follows.
            assert await paths(app, WORDS[7], root) == ["m7.py"]
        async with asyncio.timeout(PATIENCE):
            state = await app.index.state()
            while not (is_complete(state) and state.embedder.dimensions == width):
                state = await app.index.state()
        assert (await paths(app, WORDS[7], root, mode=Mode.SEMANTIC))[0] == "m7.py"
        made = await app._database.read(_vectors_of, f"/{'f' * 12}/")
        expected = np.stack([stub.vector(text) for text in {*documents(stub)}])
        assert made.shape == (40, width)
        assert (made @ expected.T).max(axis=1).min() > 0.999


def _vectors_of(connection: Connection, fingerprint: str) -> NDArray[np.float64]:
    """Read all vectors of one embedder and bring them to unit length."""
    [(name,)] = connection.execute(
        "SELECT fingerprint FROM embedders WHERE instr(fingerprint, ?)", (fingerprint,)
    )
    embedder_id = vectors.find_embedder(connection, name)
    rows = connection.execute("SELECT data FROM vectors WHERE id >> 40 = ?", (embedder_id,))
    made = np.stack([np.frombuffer(data, np.int16).astype(np.float64) for (data,) in rows])
    return made / np.linalg.norm(made, axis=1, keepdims=True)


@pytest.mark.asyncio
async def test_ollama_answers_slowly(
    root: Path, database: Path, stub: StubOllama, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Searches answer by keyword, the state says that work goes on, and every answer is used."""
    async with engine(database, settings_of(stub)) as app:
        await held(app, root, stub, 8)
        monkeypatch.setattr(service, "_LONGEST", 0.05)
        state = await until(app, lambda state: state.counts.chunks == 40)
        assert state.state == "indexing"
        assert await paths(app, WORDS[7], root) == ["m7.py"]
        monkeypatch.undo()
        stub.gate.set()
        state = await until(app, is_complete)
        assert Counter(documents(stub)).most_common(1)[0][1] == 1


@pytest.mark.parametrize(
    "trouble", ["eof", "busy", "unavailable", "drop", "wrong width", "nan", "truncated", "garbage"]
)
@pytest.mark.asyncio
async def test_trouble_that_comes_once_leaves_no_trace(
    root: Path, database: Path, stub: StubOllama, trouble: Trouble
) -> None:
    """After one bad answer, of whatever sort, every text has its vector and nothing has failed."""
    async with engine(database, settings_of(stub)) as app:
        await held(app, root, stub, 8)
        stub.script.append(trouble)
        stub.gate.set()
        state = await until(app, is_complete)
        assert (state.message, state.counts.failed) == ("", 0)
        assert await app.index.problems() == []


@pytest.mark.parametrize(
    "trouble", ["eof", "context", "nan", "not a number", "zeros", "infinite", "wrong width"]
)
@pytest.mark.asyncio
async def test_a_text_that_is_refused_for_ever(
    root: Path, database: Path, stub: StubOllama, trouble: Trouble
) -> None:
    """One text is counted as failed and listed with a reason; it is found by word, all others by both."""
    # The words that are refused are in the beginnings that are tried instead, too.
    write_files(root, {"m7.py": f"def {WORDS[7]}(apple):\n    return {WORDS[7]} * 2\n"})
    stub.poison = {WORDS[7]: trouble}
    async with engine(database, settings_of(stub)) as app:
        state = await index(app, root)
        assert (state.state, state.counts.failed, state.counts.pending) == ("ready", 1, 0)
        assert state.counts.embedded == 39
        [(_, problem)] = await app.index.problems()
        assert (problem.path, problem.state) == ("m7.py", "failed")
        assert problem.reason.startswith("not embedded: ")
        assert WORDS[7] not in problem.reason
        assert await paths(app, WORDS[7], root, mode=Mode.KEYWORD) == ["m7.py"]
        assert (await paths(app, WORDS[8], root, mode=Mode.SEMANTIC))[0] == "m8.py"


@pytest.mark.parametrize("trouble", ["not a number", "wrong width", "truncated", "garbage"])
@pytest.mark.asyncio
async def test_an_ollama_that_answers_nonsense_for_a_while(
    root: Path, database: Path, stub: StubOllama, trouble: Trouble
) -> None:
    """No text is blamed for it: the state is degraded until answers make sense again."""
    async with engine(database, settings_of(stub)) as app:
        await held(app, root, stub, 8)
        stub.poison = dict.fromkeys(("handler", "quilt", "hunch"), trouble)
        stub.gate.set()
        state = await until(app, lambda state: state.state == "degraded")
        assert state.counts.failed == 0
        assert await paths(app, WORDS[39], root) == ["m39.py"]
        stub.poison = {}
        assert (await until(app, is_complete)).counts.failed == 0


@pytest.mark.asyncio
async def test_other_settings_in_the_middle_of_a_run(
    root: Path, database: Path, stub: StubOllama
) -> None:
    """Each embedder keeps what it made: there and back again costs only what was not made yet."""
    first = settings_of(stub)
    async with engine(database, first) as app:
        await held(app, root, stub, 20)
        await app.index.reconfigure(replace(first, embedder="builtin"))
        stub.gate.set()
        state = await until(app, lambda s: is_complete(s) and s.embedder.provider == "builtin")
        assert state.counts.pending == 0
        await app.index.reconfigure(replace(first, ollama_model="other"))
        await until(app, lambda s: is_complete(s) and s.embedder.model == "other:latest")
        before = len(documents(stub))
        await app.index.reconfigure(first)
        await until(app, lambda s: is_complete(s) and s.embedder.model.startswith("nomic"))
        assert len(documents(stub)) - before <= 40 - 20 + IN_FLIGHT
        stub.batches.clear()
        for settings in (replace(first, ollama_model="other"), first):
            await app.index.reconfigure(settings)
            await settled(app)
            await until(app, is_complete)
        assert documents(stub) == []
