"""Choosing the embedder that the settings ask for, or the best one that is there."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from hunch.embedding.builtin import BuiltinEmbedder
from hunch.embedding.host import endpoint, is_loopback
from hunch.errors import EmbedderUnavailable, ModelMissing

if TYPE_CHECKING:
    from hunch.config import Settings
    from hunch.embedding.base import Embedder

_KNOCK_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Chosen:
    """An embedder and, in one line, what could be better about it."""

    embedder: Embedder
    message: str = ""
    """For a person; empty when there is nothing to say."""


async def choose_embedder(settings: Settings) -> Chosen:
    """Open the embedder that `settings.embedder` names; `auto` takes Ollama if it is ready.

    Raises:
        ModelMissing: Ollama was asked for and does not have the model.
        EmbedderUnavailable: Ollama was asked for and does not answer.
    """
    if settings.embedder == "builtin":
        return Chosen(await _builtin())
    try:
        if settings.embedder == "auto" and not await _is_somebody_there(endpoint(settings)):
            raise EmbedderUnavailable("Ollama is not running.")
        # Importing httpx takes longer than the built-in embedder takes to answer.
        from hunch.embedding.ollama import connect  # noqa: PLC0415

        return Chosen(await connect(settings))
    except EmbedderUnavailable as problem:
        if settings.embedder != "auto":
            raise
        return Chosen(await _builtin(), _what_ollama_adds(problem, settings.ollama_model))


async def _builtin() -> BuiltinEmbedder:
    return await asyncio.to_thread(BuiltinEmbedder)


async def _is_somebody_there(url: str) -> bool:
    """Knock at a port of this machine; say yes for other machines, where a proxy may be between."""
    if not is_loopback(url):
        return True
    parts = urlsplit(url)
    try:
        async with asyncio.timeout(_KNOCK_SECONDS):
            _, writer = await asyncio.open_connection(parts.hostname, parts.port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True


def _what_ollama_adds(problem: EmbedderUnavailable, model: str) -> str:
    if isinstance(problem, ModelMissing):
        return f"Using the built-in embedder. {problem}"
    return (
        f"Using the built-in embedder. {problem} With it and its model {model},"
        " questions in plain words are answered better."
    )
