"""Embedding with an Ollama that answers as the real one does."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import numpy as np
import pytest
import pytest_asyncio

from hunch.config import Settings
from hunch.embedding.ollama import OllamaEmbedder, connect
from hunch.embedding.ollama_api import OllamaApi, Refused
from hunch.errors import EmbedderUnavailable, ModelMissing
from support.stub_ollama import StubOllama

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from support.stub_ollama import Trouble

WAIT = 20
"""Seconds after which a test that waits for an event has failed."""


@asynccontextmanager
async def opened(stub: StubOllama, **settings: int | str) -> AsyncIterator[OllamaEmbedder]:
    """Connect to the stub without any pause between retries, and forget how that went."""
    embedder = await connect(Settings(ollama_url=stub.url, **settings), backoff=0)
    stub.batches.clear()
    try:
        yield embedder
    finally:
        await embedder.aclose()


@pytest_asyncio.fixture
async def stub() -> AsyncIterator[StubOllama]:
    """Run a stub with short vectors."""
    with StubOllama(dimensions=32) as stub:
        yield stub


@pytest.mark.asyncio
async def test_connecting_learns_model_and_width(stub: StubOllama) -> None:
    """The fingerprint names model, digest and dimensions; the tag is completed."""
    async with opened(stub) as embedder:
        digest = stub.digests["nomic-embed-text:latest"][:12]
        assert embedder.model == "nomic-embed-text:latest"
        assert embedder.dimensions == 32
        assert embedder.fingerprint.startswith(f"ollama/nomic-embed-text:latest/{digest}/32/")


@pytest.mark.asyncio
async def test_texts_are_sent_in_batches_with_their_prefix(stub: StubOllama) -> None:
    """Row i is the vector of text i; documents and queries are announced as such."""
    async with opened(stub, ollama_batch_size=2) as embedder:
        embedded = await embedder.embed_documents(["open a file", "close it", "read lines"])
        query = await embedder.embed_query("open a file")
    assert stub.batches == [
        ["search_document: open a file", "search_document: close it"],
        ["search_document: read lines"],
        ["search_query: open a file"],
    ]
    assert embedded.failures == {}
    np.testing.assert_allclose(np.linalg.norm(embedded.vectors, axis=1), 1, rtol=1e-5)
    np.testing.assert_allclose(embedded.vectors[0], query, atol=1e-6)


@pytest.mark.asyncio
async def test_a_connection_is_kept(stub: StubOllama) -> None:
    """Many requests one after the other use one connection."""
    async with opened(stub, ollama_batch_size=1) as embedder:
        await embedder.embed_documents(["a", "b", "c", "d"])
    assert stub.connections == 1


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "trouble",
    ["context", "eof", "eof400", "nan", "nan400", "wrong width", "zeros", "infinite"],
)
async def test_a_poison_text_costs_one_text(stub: StubOllama, trouble: Trouble) -> None:
    """The others of its batch get vectors; it gets a reason that does not quote it."""
    stub.poison["poison"] = trouble
    texts = [f"text number {n}" for n in range(32)]
    texts[13] = "poison " * 40
    async with opened(stub) as embedder:
        embedded = await embedder.embed_documents(texts)
    assert list(embedded.failures) == [13]
    assert "poison" not in embedded.failures[13]
    assert np.flatnonzero(~embedded.vectors.any(axis=1)).tolist() == [13]
    assert stub.calls < 30


@pytest.mark.asyncio
async def test_a_refused_text_is_cut_smaller(stub: StubOllama) -> None:
    """A text that the server finds too long is embedded by its beginning."""
    stub.max_chars = 500
    async with opened(stub) as embedder:
        embedded = await embedder.embed_documents(["short", "word " * 300])
    assert embedded.failures == {}
    assert embedded.vectors.any(axis=1).all()
    assert max(map(len, stub.batches[-1])) <= 500


@pytest.mark.asyncio
async def test_text_is_bounded_before_it_is_sent(stub: StubOllama) -> None:
    """No input has more estimated tokens than the model reads, and lone surrogates are replaced."""
    async with opened(stub) as embedder:
        await embedder.embed_documents(["{}" * 5_000, "broken \ud800 text"])
    [[long, broken]] = stub.batches
    assert len(long) < 2_048 + 20
    assert broken == "search_document: broken ? text"


@pytest.mark.asyncio
@pytest.mark.parametrize("trouble", ["busy", "too many", "unavailable", "drop"])
async def test_a_passing_trouble_is_retried(stub: StubOllama, trouble: Trouble) -> None:
    """A busy or broken server is asked again, with the same texts."""
    async with opened(stub) as embedder:
        stub.script.extend([trouble, trouble])
        embedded = await embedder.embed_documents(["a", "b"])
    assert embedded.failures == {}
    assert stub.batches == [["search_document: a", "search_document: b"]] * 3


@pytest.mark.asyncio
async def test_a_crash_at_one_text_is_retried_before_it_is_cut(stub: StubOllama) -> None:
    """A runner that crashed once embeds the same text whole the next time."""
    async with opened(stub) as embedder:
        stub.script.append("eof")
        embedded = await embedder.embed_documents(["a whole text"])
    assert embedded.failures == {}
    assert stub.batches == [["search_document: a whole text"]] * 2


@pytest.mark.asyncio
@pytest.mark.parametrize("trouble", ["busy", "drop", "eof", "nan400", "garbage", "too few"])
async def test_a_server_that_embeds_nothing_is_unavailable(
    stub: StubOllama, trouble: Trouble
) -> None:
    """Lasting trouble ends in an error after a few requests, not in failed texts."""
    async with opened(stub) as embedder:
        stub.script.extend([trouble] * 100)
        with pytest.raises(EmbedderUnavailable):
            await embedder.embed_documents(["first text", "second text"])
    assert stub.calls <= 30


@pytest.mark.asyncio
@pytest.mark.parametrize("trouble", ["busy", "drop", "nan", "zeros", "garbage"])
async def test_a_query_without_a_vector_is_an_error(stub: StubOllama, trouble: Trouble) -> None:
    """A query is tried twice at most and never cut."""
    async with opened(stub) as embedder:
        stub.script.extend([trouble] * 100)
        with pytest.raises(EmbedderUnavailable):
            await embedder.embed_query("what is amiss")
    assert stub.calls <= 2


@pytest.mark.asyncio
async def test_ollama_may_go_and_come_back(stub: StubOllama) -> None:
    """While it is gone calls fail; once it is back the same embedder works."""
    async with opened(stub) as embedder:
        stub.stop()
        with pytest.raises(EmbedderUnavailable):
            await embedder.embed_documents(["a"])
        stub.start()
        embedded = await embedder.embed_documents(["a"])
    assert embedded.failures == {}


@pytest.mark.asyncio
async def test_a_model_that_was_removed_is_missed(stub: StubOllama) -> None:
    """The error says how to get it back."""
    async with opened(stub) as embedder:
        stub.digests.clear()
        with pytest.raises(ModelMissing, match=r"ollama pull nomic-embed-text$"):
            await embedder.embed_documents(["a", "b"])


@pytest.mark.asyncio
async def test_a_query_goes_before_documents_that_wait(stub: StubOllama) -> None:
    """While a batch is under way, a query overtakes the batches behind it."""
    async with opened(stub, ollama_batch_size=1, ollama_concurrency=1) as embedder:
        stub.gate.clear()
        stub.arrived.clear()
        documents = asyncio.create_task(embedder.embed_documents(["one", "two"]))
        await asyncio.to_thread(stub.arrived.wait, WAIT)
        stub.arrived.clear()
        query = asyncio.create_task(embedder.embed_query("q"))
        await asyncio.to_thread(stub.arrived.wait, WAIT)
        stub.gate.set()
        async with asyncio.timeout(WAIT):
            await asyncio.gather(documents, query)
    assert [batch[0].split(": ")[1] for batch in stub.batches] == ["one", "q", "two"]


@pytest.mark.asyncio
async def test_only_so_many_batches_are_under_way(stub: StubOllama) -> None:
    """However many calls are made at once, the setting bounds the requests in flight."""
    async with opened(stub, ollama_concurrency=2) as embedder:
        await asyncio.gather(*(embedder.embed_documents([f"text {n}"]) for n in range(8)))
    assert stub.busy_most <= 2
    assert stub.calls == 8


@pytest.mark.asyncio
async def test_cancelling_frees_the_place(stub: StubOllama) -> None:
    """A cancelled call does not keep others waiting."""
    async with opened(stub, ollama_concurrency=1) as embedder:
        stub.gate.clear()
        stub.arrived.clear()
        waiting = asyncio.create_task(embedder.embed_documents(["never"]))
        await asyncio.to_thread(stub.arrived.wait, WAIT)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        stub.gate.set()
        async with asyncio.timeout(WAIT):
            assert not (await embedder.embed_documents(["next"])).failures


@pytest.mark.asyncio
async def test_an_answer_that_takes_too_long_is_given_up(stub: StubOllama) -> None:
    """Several texts may be too many at once; one text that takes too long is Ollama's fault."""
    stub.gate.clear()
    api = OllamaApi(stub.url, patience=0.05)
    with pytest.raises(Refused):
        await api.embed("nomic-embed-text:latest", ["a", "b"], dimensions=None)
    with pytest.raises(EmbedderUnavailable):
        await api.embed("nomic-embed-text:latest", ["a"], dimensions=None)
    stub.gate.set()
    await api.aclose()


@pytest.mark.asyncio
async def test_proxies_are_not_asked_about_this_machine(
    stub: StubOllama, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy in the environment does not stand between Hunch and a local Ollama."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    async with opened(stub) as embedder:
        assert not (await embedder.embed_documents(["a"])).failures
