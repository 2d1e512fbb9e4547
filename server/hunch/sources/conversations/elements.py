"""The elements of a JSON array in a file, one at a time.

Exports of accounts are one array of hundreds of megabytes. Nothing but one element is held in memory,
and the standard library's decoder, which is written in C, finds where it ends.
"""

from __future__ import annotations

import codecs
import json
import re
from dataclasses import dataclass
from hashlib import blake2b
from typing import IO, TYPE_CHECKING

from hunch.errors import LogUnavailable
from hunch.sources.conversations.jsonl import decode

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGEST = 128 << 20
"""Characters of one element; a longer one ends the reading."""
_ESCAPED = re.compile(r"\\u[dD]")
"""Perhaps half a surrogate pair, which cannot be stored."""
_BETWEEN = " \t\r\n,"


@dataclass(frozen=True, slots=True)
class Element:
    """One element of the array."""

    value: object
    mark: str
    """A text that changes when the element does."""


def elements_in(file: IO[bytes], read_size: int = 1 << 20) -> Iterator[Element]:
    """Yield the elements of the array in a file, which is read `read_size` bytes at a time.

    Raises:
        LogUnavailable: it is no array; or, after what could be read, the file ends before the array
            does (`busy`) or is no JSON there (`damaged`).
    """
    return iter(_Elements(file, read_size))


class _Elements:
    """Reads a file piece by piece, until what was read holds a whole element."""

    def __init__(self, file: IO[bytes], read_size: int) -> None:
        self._file = file
        self._read_size = read_size
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
        self._decoder = json.JSONDecoder(strict=False)
        self._text = ""
        self._start = 0

    def __iter__(self) -> Iterator[Element]:
        if self._skip() not in ("[", ""):
            raise LogUnavailable("damaged")
        self._start += 1
        while self._skip() != "]":
            yield self._element()

    def _skip(self) -> str:
        """Go to the next character that matters and return it; empty at the end of the file."""
        while True:
            while self._start < len(self._text) and self._text[self._start] in _BETWEEN:
                self._start += 1
            if self._start < len(self._text):
                return self._text[self._start]
            if not self._more():
                return ""

    def _element(self) -> Element:
        """Return the element that starts here, reading on until it is whole."""
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._start)
            except (ValueError, RecursionError):
                if len(self._text) - self._start > LARGEST:
                    raise LogUnavailable("damaged") from None
                if not self._more():
                    is_whole = self._text.rstrip().endswith("]")
                    raise LogUnavailable("damaged" if is_whole else "busy") from None
            else:
                text = self._text[self._start : end]
                self._start = end
                mark = blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()
                return Element(decode(text) if _ESCAPED.search(text) else value, mark)

    def _more(self) -> bool:
        """Read as much again as is waiting, so that an element is tried few times."""
        self._text, self._start = self._text[self._start :], 0
        data = self._file.read(max(self._read_size, len(self._text)))
        self._text += self._decode(data, final=not data)
        return bool(data)
