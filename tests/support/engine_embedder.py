"""An embedder that hashes words: deterministic, instant, and at the command of the test."""

from __future__ import annotations

import asyncio
import re
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from hunch.embedding.base import Embedded
from hunch.embedding.choose import Chosen
from hunch.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from hunch.config import Settings

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")


def word_vector(word: str, dimensions: int) -> NDArray[np.float32]:
    """Return a random vector that is always the same for a word."""
    seed = int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "little")
    return np.random.default_rng(seed).standard_normal(dimensions).astype(np.float32)


class HashingEmbedder:
    """Satisfies `Embedder`; a text's vector is the normalised sum of its words' vectors."""

    provider = "hashing"

    def __init__(self, *, dimensions: int = 64, batch_size: int = 8, model: str = "words") -> None:
        self.dimensions = dimensions
        self.batch_size = batch_size
        self.model = model
        self.fingerprint = f"hashing/{model}/{dimensions}"
        self.concurrency = 2
        self.asked: list[str] = []
        """Every text of a document that was to be embedded, in order."""
        self.made: list[str] = []
        """Those of them that were given a vector or refused."""
        self.refused: frozenset[str] = frozenset()
        """Texts that hold one of these strings fail."""
        self.answers = True
        """While not set, every call raises EmbedderUnavailable."""
        self.before_batch: Callable[[], object] = lambda: None
        """Called before each batch, when its texts are in `asked`."""
        self.open = asyncio.Event()
        """While not set, document batches wait."""
        self.open.set()
        self.closed = False

    async def choose(self, settings: Settings) -> Chosen:
        """Take the place of `choose_embedder`."""
        self.closed = False
        self._check()
        return Chosen(self)

    async def embed_documents(self, texts: Sequence[str]) -> Embedded:
        """Embed texts, or do what the test wants to see."""
        self.asked += texts
        self.before_batch()
        await self.open.wait()
        self._check()
        failures = {
            row: "the test refuses it"
            for row, text in enumerate(texts)
            if any(word in text for word in self.refused)
        }
        vectors = np.stack([self.vector(text) for text in texts])
        vectors[list(failures)] = 0
        self.made += texts
        return Embedded(vectors, failures)

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Embed a query like a document."""
        self._check()
        return self.vector(text)

    async def aclose(self) -> None:
        """Let the calls under way fail."""
        self.closed = True
        self.open.set()

    def vector(self, text: str) -> NDArray[np.float32]:
        """Return a text's vector, zero when it has no word."""
        total = np.zeros(self.dimensions, np.float32)
        for word in map(str.lower, _WORD.findall(text)):
            total += word_vector(word, self.dimensions)
        return total / max(float(np.linalg.norm(total)), 1e-9)

    def _check(self) -> None:
        if self.closed or not self.answers:
            raise EmbedderUnavailable("The embedder of the test does not answer.")
