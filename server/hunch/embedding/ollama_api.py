"""The few calls of Ollama's HTTP interface that Hunch makes, with its failures sorted.

A failure is either about the texts sent (`Refused`: other texts may do), or about the server
(`EmbedderUnavailable`: later may do). Ollama answers 400 or 500 to both a text that it cannot embed
and a crash of its runner, so a plain 500 to several texts counts as refused; sending fewer is the
retry. Messages of the server are not passed on, because they may quote what was sent.
"""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any, cast

import httpx

from hunch.embedding import vectors
from hunch.embedding.host import is_loopback
from hunch.embedding.models import full_name
from hunch.errors import EmbedderUnavailable, ModelMissing

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

_CONNECT_SECONDS = 1.0
_PROBE_SECONDS = 3.0
_EMBED_SECONDS = 120.0
"""One answer; the first one waits until the model is loaded."""
_RETRIES = 3
BACKOFF_SECONDS = 0.25
"""Before the first retry."""
_TOO_LONG = ("context", "input length", "too long", "too large", "exceed")
_NO_VECTOR = ("value: nan", "nan or inf")
_ABOUT_TEXTS = frozenset({400, 413, 422, 500})


class Refused(Exception):
    """The server will not embed these texts; `str()` is a clause for a person."""


class OllamaApi:
    """An open connection to one Ollama.

    Args:
        url: its base URL.
        backoff: seconds before the first retry, doubled for every other.
        patience: seconds to wait for one answer.
    """

    def __init__(
        self, url: str, *, backoff: float = BACKOFF_SECONDS, patience: float = _EMBED_SECONDS
    ) -> None:
        self._backoff = backoff
        try:
            self._http = httpx.AsyncClient(
                base_url=url,
                trust_env=not is_loopback(url),
                timeout=httpx.Timeout(patience, connect=_CONNECT_SECONDS),
            )
        except (httpx.InvalidURL, ValueError) as error:
            raise EmbedderUnavailable("The address of Ollama is not a valid URL.") from error

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def digest(self, model: str) -> str:
        """Return the digest of a model that the server has, in hexadecimal.

        Raises:
            ModelMissing: the server does not have it.
            EmbedderUnavailable: no Ollama answers.
        """
        try:
            response = await self._http.get("/api/tags", timeout=_PROBE_SECONDS)
            response.raise_for_status()
            models = cast("list[dict[str, Any]]", response.json()["models"])
            digests = {str(m["name"]).lower(): str(m["digest"]) for m in models}
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise EmbedderUnavailable("Ollama does not answer.") from error
        except (ValueError, KeyError, TypeError) as error:
            raise EmbedderUnavailable("What answers there is not Ollama.") from error
        found = digests.get(full_name(model).lower())
        if found is None:
            raise missing(model)
        return found.removeprefix("sha256:")

    async def embed(
        self, model: str, texts: Sequence[str], *, dimensions: int | None, retries: int = _RETRIES
    ) -> list[NDArray[np.float32] | str]:
        """Embed texts as they are, in one request.

        Args:
            model: its full name.
            texts: one or more.
            dimensions: length that every vector must have; `None` takes any.
            retries: how often to ask again when the server is busy or cannot be reached.

        Returns:
            For each text its unit vector, or a clause that says why the one received is none.

        Raises:
            Refused: the server will not embed them.
            ModelMissing: the server no longer has the model.
            EmbedderUnavailable: the server does not answer, or answers something else.
        """
        response = await self._post({"model": model, "input": list(texts)}, len(texts), retries)
        _judge(response, model)
        try:
            return await asyncio.to_thread(
                vectors.parse, response.content, texts=len(texts), dimensions=dimensions
            )
        except ValueError as error:
            raise EmbedderUnavailable("Ollama's answer is not understood.") from error

    async def _post(self, body: dict[str, Any], texts: int, retries: int) -> httpx.Response:
        """Send a request until the server has an opinion on it."""
        problem = "Ollama does not answer."
        for attempt in range(retries + 1):
            if attempt:
                await asyncio.sleep(self._backoff * 2 ** (attempt - 1) * random.uniform(0.5, 1))  # noqa: S311 -- jitter is no secret
            try:
                response = await self._http.post("/api/embed", json=body)
            except httpx.ReadTimeout as error:
                if texts > 1:
                    raise Refused("the model takes too long for it") from error
                raise EmbedderUnavailable("Ollama takes too long to answer.") from error
            except httpx.TransportError:
                continue
            crashed_again = response.status_code == 500 and attempt > 0
            if crashed_again or not _may_pass(response, texts):
                return response
            problem = f"Ollama is busy or failing (status {response.status_code})."
        raise EmbedderUnavailable(problem)


def _may_pass(response: httpx.Response, texts: int) -> bool:
    """Say whether the same request may be answered better in a moment."""
    if response.status_code == 500:
        message = _message(response)
        return texts == 1 and not any(sign in message for sign in (*_TOO_LONG, *_NO_VECTOR))
    return response.status_code == 429 or response.status_code > 501


def _judge(response: httpx.Response, model: str) -> None:
    """Raise what the answer means, unless it means success."""
    if response.is_success:
        return
    message = _message(response)
    if response.status_code == 404 and "model" in message:
        raise missing(model)
    if "not support embed" in message:
        raise EmbedderUnavailable(f"The model {model} cannot make embeddings.")
    if response.status_code not in _ABOUT_TEXTS:
        raise EmbedderUnavailable(f"Ollama answered with status {response.status_code}.")
    if any(sign in message for sign in _NO_VECTOR):
        raise Refused("the model makes no finite vector of it")
    if any(sign in message for sign in _TOO_LONG):
        raise Refused("it is too long for the model")
    raise Refused(f"Ollama refused it (status {response.status_code})")


def _message(response: httpx.Response) -> str:
    """Return the server's own words in lower case, to be looked at but not passed on."""
    return response.text[:2_000].lower()


def missing(model: str) -> ModelMissing:
    """Say that a model is missing and how to get it."""
    name = model.removesuffix(":latest")
    return ModelMissing(f"Ollama does not have the model {name}. Get it with: ollama pull {name}")
