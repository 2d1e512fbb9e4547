"""Cuts text into the token ids of the built-in embedder.

A text is a bag of words: runs of ASCII letters, split where camelCase and acronyms split
(`HTTPServer` → `http`, `server`), and runs of digits. A word that the vocabulary lacks is spelled
with the longest pieces that it has, left to right; `##` marks a piece that continues a word.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_WORDS = 400
"""Words of a text that count; the rest is cut."""
_MAX_CHARS = 40 * MAX_WORDS
_MAX_WORD_CHARS = 64
_MAX_REMEMBERED = 200_000
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


class Tokenizer:
    """Turns texts into token ids; remembers the words it has seen. Used by one thread at a time."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._ids = {token: number for number, token in enumerate(vocabulary)}
        self._longest = max(map(len, vocabulary), default=0)
        self._seen = _Spellings(self)

    def ids(self, text: str) -> list[int]:
        """Return the ids of the text's tokens, in order, with repetitions."""
        if len(self._seen) > _MAX_REMEMBERED:
            self._seen.clear()
        words = _WORD.findall(text[:_MAX_CHARS])[:MAX_WORDS]
        return list(chain.from_iterable(map(self._seen.__getitem__, words)))

    def spell(self, word: str) -> tuple[int, ...]:
        """Spell one word; characters that start no known piece are passed over."""
        word = word[:_MAX_WORD_CHARS].lower()
        pieces: list[int] = []
        start = 0
        while start < len(word):
            found = self._longest_piece(word, start, "##" if pieces else "")
            if found is None:
                start += 1
            else:
                start, number = found
                pieces.append(number)
        return () if _is_noise(word, pieces) else tuple(pieces)

    def _longest_piece(self, word: str, start: int, mark: str) -> tuple[int, int] | None:
        for end in range(min(len(word), start + self._longest), start, -1):
            number = self._ids.get(mark + word[start:end])
            if number is not None:
                return end, number
        return None


def _is_noise(word: str, pieces: Sequence[int]) -> bool:
    """Tell whether a word falls apart into crumbs of under two letters, which mean nothing."""
    return len(pieces) > 1 and len(word) < 2 * len(pieces)


class _Spellings(dict[str, tuple[int, ...]]):
    """Words as written → their ids, spelled on first use, so that a known word costs a lookup."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        super().__init__()
        self._tokenizer = tokenizer

    def __missing__(self, word: str) -> tuple[int, ...]:
        spelling = self[word] = self._tokenizer.spell(word)
        return spelling
