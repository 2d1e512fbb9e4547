"""The embedder that needs nothing: static code vectors that ship inside the package."""

from __future__ import annotations

import asyncio
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from hunch.embedding import static_model
from hunch.embedding.base import Embedded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MODEL = Path(__file__).parent / "data" / "static-v1.npz"
"""The vectors that ship with Hunch."""
_AT_ONCE = 64
"""Texts embedded in one go: some ten milliseconds' work."""
_INPUT_FORMAT = 2
"""Raised whenever the same text and file would give another vector than before."""


class BuiltinEmbedder:
    """Embeds on this machine's processor, in threads; loads its vectors on first use.

    Making one reads the file's header, a millisecond's work.
    """

    provider = "builtin"
    batch_size = 256
    concurrency = 1

    def __init__(self, path: Path = MODEL) -> None:
        digest, self.dimensions = static_model.header(path)
        self.model = path.stem
        self.fingerprint = f"builtin/{self.model}/{digest}/{_INPUT_FORMAT}"
        self._path = path
        self._loaded: static_model.StaticModel | None = None
        self._lock = Lock()

    async def embed_documents(self, texts: Sequence[str]) -> Embedded:
        """Embed texts a few at a time, so that a query waits for a few at most.

        A text of which no word is known has a zero vector, which is no failure: nothing that
        anybody could do would give it another, and it is found by its words.
        """
        parts = [texts[i : i + _AT_ONCE] for i in range(0, len(texts), _AT_ONCE)]
        blocks = [await asyncio.to_thread(self._embed, part) for part in parts]
        vectors = np.concatenate(blocks) if blocks else np.empty((0, self.dimensions), np.float32)
        return Embedded(vectors)

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Embed a query; all zero when no word of it is known."""
        vectors = await asyncio.to_thread(self._embed, [text])
        return vectors[0]

    async def aclose(self) -> None:
        """Let go of the vectors; the next use loads them again."""
        self._loaded = None

    def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        with self._lock:
            if self._loaded is None:
                self._loaded = static_model.read(self._path)
            return self._loaded.embed_all(texts)
