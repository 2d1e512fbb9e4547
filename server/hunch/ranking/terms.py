"""Words of code and prose as terms of the inverted index.

An identifier gives its words (`sendWithRetry`, `send_with_retry` → send, with, retri), stemmed, and
itself as a whole without separators (`sendwithretry`), so that both spellings find each other.
Scripts that are written without spaces give pairs of neighbouring characters. A term is known by
a 63-bit hash of its text.
"""

from __future__ import annotations

import re
import unicodedata
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hunch.ranking.stemming import english_stemmer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

FIELDS = ("symbols", "path", "body")
"""What is counted apart: names defined in the chunk, words of its path, and its text."""

_TOKEN = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]+"
)
_MAX_PARTS = 10
"""A token of more parts is a hash or a blob of base64; it counts as a whole only."""
_MAX_CHARS = 64
_CACHE = 200_000

_STOP_WORDS = """
a about all an and any are as at be been between by can code could do does each every file for
from function get gets had has have how i if implement implementation implemented in into is it
its may me my of on or our should so some such than that the their them then there these they this
those to up us use used uses using via was we were what when where whether which while who whose
why will with would you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Words that say nothing in a question; `code` and the like say nothing in a question about code."""


class TermCounts(NamedTuple):
    """How often which terms occur in which chunk and field, sorted by term and then by chunk."""

    terms: NDArray[np.int64]
    """Shape (t,): distinct, ascending."""
    offsets: NDArray[np.int64]
    """Shape (t + 1,): term i has the rows offsets[i]..offsets[i + 1]."""
    chunks: NDArray[np.uint32]
    """Shape (n,)."""
    counts: NDArray[np.uint8]
    """Shape (n, len(FIELDS)), cut to 255."""


class Terms:
    """Turns text into terms; remembers the words it has met. Safe to share between threads."""

    def __init__(self) -> None:
        self._stem = english_stemmer()
        self._lock = Lock()
        self._known: dict[str, tuple[int, ...]] = {}
        self._name_words: dict[str, frozenset[str]] = {}

    def of(self, text: str) -> list[int]:
        """Return the terms of a text in order, repeated ones repeated."""
        known = self._known
        result: list[int] = []
        for token in _TOKEN.findall(_composed(text)):
            terms = known.get(token)
            result += self._learn(token) if terms is None else terms
        return result

    def _learn(self, token: str) -> tuple[int, ...]:
        with self._lock:
            if len(self._known) >= _CACHE:
                self._known.clear()
            terms = tuple(term_id(word) for word in self._words(token))
            self._known[token] = terms
            return terms

    def words(self, text: str) -> list[str]:
        """Return the texts of the terms of `text`, in order."""
        with self._lock:
            return [
                word for token in _TOKEN.findall(_composed(text)) for word in self._words(token)
            ]

    def words_of_name(self, name: str) -> frozenset[str]:
        """Return the distinct words of a symbol's or a file's name; remembered, as names return."""
        words = self._name_words.get(name)
        if words is None:
            if len(self._name_words) >= _CACHE:
                self._name_words.clear()
            words = self._name_words[name] = frozenset(self.words(name))
        return words

    def _words(self, token: str) -> Iterator[str]:
        if token.isascii():
            yield from self._ascii_words(token)
            return
        token = unicodedata.normalize("NFKC", token).casefold()
        rest = 0
        for match in _SPACELESS.finditer(token):
            yield from self._plain(token[rest : match.start()])
            run = match[0]
            yield from (run[i : i + 2] for i in range(max(len(run) - 1, 1)))
            rest = match.end()
        yield from self._plain(token[rest:])

    def _plain(self, word: str) -> Iterator[str]:
        if word := word.strip("_")[:_MAX_CHARS]:
            yield self._stem(word)

    def _ascii_words(self, token: str) -> Iterator[str]:
        parts = _PART.findall(token)
        if len(parts) <= _MAX_PARTS:
            yield from (self._stem(part.lower()[:_MAX_CHARS]) for part in parts)
        if len(parts) != 1:
            whole = token.replace("_", "").lower()
            if whole and len(whole) <= _MAX_CHARS:
                yield whole


def _composed(text: str) -> str:
    """Return `text` with every letter and its marks as one character."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def term_id(word: str) -> int:
    """Hash a term to 63 bits; part of the database's format."""
    digest = blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1


def count_terms(chunks: Iterable[Sequence[Sequence[int]]]) -> tuple[TermCounts, NDArray[np.uint16]]:
    """Count the terms of some chunks.

    Args:
        chunks: for each chunk, and each of FIELDS, the terms.

    Returns:
        The counts, and the lengths of the fields: shape (chunks, len(FIELDS)), cut to 65,535.
    """
    flat: list[int] = []
    lengths: list[list[int]] = []
    for chunk in chunks:
        lengths.append([len(field) for field in chunk])
        for field in chunk:
            flat += field
    sizes = np.array(lengths, np.int64).reshape(len(lengths), len(FIELDS))
    terms = np.array(flat, np.int64)
    places = np.repeat(np.arange(sizes.size), sizes.ravel())
    return _tally(terms, places), np.minimum(sizes, 65_535).astype(np.uint16)


def _tally(terms: NDArray[np.int64], places: NDArray[np.int64]) -> TermCounts:
    """Count equal pairs of (term, place), where place = chunk · fields + field."""
    order = np.lexsort((places, terms))
    terms, places = terms[order], places[order]
    pair_start = _starts(terms, places)
    pair_counts = np.diff(pair_start, append=len(terms))
    terms, places = terms[pair_start], places[pair_start]
    chunks, fields = np.divmod(places, len(FIELDS))
    posting_start = _starts(terms, chunks)
    counts = np.zeros((len(posting_start), len(FIELDS)), np.uint8)
    posting_of = np.repeat(np.arange(len(posting_start)), np.diff(posting_start, append=len(terms)))
    counts[posting_of, fields] = np.minimum(pair_counts, 255)
    terms, chunks = terms[posting_start], chunks[posting_start]
    offsets = np.append(_starts(terms, terms), len(terms))
    return TermCounts(terms[offsets[:-1]], offsets, chunks.astype(np.uint32), counts)


def _starts(*keys: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return where a run of equal keys begins."""
    if not len(keys[0]):
        return np.empty(0, np.intp)
    changed = np.zeros(len(keys[0]), np.bool_)
    changed[0] = True
    for key in keys:
        changed[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(changed)
