"""Choosing an embedder."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from hunch.config import Settings
from hunch.embedding.choose import choose_embedder
from hunch.errors import EmbedderUnavailable, ModelMissing
from support.stub_ollama import StubOllama

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def nobody() -> Iterator[str]:
    """Give the URL of a port at which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


async def chosen(url: str, embedder: str) -> tuple[str, str]:
    """Choose, and return the provider and the message."""
    found = await choose_embedder(Settings(embedder=embedder, ollama_url=url))
    await found.embedder.aclose()
    return found.embedder.provider, found.message


@pytest.mark.asyncio
async def test_auto_takes_ollama_when_it_is_ready() -> None:
    """Ollama with the model wins, and there is nothing to say."""
    with StubOllama() as stub:
        assert await chosen(stub.url, "auto") == ("ollama", "")
        assert await chosen(stub.url, "ollama") == ("ollama", "")


@pytest.mark.asyncio
async def test_auto_without_ollama_takes_the_built_in_one(nobody: str) -> None:
    """One line says what is used and what Ollama would add."""
    provider, message = await chosen(nobody, "auto")
    assert provider == "builtin"
    assert message.startswith("Using the built-in embedder. Ollama is not running.")
    assert "nomic-embed-text" in message
    assert "\n" not in message


@pytest.mark.asyncio
async def test_auto_without_the_model_says_how_to_get_it() -> None:
    """The line to pull the model is part of the message."""
    with StubOllama(models=("llama3.2:latest",)) as stub:
        provider, message = await chosen(stub.url, "auto")
    assert provider == "builtin"
    assert message.endswith("ollama pull nomic-embed-text")


@pytest.mark.asyncio
async def test_ollama_is_not_replaced_when_it_was_asked_for(nobody: str) -> None:
    """An explicit choice that cannot be had is an error of its own kind."""
    with pytest.raises(EmbedderUnavailable):
        await chosen(nobody, "ollama")
    with StubOllama(models=()) as stub, pytest.raises(ModelMissing):
        await chosen(stub.url, "ollama")


@pytest.mark.asyncio
async def test_a_model_that_makes_no_embeddings_is_not_taken() -> None:
    """`auto` falls back when the model refuses the first text."""
    with StubOllama() as stub:
        stub.script.append("nan400")
        provider, message = await chosen(stub.url, "auto")
    assert provider == "builtin"
    assert "makes no embeddings" in message


@pytest.mark.asyncio
async def test_builtin_asks_nobody() -> None:
    """The built-in embedder is taken without a look at Ollama."""
    with StubOllama() as stub:
        assert await chosen(stub.url, "builtin") == ("builtin", "")
        assert stub.connections == 0


@pytest.mark.asyncio
@pytest.mark.parametrize("url", ["http://", "ftp://x", "http://exa mple", "http://[bad", "::::"])
async def test_an_address_that_is_none_is_unavailable(url: str) -> None:
    """A broken setting ends in the error that every missing Ollama ends in."""
    with pytest.raises(EmbedderUnavailable):
        await chosen(url, "ollama")
