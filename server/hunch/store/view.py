"""What a search sees: a snapshot of the index with the open documents laid over it.

Chunks of both are counted in one row of slots, the stored ones first. Stored versions of open
documents stay in the arrays and are named by `hidden`, so that laying over copies little.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from hunch.store import chunks, postings, vectors
from hunch.store.chunks import ChunkHead
from hunch.store.snapshot import Documents

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from hunch.model import Chunk, Kind, Source
    from hunch.store.snapshot import Snapshot

T = TypeVar("T", bound="np.generic[Any]")


@dataclass(frozen=True, eq=False)
class Overlay:
    """One open document as it is on the screen, cut and counted like one that is stored."""

    uri: str
    """The client's own name of the document."""
    source: Source
    path: str
    """Relative to the source's root, with forward slashes."""
    language: str
    kind: Kind
    chunks: tuple[Chunk, ...]
    terms: postings.Postings
    """Of all chunks, numbered from 0."""
    lengths: NDArray[np.uint16]
    """Shape (chunks, postings.FIELDS): terms in each field."""
    text_ids: NDArray[np.int64]
    """Shape (chunks,): of the stored text where there is the same one, else a negative number."""
    vectors: NDArray[np.float32]
    """Shape (chunks, dimensions): zero rows for what is not embedded yet."""
    changed: float
    """Seconds since 1970."""


class View:
    """A snapshot and the overlays on it; cheap to make, immutable."""

    def __init__(self, stored: Snapshot, overlays: Sequence[Overlay] = ()) -> None:
        self.stored = stored
        self.overlays = tuple(overlays)
        counts = (len(overlay.chunks) for overlay in self.overlays)
        self._firsts = list(accumulate(counts, initial=len(stored)))
        self.documents = _joined(stored.documents, self.overlays)
        """Stored ones first, then one for each overlay."""
        self.sources: Mapping[int, Source] = {
            **stored.sources,
            **{overlay.source.id: overlay.source for overlay in self.overlays},
        }

    def __len__(self) -> int:
        """Count the chunks."""
        return self._firsts[-1]

    @cached_property
    def document_of(self) -> NDArray[np.int32]:
        """Index of each chunk's document in `documents`; shape (n,)."""
        first = len(self.stored.documents.paths)
        counts = [len(overlay.chunks) for overlay in self.overlays]
        own = np.repeat(np.arange(first, first + len(counts), dtype=np.int32), counts)
        return _with(self.stored.document_of, own)

    @cached_property
    def text_ids(self) -> NDArray[np.int64]:
        """Equal for chunks of the same text; shape (n,)."""
        return _with(self.stored.text_ids, *(overlay.text_ids for overlay in self.overlays))

    @cached_property
    def lengths(self) -> NDArray[np.uint16]:
        """Terms in each field; shape (n, postings.FIELDS)."""
        return _with(self.stored.lengths, *(overlay.lengths for overlay in self.overlays))

    @property
    def mean_lengths(self) -> NDArray[np.float32]:
        """Mean number of terms in each field, at least 1; shape (FIELDS,)."""
        return self.stored.mean_lengths

    @cached_property
    def hidden(self) -> NDArray[np.intp]:
        """The stored versions of open documents, as indices into `documents`."""
        hidden = set[tuple[int, str]]()
        for overlay in self.overlays:
            place = overlay.source.root / overlay.path
            hidden |= {
                (source.id, place.relative_to(source.root).as_posix())
                for source in self.stored.sources.values()
                if place.is_relative_to(source.root)
            }
        paths = {path for _, path in hidden}
        stored = self.stored.documents
        found = (i for i, path in enumerate(stored.paths) if path in paths)
        return np.array(
            [i for i in found if (int(stored.sources[i]), stored.paths[i]) in hidden], np.intp
        )

    def overlay_of(self, document: int) -> Overlay | None:
        """Return the overlay that is a document of `documents`; None for a stored one."""
        at = document - len(self.stored.documents.paths)
        return self.overlays[at] if at >= 0 else None

    def place_of(self, document: int) -> Path:
        """Return where a document of `documents` lies."""
        root = self.sources[int(self.documents.sources[document])].root
        return root / self.documents.paths[document]

    # Reading by slot

    def read_term(
        self, connection: sqlite3.Connection, segments: Sequence[int], term: int
    ) -> tuple[NDArray[np.intp], NDArray[np.uint8]]:
        """Return the slots that hold a term, in no order, and their counts (n, FIELDS)."""
        ids, counts = postings.read_term(connection, segments, term)
        slots, present = self.stored.slots(ids)
        every_slot, every_count = [slots[present]], [counts[present]]
        for overlay, first in zip(self.overlays, self._firsts, strict=False):
            own, own_counts = overlay.terms.of(term)
            every_slot.append(own.astype(np.intp) + first)
            every_count.append(own_counts)
        return np.concatenate(every_slot), np.concatenate(every_count)

    def read_heads(
        self, connection: sqlite3.Connection, slots: NDArray[np.intp]
    ) -> dict[int, ChunkHead]:
        """Return the heads of some chunks by slot; those that are gone are left out."""
        heads = {slot: _head(chunk) for slot, chunk in self._own(slots)}
        stored = slots[slots < len(self.stored)]
        ids = self.stored.chunk_ids[stored].tolist()
        read = chunks.read_heads(connection, ids)
        found = zip(stored.tolist(), ids, strict=True)
        return heads | {slot: read[i] for slot, i in found if i in read}

    def read_texts(self, connection: sqlite3.Connection, slots: Sequence[int]) -> dict[int, str]:
        """Return the display texts of some chunks by slot; those that are gone are left out."""
        texts = {slot: chunk.text for slot, chunk in self._own(np.array(slots, np.intp))}
        ids = {slot: int(self.stored.chunk_ids[slot]) for slot in slots if slot < len(self.stored)}
        read = chunks.read_texts(connection, [*ids.values()])
        return texts | {slot: read[i] for slot, i in ids.items() if i in read}

    def read_cosines(
        self, connection: sqlite3.Connection, slots: NDArray[np.intp], query: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Return the cosine of each slot's vector with a query, 0 where there is no vector.

        Args:
            connection: a reader.
            slots: shape (n,), ascending.
            query: shape (dimensions,), unit length.
        """
        index = self.stored.vectors
        cosines = np.zeros(len(slots), np.float32)
        stored = int(np.searchsorted(slots, len(self.stored)))
        if index is not None and stored:
            text_ids = self.stored.text_ids[slots[:stored]].tolist()
            read = vectors.read_vectors(connection, index.embedder_id, text_ids, index.dimensions)
            cosines[:stored] = read @ query
        for overlay, first in zip(self.overlays, self._firsts, strict=False):
            start, end = np.searchsorted(slots, [first, first + len(overlay.chunks)])
            if overlay.vectors.shape[1] == len(query):
                cosines[start:end] = overlay.vectors[slots[start:end] - first] @ query
        return cosines

    def _own(self, slots: NDArray[np.intp]) -> Iterator[tuple[int, Chunk]]:
        """Yield those slots that are of overlays, with their chunks."""
        for slot in slots[slots >= len(self.stored)].tolist():
            at = bisect_right(self._firsts, slot) - 1
            yield slot, self.overlays[at].chunks[slot - self._firsts[at]]


def _head(chunk: Chunk) -> ChunkHead:
    return ChunkHead(0, chunk.title, chunk.range, chunk.definitions)


def _joined(stored: Documents, overlays: Sequence[Overlay]) -> Documents:
    if not overlays:
        return stored
    return Documents(
        ids=_with(stored.ids, np.zeros(len(overlays), np.int64)),
        sources=_with(stored.sources, np.array([o.source.id for o in overlays], np.int64)),
        paths=[*stored.paths, *(overlay.path for overlay in overlays)],
        languages=_with(stored.languages, np.array([o.language for o in overlays], np.str_)),
        kinds=_with(stored.kinds, np.array([o.kind.value for o in overlays], np.str_)),
        mtimes=_with(stored.mtimes, np.array([o.changed for o in overlays], np.float64)),
    )


def _with(stored: NDArray[T], *more: NDArray[T]) -> NDArray[T]:
    return np.concatenate([stored, *more]) if more else stored
