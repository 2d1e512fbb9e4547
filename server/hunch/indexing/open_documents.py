"""The documents that the client has open, kept as overlays on the index.

Only what differs from its saved version becomes an overlay. A change is cut in the background, at
once if a search waits for it, else when the typing pauses; what is new in it is embedded when it
has been quiet for longer. Nothing of it is written anywhere.
"""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hunch.errors import EmbedderUnavailable, HunchError
from hunch.indexing.recent_vectors import RecentVectors
from hunch.languages import kind_of, language_of
from hunch.model import Source
from hunch.sources import content, folder
from hunch.sources.rules import reason_to_skip
from hunch.store import documents, sources, vectors
from hunch.store.documents import Stamp
from hunch.store.postings import FIELDS, Postings
from hunch.store.view import Overlay
from hunch.text import embedding_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from hunch.config import Settings
    from hunch.embedding.active import ActiveEmbedder
    from hunch.indexing.planner import Planner
    from hunch.model import Chunk
    from hunch.store.database import Database
    from hunch.store.documents import NewDocument

log = logging.getLogger(__name__)

PATIENCE = 1.0
"""Seconds that a search waits for changes to be cut before it takes what was there before them."""
_PAUSE, _SHARE = 0.2, 4
"""Seconds between two cuts of one burst of changes: so many, and so many times what a cut takes."""
_QUIET = 0.6
"""Seconds without a change before what is new is embedded."""
_RETRY = 10.0
"""Seconds before an embedder that did not answer is asked again."""
_LOOSE = Source(0, "workspace", "open documents", Path(Path.cwd().anchor))
"""Where documents belong that lie in no folder of the index, or nowhere at all."""
_NO_TERMS = Postings(
    np.empty(0, np.int64),
    np.zeros(1, np.int64),
    np.empty(0, np.uint32),
    np.empty((0, FIELDS), np.uint8),
)


@dataclass(eq=False)
class _Document:
    """One open document."""

    uri: str
    path: Path | None
    """The real path; of a cell, that of its notebook."""
    name: str
    """What its language is told by, and how it is called if it has no path."""
    read: Callable[[], str]
    version: int = 1
    """Counts the changes."""
    cut: int = 0
    """The version that `overlay` was made of."""
    checked: bool = False
    """Whether `overlay` was compared with the index since that last changed."""
    changed: float = 0.0
    """When the last change came, in seconds since 1970."""
    hash: bytes = b""
    """Of the version that was cut, as `documents.hash`."""
    hashes: Sequence[bytes] = ()
    """Of the embedding text of each chunk of the overlay."""
    overlay: Overlay | None = None

    @property
    def is_fresh(self) -> bool:
        """Whether there is nothing to do."""
        return self.cut == self.version and self.checked


class OpenDocuments:
    """Knows every open document. All methods are called on the event loop."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        embedder: ActiveEmbedder,
        *,
        planner: Planner,
        roots: Collection[Path],
        running: asyncio.Event,
    ) -> None:
        """Prepare the service; `loop` does the work.

        Args:
            settings: the size limit is taken from them.
            database: which stored versions there are, and which vectors.
            embedder: the one in use.
            planner: cuts documents and counts their terms.
            roots: the open folders of the index, as they change.
            running: while it is not set, nothing is embedded.
        """
        self._settings = settings
        self._database = database
        self._embedder = embedder
        self._planner = planner
        self._roots = roots
        self._running = running
        self._documents: dict[str, _Document] = {}
        self.vectors = RecentVectors()
        """Of what is open; what is saved need not be embedded again."""
        self._pause = _PAUSE
        self._wanted = asyncio.Event()
        self._hurry = asyncio.Event()
        self._passed = asyncio.Event()
        self._embed_wanted = asyncio.Event()

    def open(self, uri: str, path: Path | None, read: Callable[[], str], *, name: str = "") -> None:
        """Take in a document that was opened.

        Args:
            uri: the client's name of it.
            path: its real path, which need not exist; None when it is no file.
            read: returns its text at the moment of the call; called on the event loop.
            name: a file name that tells its language; that of the path if not given.
        """
        called = name or (path.name if path else uri)
        self._documents[uri] = _Document(uri, path, called, read, changed=time.time())
        self._want()

    def change(self, uri: str) -> None:
        """Take note that an open document has another text now."""
        document = self._documents.get(uri)
        if document is not None:
            document.version += 1
            document.changed = time.time()
            self._want()

    def close(self, uri: str) -> None:
        """Drop a document: from now on its saved version counts."""
        self._documents.pop(uri, None)

    def recheck(self) -> None:
        """Take note that the index has changed: a saved version may be what is on the screen now."""
        for document in self._documents.values():
            document.checked = False
        if self._documents:
            self._want()

    def reconfigure(self, settings: Settings) -> None:
        """Take other settings."""
        self._settings = settings
        for document in self._documents.values():
            document.cut = 0
        self._want()

    async def overlays(self) -> list[Overlay]:
        """Return the documents that differ from their saved version, as they are at this moment.

        A text that takes longer than `PATIENCE` to cut is returned as it was cut before.
        """
        if self.vectors.fingerprint != self._embedder.fingerprint:
            self._want()
        wanted = [(d, d.version) for d in self._documents.values() if not d.is_fresh]
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                while any(d.cut < version or not d.checked for d, version in wanted):
                    self._hurry.set()
                    await self._passed.wait()
        return [document.overlay for document in self._documents.values() if document.overlay]

    def _want(self) -> None:
        self._wanted.set()

    # Cutting

    async def loop(self) -> None:
        """Cut what changes until cancelled."""
        while True:
            await self._wanted.wait()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._hurry.wait(), self._pause)
            self._hurry.clear()
            self._wanted.clear()
            self._use_vectors_of(self._embedder.fingerprint)
            started = time.monotonic()
            for document in [*self._documents.values()]:
                if not document.is_fresh:
                    await self._renew(document)
            self._pause = max(_PAUSE, _SHARE * (time.monotonic() - started))
            self._embed_wanted.set()
            self._passed.set()
            self._passed = asyncio.Event()

    async def _renew(self, document: _Document) -> None:
        version = document.version
        document.checked = True
        try:
            source, stored = await self._place(document)
            if document.cut != version or _is_outdated(document, stored):
                await self._cut(document, source, stored)
            else:
                self._compare(document, source, stored)
        except HunchError as error:
            log.warning("an open document is searched as it was before: %s", type(error).__name__)
        except Exception:
            log.exception("an open document could not be cut")
        document.cut = version

    async def _place(self, document: _Document) -> tuple[Source, bytes | None]:
        """Return which source an open document belongs to, and the hash of its saved version."""
        if document.path is None:
            return _LOOSE, None
        known = [source for source, _ in await self._database.read(sources.list_sources)]
        around = [
            s for s in known if s.kind == "workspace" and document.path.is_relative_to(s.root)
        ]
        if not around:
            return _LOOSE, None
        source = max(around, key=lambda s: (s.root in self._roots, len(s.root.parts)))
        path = _relative(document.path, source)
        return source, await self._database.read(documents.hash_of, source.id, path)

    def _compare(self, document: _Document, source: Source, stored: bytes | None) -> None:
        """Drop an overlay that the index has caught up with; move one that has got a folder."""
        overlay = document.overlay
        if stored == document.hash:
            document.overlay = None
        elif overlay and overlay.source != source:
            path = _path_in(source, document)
            document.overlay = replace(overlay, source=source, path=path)

    async def _cut(self, document: _Document, source: Source, stored: bytes | None) -> None:
        text = document.read()
        path = _path_in(source, document)
        document.hash, planned = await asyncio.to_thread(
            self._planned, document, source, path, text, stored
        )
        if planned is None:
            document.overlay = None
            return
        document.overlay, document.hashes = planned
        await self._find_vectors(document)

    def _planned(
        self, document: _Document, source: Source, path: str, text: str, stored: bytes | None
    ) -> tuple[bytes, tuple[Overlay, Sequence[bytes]] | None]:
        """Return the text's hash and its overlay with the chunks' hashes, None if it is as stored."""
        raw = text.encode("utf-8", "surrogatepass")
        digest = blake2b(raw, digest_size=16).digest()
        if digest == stored:
            return digest, None
        name = str(Path(path).with_name(document.name)) if path else document.name
        if self._is_left_out(source, path, name, text, len(raw), stored):
            return digest, (_overlay(document, source, path, (), _NO_TERMS, None), ())
        file = name, text, Stamp(len(raw), 0, digest)
        [made], terms = self._planner.plan([file], urgent=True)
        overlay = _overlay(document, source, path, made.chunks, terms, made)
        return digest, (overlay, made.text_hashes)

    def _is_left_out(
        self, source: Source, path: str, name: str, text: str, size: int, stored: bytes | None
    ) -> bool:
        """Tell whether the index would not take the document if it were saved."""
        if size > self._settings.index_max_file_bytes or content.reason_to_skip(name, text):
            return True
        if source is _LOOSE:
            return reason_to_skip(path) is not None
        # Whatever is stored has been let in before.
        return stored is None and not folder.admitted(source.root, [path])

    # Vectors

    def _use_vectors_of(self, fingerprint: str | None) -> None:
        if self.vectors.use(fingerprint):
            for document in self._documents.values():
                document.cut = 0

    async def _find_vectors(self, document: _Document) -> None:
        """Take the texts and vectors that are stored already."""
        dimensions = self._embedder.state().dimensions
        known = await self._database.read(
            vectors.find_texts, self.vectors.fingerprint, document.hashes, dimensions
        )
        self.vectors.add({h: vector for h, (_, vector) in known.items() if vector is not None})
        ids = [known[h][0] if h in known else _number(h) for h in document.hashes]
        if document.overlay:
            document.overlay = replace(document.overlay, text_ids=np.array(ids, np.int64))
        self._put_vectors(document, dimensions)

    def _put_vectors(self, document: _Document, dimensions: int) -> None:
        if document.overlay:
            rows = self.vectors.rows(document.hashes, dimensions)
            document.overlay = replace(document.overlay, vectors=rows)

    async def embed_loop(self) -> None:
        """Embed what is new until cancelled."""
        while True:
            await self._embed_wanted.wait()
            await self._running.wait()
            last = max((document.changed for document in self._documents.values()), default=0)
            wait = last + _QUIET - time.time()
            if 0 < wait <= _QUIET:
                await asyncio.sleep(wait)
                continue
            self._embed_wanted.clear()
            try:
                await self._embed()
            except EmbedderUnavailable as error:
                self._embedder.failed(error)
                await asyncio.sleep(_RETRY)
                self._embed_wanted.set()
            except Exception:
                log.exception("open documents could not be embedded")

    async def _embed(self) -> None:
        if not any(document.overlay for document in self._documents.values()):
            return
        embedder = await self._embedder.get()
        self._use_vectors_of(embedder.fingerprint)
        missing = self._missing()
        hashes = [*missing]
        for start in range(0, len(hashes), embedder.batch_size):
            part = hashes[start : start + embedder.batch_size]
            made = await embedder.embed_documents([_text(missing[h]) for h in part])
            if self.vectors.fingerprint != embedder.fingerprint:
                return  # other settings name another embedder by now, and ask for its vectors
            self.vectors.take(part, made)
        for document in self._documents.values():
            self._put_vectors(document, embedder.dimensions)
        self.vectors.forget({h for document in self._documents.values() for h in document.hashes})

    def _missing(self) -> dict[bytes, Chunk]:
        return {
            text_hash: chunk
            for document in self._documents.values()
            if document.overlay
            for text_hash, chunk in zip(document.hashes, document.overlay.chunks, strict=True)
            if self.vectors.lacks(text_hash)
        }


def _overlay(
    document: _Document,
    source: Source,
    path: str,
    chunks: Sequence[Chunk],
    terms: Postings,
    made: NewDocument | None,
) -> Overlay:
    language = made.language if made else language_of(document.name)
    return Overlay(
        uri=document.uri,
        source=source,
        path=path,
        language=language,
        kind=made.kind if made else kind_of(language),
        chunks=tuple(chunks),
        terms=terms,
        lengths=made.lengths if made else np.empty((0, FIELDS), np.uint16),
        text_ids=np.zeros(len(chunks), np.int64),
        vectors=np.zeros((len(chunks), 0), np.float32),
        changed=document.changed,
    )


def _is_outdated(document: _Document, stored: bytes | None) -> bool:
    """Tell whether to cut again: another version was saved, or what was left out is let in now."""
    is_missing = document.overlay is None or (stored is not None and not document.overlay.chunks)
    return is_missing and document.hash not in {b"", stored}


def _path_in(source: Source, document: _Document) -> str:
    return _relative(document.path, source) if document.path else document.name


def _relative(path: Path, source: Source) -> str:
    return path.relative_to(source.root).as_posix()


def _number(text_hash: bytes) -> int:
    """Return a number that stands for a text which is not stored: negative, unlike all others."""
    return -1 - int.from_bytes(text_hash[:7], "little")


def _text(chunk: Chunk) -> str:
    return embedding_text(chunk.title, chunk.context, chunk.text)
