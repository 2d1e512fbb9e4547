"""Documents, vectors and connections for tests of the store."""

from __future__ import annotations

import sqlite3
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hunch.model import Chunk, Definition, Kind, Position, Range, SymbolKind
from hunch.ranking.terms import count_terms
from hunch.store import documents, sources
from hunch.store.documents import NewDocument, Stamp
from hunch.store.migration import migrate
from hunch.store.postings import Postings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


class _Memory(sqlite3.Connection):
    """Closes itself when nobody holds it any more; Python 3.13 warns of those that do not."""

    def __del__(self) -> None:
        self.close()


def memory() -> sqlite3.Connection:
    """Open an empty index in memory, with the source 1; it lasts as long as it is held."""
    connection = sqlite3.connect(
        ":memory:", isolation_level=None, factory=_Memory, check_same_thread=False
    )
    connection.execute("PRAGMA foreign_keys = ON")
    migrate(connection)
    sources.ensure_source(connection, "workspace", Path("/project"), "project")
    return connection


def chunk(text: str, line: int = 0) -> Chunk:
    """Make a chunk of one line that defines its text."""
    place = Range(Position(line, 0), Position(line, 9))
    return Chunk(place, text, "", (Definition(text, SymbolKind.FUNCTION, line, text),))


def write(
    connection: sqlite3.Connection,
    files: Mapping[str, Sequence[tuple[str, Sequence[Sequence[int]]]]],
    source_id: int = 1,
) -> None:
    """Write documents as one change: path → (text, terms of each field) of each chunk."""
    counts, lengths = count_terms(fields for chunks in files.values() for _, fields in chunks)
    found: list[NewDocument] = []
    at = 0
    for path, chunks in files.items():
        found.append(
            NewDocument(
                path=path,
                stamp=Stamp(1, 2_000_000_000, b"h"),
                language="python",
                kind=Kind.CODE,
                chunks=[chunk(text, line) for line, (text, _) in enumerate(chunks)],
                text_hashes=[digest(text) for text, _ in chunks],
                lengths=lengths[at : at + len(chunks)],
            )
        )
        at += len(chunks)
    documents.write_documents(connection, source_id, found, Postings(*counts))
    touch(connection)


def touch(connection: sqlite3.Connection) -> None:
    """Note a change, as `Database.write` does."""
    connection.execute("UPDATE generation SET value = value + 1")


def digest(text: str) -> bytes:
    """Hash a text as content is hashed."""
    return blake2b(text.encode(), digest_size=16).digest()


def clustered(count: int, dimensions: int, *, clusters: int = 40) -> NDArray[np.float32]:
    """Return unit vectors around a common center and in clusters, as real ones lie."""
    generator = np.random.default_rng(dimensions)
    common = generator.standard_normal(dimensions)
    centers = generator.standard_normal((clusters, dimensions)) + common
    vectors = centers[generator.integers(clusters, size=count)]
    vectors = vectors + 0.7 * generator.standard_normal((count, dimensions))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors.astype(np.float32)
