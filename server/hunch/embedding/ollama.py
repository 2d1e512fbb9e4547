"""The embedder that asks Ollama."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from hunch.embedding.base import Embedded
from hunch.embedding.host import endpoint
from hunch.embedding.models import INPUT_FORMAT, cut_to_tokens, full_name, profile_of
from hunch.embedding.ollama_api import BACKOFF_SECONDS, OllamaApi, Refused
from hunch.embedding.turns import Turns
from hunch.errors import EmbedderUnavailable, ModelChanged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hunch.config import Settings

_CUTS = 4
"""How often a refused text is halved before it is given up."""
_SHORTEST = 16
"""Characters below which a beginning says nothing of its text."""
_HARMLESS = "hunch"
"""A text that every working model can embed."""


async def connect(settings: Settings, *, backoff: float = BACKOFF_SECONDS) -> OllamaEmbedder:
    """Find the model on the configured Ollama and learn how long its vectors are.

    The first answer may take as long as loading the model takes.

    Args:
        settings: where Ollama is, and which model to use.
        backoff: seconds before the first retry, doubled for every other.

    Raises:
        ModelMissing: Ollama does not have the model.
        EmbedderUnavailable: no Ollama answers, or the model makes no embeddings.
    """
    api = OllamaApi(endpoint(settings), backoff=backoff)
    model = full_name(settings.ollama_model)
    try:
        digest = await api.digest(model)
        [vector] = await api.embed(model, [_HARMLESS], dimensions=None)
    except Refused as refusal:
        await api.aclose()
        raise EmbedderUnavailable(f"The model {model} makes no embeddings.") from refusal
    except BaseException:
        await api.aclose()
        raise
    if isinstance(vector, str):
        await api.aclose()
        raise EmbedderUnavailable(f"The model {model} makes no usable embeddings.")
    return OllamaEmbedder(api, settings, digest, vector.size)


class OllamaEmbedder:
    """Embeds with a model that Ollama runs; made by `connect`.

    Ollama may be given another model of the same name at any time. After every answer it is asked
    which one it has, so that no vector is returned whose fingerprint is another one's.
    """

    provider = "ollama"

    def __init__(self, api: OllamaApi, settings: Settings, digest: str, dimensions: int) -> None:
        self.model = full_name(settings.ollama_model)
        self.dimensions = dimensions
        self.batch_size = settings.ollama_batch_size
        self.concurrency = settings.ollama_concurrency
        self._profile = profile_of(self.model)
        self._digest = digest
        self.fingerprint = _fingerprint(self.model, digest, dimensions)
        self._api = api
        self._turns = Turns(settings.ollama_concurrency)

    async def embed_documents(self, texts: Sequence[str]) -> Embedded:
        """Embed texts of the index in requests of `batch_size`, one after the other.

        A request that is refused is halved until the text is found that is to blame. That text is
        cut smaller and tried again; if it still fails, it is a failure of its own.

        Raises:
            EmbedderUnavailable: Ollama does not answer, or embeds nothing at all.
            ModelMissing: Ollama no longer has the model.
            ModelChanged: Ollama has another one of that name; this embedder is of no use any more.
        """
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        failures: dict[int, str] = {}
        prepared = [self._bounded(text, self._profile.document_prefix) for text in texts]
        for start in range(0, len(texts), self.batch_size):
            rows = await self._embed(prepared[start : start + self.batch_size])
            for number, row in enumerate(rows, start):
                if isinstance(row, str):
                    failures[number] = row
                else:
                    vectors[number] = row
        await self._refuse_another_model()
        return Embedded(vectors, failures)

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Embed a query, before any document that has not been sent yet.

        Raises:
            EmbedderUnavailable: there is no vector of this query, or of any.
            ModelMissing: Ollama no longer has the model.
            ModelChanged: Ollama has another one of that name; this embedder is of no use any more.
        """
        prefix = self._profile.query_prefix
        prepared = prefix + self._bounded(text, prefix)
        async with self._turns.query():
            try:
                [row] = await self._api.embed(
                    self.model, [prepared], dimensions=self.dimensions, retries=1
                )
            except Refused as refusal:
                raise EmbedderUnavailable("Ollama cannot embed this query.") from refusal
        await self._refuse_another_model()
        if isinstance(row, str):
            raise EmbedderUnavailable("Ollama cannot embed this query.")
        return row

    async def aclose(self) -> None:
        """Close the connections to Ollama."""
        await self._api.aclose()

    async def _refuse_another_model(self) -> None:
        if await self._api.digest(self.model) != self._digest:
            raise ModelChanged(f"The model {self.model} was replaced by another one.")

    def _bounded(self, text: str, prefix: str) -> str:
        """Cut a text to what the model can read after the prefix."""
        room = self._profile.max_tokens - len(prefix) // 4 - 2
        return cut_to_tokens(text.encode("utf-8", "replace").decode(), room)

    async def _send(self, texts: Sequence[str]) -> list[NDArray[np.float32] | str]:
        inputs = [self._profile.document_prefix + text for text in texts]
        async with self._turns.documents():
            return await self._api.embed(self.model, inputs, dimensions=self.dimensions)

    async def _embed(self, texts: Sequence[str]) -> list[NDArray[np.float32] | str]:
        try:
            rows = await self._send(texts)
        except Refused as refusal:
            if len(texts) == 1:
                return [await self._embed_smaller(texts[0], str(refusal))]
            middle = len(texts) // 2
            return [*await self._embed(texts[:middle]), *await self._embed(texts[middle:])]
        return [
            await self._embed_smaller(text, row) if isinstance(row, str) else row
            for text, row in zip(texts, rows, strict=True)
        ]

    async def _embed_smaller(self, text: str, reason: str) -> NDArray[np.float32] | str:
        """Embed a beginning of a text that was refused, or return why that cannot be done."""
        beginning = text
        for _ in range(_CUTS):
            beginning = beginning[: len(beginning) // 2]
            if len(beginning) < _SHORTEST:
                break
            row = await self._try(beginning)
            if not isinstance(row, str):
                return row
            reason = row
        harmless = await self._try(_HARMLESS)
        if isinstance(harmless, str):
            await self._refuse_another_model()
            raise EmbedderUnavailable("Ollama answers, but embeds nothing.")
        # Ollama may have come to its senses only since: a text is blamed for what it does now.
        row = await self._try(text)
        return reason if isinstance(row, str) else row

    async def _try(self, text: str) -> NDArray[np.float32] | str:
        try:
            [row] = await self._send([text])
        except Refused as refusal:
            return str(refusal)
        return row


def _fingerprint(model: str, digest: str, dimensions: int) -> str:
    profile = blake2b(repr(profile_of(model)).encode(), digest_size=4).hexdigest()
    return f"ollama/{model}/{digest[:12]}/{dimensions}/{profile}/{INPUT_FORMAT}"
