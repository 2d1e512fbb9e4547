"""What the ranking knows of a chunk that may be a hit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hunch.model import Definition


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk with its raw scores."""

    document: int
    """Equal for chunks of one file, and for turns of one conversation."""
    text_id: int
    """Equal for chunks of the same text."""
    path: str
    is_prose: bool
    """Documentation, not code."""
    title: str
    definitions: tuple[Definition, ...]
    keyword: float
    """BM25F, 0 when the keyword retriever did not find it."""
    semantic: float
    """Cosine with the query; 0 when there is no vector."""
    age_days: float | None = None
    """Of a turn of a conversation; None for everything else."""
    is_here: bool = False
    """A conversation about one of the open folders."""
    mentions: bool = False
    """A conversation that names the place which is asked about."""

    @property
    def is_turn(self) -> bool:
        """Whether this is a turn of a conversation."""
        return self.age_days is not None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its final score and the reasons for it."""

    index: int
    """Of the candidate in the list that was ranked."""
    score: float
    """0..1."""
    signals: dict[str, float | bool]
    """`semantic` (cosine), `keyword` (BM25F), `definition`, `name` (the factor of names), `aside`
    (held back), `copies` (chunks of the same text that were left out), of conversations `here` and
    `mentions`; absent when they say nothing. The search adds `sourceGone` where the log was deleted.
    """
