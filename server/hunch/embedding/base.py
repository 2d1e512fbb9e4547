"""What an embedder is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Embedded:
    """The vectors of one batch of texts."""

    vectors: NDArray[np.float32]
    """Shape (texts, dimensions); every row has unit length, or is zero where the
    text failed or holds nothing that the model knows."""
    failures: dict[int, str] = field(default_factory=dict[int, str])
    """Row → why that text has no vector: a clause for a person, without the text."""


class Embedder(Protocol):
    """Makes vectors. All methods run on the event loop and never block it."""

    @property
    def provider(self) -> str:
        """`ollama` or `builtin`."""
        ...

    @property
    def model(self) -> str:
        """The model's name, as a person knows it."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of every vector."""
        ...

    @property
    def fingerprint(self) -> str:
        """Names everything that changes the vectors: model, digest, width, prefixes, input format."""
        ...

    @property
    def batch_size(self) -> int:
        """How many texts `embed_documents` likes at once."""
        ...

    @property
    def concurrency(self) -> int:
        """How many calls of `embed_documents` may run at once to good effect."""
        ...

    async def embed_documents(self, texts: Sequence[str]) -> Embedded:
        """Embed texts of the index, any number, any length; too long ones are cut.

        Raises:
            EmbedderUnavailable: no vector can be had now; try again later.
        """
        ...

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Embed a query: shape (dimensions,), unit length, or all zero if no word is known.

        Goes before documents that wait.

        Raises:
            EmbedderUnavailable: no vector can be had now.
        """
        ...

    async def aclose(self) -> None:
        """Release connections; calls under way fail."""
        ...
