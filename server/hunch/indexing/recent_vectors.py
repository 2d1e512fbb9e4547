"""Vectors of what stands, or stood a moment ago, in open documents; by content, in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hunch.indexing.planning import hash_of_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from hunch.embedding.base import Embedded

SPARE = 4_000
"""Vectors that are kept for texts that may come back, as they do with undo, redo and saving."""


class RecentVectors:
    """The vectors of one embedder at a time."""

    def __init__(self) -> None:
        self.fingerprint: str | None = None
        """Of the embedder that made them."""
        self._vectors: dict[bytes, NDArray[np.float32]] = {}
        self._failed: set[bytes] = set()

    def use(self, fingerprint: str | None) -> bool:
        """Keep vectors of this embedder from now on; tells whether it is another one."""
        if fingerprint == self.fingerprint:
            return False
        self.fingerprint = fingerprint
        self._vectors.clear()
        self._failed.clear()
        return True

    def lacks(self, text_hash: bytes) -> bool:
        """Tell whether a text has not been embedded yet, nor failed to be."""
        return text_hash not in self._vectors and text_hash not in self._failed

    def add(self, known: Mapping[bytes, NDArray[np.float32]]) -> None:
        """Take vectors over, by the hash of their texts."""
        self._vectors |= known

    def take(self, hashes: Sequence[bytes], made: Embedded) -> None:
        """Take what the embedder made of some texts; row i belongs to hash i."""
        self._failed |= {hashes[row] for row in made.failures}
        rows = enumerate(zip(hashes, made.vectors, strict=True))
        self._vectors |= {h: vector for row, (h, vector) in rows if row not in made.failures}

    def rows(self, hashes: Sequence[bytes], dimensions: int) -> NDArray[np.float32]:
        """Return the vectors of some texts, shape (n, dimensions); zero where there is none."""
        rows = np.zeros((len(hashes), dimensions), np.float32)
        for row, text_hash in enumerate(hashes):
            if text_hash in self._vectors:
                rows[row] = self._vectors[text_hash]
        return rows

    def recall(self, fingerprint: str, text: str) -> NDArray[np.float32] | None:
        """Return the vector that an embedder made of an embedding text; None when it is not here."""
        return self._vectors.get(hash_of_text(text)) if fingerprint == self.fingerprint else None

    def forget(self, needed: AbstractSet[bytes]) -> None:
        """Let the oldest vectors go that are not needed, all but `SPARE` of them."""
        spare = [text_hash for text_hash in self._vectors if text_hash not in needed]
        for text_hash in spare[: max(len(spare) - SPARE, 0)]:
            del self._vectors[text_hash]
