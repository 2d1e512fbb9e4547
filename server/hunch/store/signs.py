"""Sign bits of vectors: a hundred bytes that tell nearly all of a cosine.

A vector x is centred, turned by fixed random rotations, and of each coordinate only the sign is
kept. For two vectors the share of signs that differ estimates their angle (Goemans and Williamson,
"Improved approximation algorithms for maximum cut", 1995; Charikar, "Similarity estimation
techniques from rounding algorithms", 2002):

    q·x  =  q·mu + mu·(x − mu) + (q − mu)·(x − mu)
         ≈  const + mu·x + |q − mu| |x − mu| cos(pi · differing / bits)

Two scalars a vector, `mu·x` and `|x − mu|`, make the estimate good enough to choose candidates,
which are then scored exactly. Short vectors are turned by several rotations, since the error falls
with the square root of the number of bits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MIN_BITS = 768
"""Vectors shorter than this are turned by as many rotations as it takes to have so many bits."""

_SLICE = 32_768
"""Vectors scanned at once: their bits stay in the processor's cache."""


@dataclass(frozen=True, slots=True)
class Signs:
    """The codes of n vectors."""

    bits: NDArray[np.uint64]
    """Shape (words, n): word-major, so that a scan reads memory in order."""
    scalars: NDArray[np.float32]
    """Shape (2, n): `mu·x` and `|x − mu|`."""

    def __len__(self) -> int:
        """Count the vectors."""
        return self.bits.shape[1]

    def take(self, part: slice | NDArray[np.intp]) -> Signs:
        """Return the codes of some of the vectors."""
        return Signs(self.bits[:, part], self.scalars[:, part])


@dataclass(frozen=True)
class SignCode:
    """How vectors of one embedder are coded."""

    center: NDArray[np.float32]
    """mu, shape (dimensions,): about the mean of the vectors."""
    _rotation: NDArray[np.float32] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_rotation", _rotation(len(self.center)))

    def encode(self, vectors: NDArray[np.float32]) -> Signs:
        """Code vectors of shape (n, dimensions)."""
        centred = vectors - self.center
        positive = (centred @ self._rotation) > 0
        packed = np.packbits(positive, axis=1, bitorder="little")
        bits = np.ascontiguousarray(packed.view("<u8").T)
        scalars = np.stack([vectors @ self.center, np.linalg.norm(centred, axis=1)])
        return Signs(bits, scalars.astype(np.float32))

    def estimate(
        self, query: NDArray[np.float32], signs: Signs, columns: NDArray[np.intp] | None = None
    ) -> NDArray[np.float32]:
        """Estimate the dot products of `query` with the coded vectors, up to a constant.

        Args:
            query: shape (dimensions,).
            signs: the codes.
            columns: which vectors to look at, or None for all.

        Returns:
            Shape (n,) or that of `columns`.
        """
        code = self.encode(query[None, :])
        words, count = signs.bits.shape[0], len(signs) if columns is None else len(columns)
        angles = np.linspace(0, np.pi, words * 64 + 1, dtype=np.float32)
        table = np.cos(angles) * code.scalars[1, 0]
        result = np.empty(count, np.float32)
        for start in range(0, count, _SLICE):
            part = (
                slice(start, start + _SLICE) if columns is None else columns[start : start + _SLICE]
            )
            differing = _hamming(signs.bits[:, part], code.bits)
            scalars = signs.scalars[:, part]
            result[start : start + _SLICE] = table.take(differing) * scalars[1] + scalars[0]
        return result


def _hamming(bits: NDArray[np.uint64], query: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """Count the bits in which each column of (words, n) differs from the one of (words, 1)."""
    total = np.zeros(bits.shape[1], np.uint16)
    for start in range(0, len(bits), 3):  # three counts of up to 64 fit a byte
        part = np.bitwise_count(bits[start] ^ query[start])
        for word in range(start + 1, min(start + 3, len(bits))):
            part += np.bitwise_count(bits[word] ^ query[word])
        total += part
    return total


def join(parts: list[Signs], words: int) -> Signs:
    """Put codes side by side; `words` is the width when there are none."""
    if not parts:
        return Signs(np.empty((words, 0), np.uint64), np.empty((2, 0), np.float32))
    return Signs(
        np.concatenate([part.bits for part in parts], axis=1),
        np.concatenate([part.scalars for part in parts], axis=1),
    )


def words_of(dimensions: int) -> int:
    """Return how many 64-bit words a code of such a vector has."""
    return _rotations(dimensions) * dimensions // 64 + bool(
        _rotations(dimensions) * dimensions % 64
    )


def _rotations(dimensions: int) -> int:
    return max(1, -(-MIN_BITS // dimensions))


@lru_cache(maxsize=4)
def _rotation(dimensions: int) -> NDArray[np.float32]:
    """Return random orthonormal bases side by side, (dimensions, words · 64).

    The seed is part of the format: a stored code is only good with the same rotation. Columns
    beyond the last whole basis are zero, so their bits never differ.
    """
    generator = np.random.Generator(np.random.PCG64(20_261_130))
    width = words_of(dimensions) * 64
    bases = np.zeros((dimensions, width), np.float32)
    for i in range(_rotations(dimensions)):
        basis, _ = np.linalg.qr(generator.standard_normal((dimensions, dimensions)))
        bases[:, i * dimensions : (i + 1) * dimensions] = basis
    return bases
