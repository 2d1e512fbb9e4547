"""Static word vectors: the file they ship in and the arithmetic that makes a text's vector.

The file is an uncompressed `.npz` (so that loading is copying) with these arrays:

| name | dtype and shape | meaning |
| --- | --- | --- |
| `version` | int, scalar | version of this table; `VERSION` |
| `dimensions` | int, scalar | length of every vector |
| `fingerprint` | str, scalar | hash of the three arrays below |
| `vectors` | int8 (tokens, dimensions) | quantised vectors, a row a token |
| `scales` | float16 (tokens,) | what a row is multiplied by |
| `vocabulary` | uint8 | the tokens in row order, UTF-8, joined by line feeds |

The vector of a text is the sum of its distinct tokens' rows, each times 1 + ln(count), brought to
unit length.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from hunch.embedding.wordpiece import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

VERSION = 1
"""Version of the file format that this module reads and writes."""


class StaticModel:
    """The vectors in memory: a byte a dimension, a row a token. Used by one thread at a time."""

    def __init__(
        self, vectors: NDArray[np.int8], scales: NDArray[np.float16], vocabulary: Sequence[str]
    ) -> None:
        self._vectors = vectors
        self._scales = scales.astype(np.float32)
        self._tokenizer = Tokenizer(vocabulary)

    def embed(self, text: str) -> NDArray[np.float32]:
        """Return the text's vector: unit length, or all zero when no word is known."""
        counts = Counter(self._tokenizer.ids(text))
        tokens = np.fromiter(counts.keys(), np.intp, len(counts))
        weights = np.fromiter((1 + math.log(n) for n in counts.values()), np.float32, len(counts))
        rows = self._vectors[tokens].astype(np.float32)
        vector: NDArray[np.float32] = np.dot(weights * self._scales[tokens], rows)
        vector /= max(float(np.linalg.norm(vector)), 1e-9)
        return vector

    @property
    def dimensions(self) -> int:
        """Length of every vector."""
        return self._vectors.shape[1]

    def embed_all(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the texts' vectors, shape (texts, dimensions)."""
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self.embed(text)
        return vectors


def header(path: Path) -> tuple[str, int]:
    """Return the file's fingerprint and dimensions, without loading the vectors."""
    with np.load(path, allow_pickle=False) as arrays:
        return str(arrays["fingerprint"]), int(arrays["dimensions"])


def read(path: Path) -> StaticModel:
    """Load a file of static vectors.

    Raises:
        ValueError: the file has another version, or is no such file.
    """
    with np.load(path, allow_pickle=False) as arrays:
        if int(arrays["version"]) != VERSION:
            raise ValueError(f"static vectors of version {arrays['version']}, not {VERSION}")
        vocabulary = arrays["vocabulary"].tobytes().decode().split("\n")
        return StaticModel(arrays["vectors"], arrays["scales"], vocabulary)


def write(
    path: Path,
    vectors: NDArray[np.int8],
    scales: NDArray[np.float16],
    vocabulary: Sequence[str],
) -> None:
    """Write a file of static vectors; equal arrays have equal fingerprints."""
    words = np.frombuffer("\n".join(vocabulary).encode(), np.uint8)
    digest = hashlib.blake2b(digest_size=8)
    for array in (vectors, scales, words):
        digest.update(array.tobytes())
    np.savez(
        path,
        version=np.array(VERSION),
        dimensions=np.array(vectors.shape[1]),
        fingerprint=np.array(digest.hexdigest()),
        vectors=vectors,
        scales=scales,
        vocabulary=words,
    )
