"""Reading JSON lines that another program is still writing.

Only complete lines are read; the rest of the file is left for the next time. A line that is no JSON
object, or is longer than any record should be, is reported as broken and reading goes on. Nothing
but one line is held in memory. A file that ends in `.zst` is decompressed on the way; positions are
those of the decompressed text.
"""

from __future__ import annotations

import io
import json
import re
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from typing import IO, TYPE_CHECKING, Any, Protocol, cast

from hunch.errors import LogUnavailable
from hunch.sources.conversations.zstd import ZstdError, open_zstd

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from pathlib import Path

LONGEST_LINE = 64 << 20
"""Bytes; images make lines of a few megabytes, and a line is parsed as a whole."""

_BOM = b"\xef\xbb\xbf"
_PADDING = b"\x00 \t\r\n"
"""What may stand around a record; a crash can leave a run of NUL bytes."""
_HEAD = 4096
_TAIL = 256

_SURROGATE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\."
)
"""An escaped pair, an escaped half of one, or another escape, so that none is taken apart."""
_DECODER = json.JSONDecoder(strict=False)
_HALF = len("\\ud83d")

Record = dict[str, Any]
"""A JSON object."""


@dataclass(frozen=True, slots=True)
class Row:
    """One record of a log and where it stands."""

    position: int
    """Of its first byte in a file, or its number in a database; ascending."""
    end: int
    """Where the next row may start."""
    record: Record | None
    """`None` when it could not be understood at all."""


class Records(Protocol):
    """The rows of one transcript, wherever they are kept. All methods raise `LogUnavailable`."""

    def scan(self, start: int) -> Iterator[Row]:
        """Yield the rows from position `start` to the end."""
        ...

    def fetch(self, positions: Iterable[int]) -> Iterator[Row]:
        """Yield the rows at ascending positions that a scan gave; what is gone is left out."""
        ...

    def fingerprint(self, position: int) -> str:
        """Return a text that changes when anything before `position` is rewritten or cut off."""
        ...


def parse(text: str | bytes) -> Record | None:
    """Return the JSON object in `text`; `None` if it is something else or broken.

    Invalid UTF-8 and halves of surrogate pairs become U+FFFD, so that every string can be stored; raw
    control characters inside of strings are accepted.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    try:
        value = decode(text)
    except (ValueError, RecursionError):
        return None
    return cast(Record, value) if isinstance(value, dict) else None


def decode(text: str) -> object:
    """Return the JSON value in `text`, its strings made storable as by `parse`.

    Raises:
        ValueError: it is no JSON.
        RecursionError: it is nested too deeply.
    """
    if "\\ud" in text or "\\uD" in text:
        text = _SURROGATE.sub(_whole, text)
    return _DECODER.decode(text)


def _whole(escape: re.Match[str]) -> str:
    return "\\ufffd" if len(escape[0]) == _HALF else escape[0]


class JsonLines:
    """The lines of one file."""

    def __init__(
        self,
        open_file: Callable[[], IO[bytes]],
        *,
        is_packed: bool = False,
        limit: int = LONGEST_LINE,
    ) -> None:
        self._open_file = open_file
        self._is_packed = is_packed
        self._limit = limit

    @classmethod
    def of_path(cls, path: Path) -> JsonLines:
        """Read the file at `path`."""
        return cls(lambda: path.open("rb"), is_packed=path.name.endswith(".zst"))

    @classmethod
    def of_bytes(cls, data: bytes, *, is_packed: bool) -> JsonLines:
        """Read lines that are held in memory, compressed or not."""
        return cls(lambda: io.BytesIO(data), is_packed=is_packed)

    def scan(self, start: int) -> Iterator[Row]:
        """Yield a row for every complete line from byte `start`, which begins a line."""
        with self._opened() as file:
            file.seek(start)
            position = start
            while line := self._next_line(file, position):
                yield from line.rows()
                position = line.end
                if line.is_last:
                    break

    def fetch(self, positions: Iterable[int]) -> Iterator[Row]:
        """Yield the rows of the lines at ascending byte positions."""
        with self._opened() as file:
            for position in positions:
                file.seek(position)
                if line := self._next_line(file, position):
                    yield from line.rows()

    def fingerprint(self, position: int) -> str:
        """Return a hash of the first and the last bytes before `position`.

        A compressed file is not appended to: its fingerprint is that of all of its bytes' ends.
        """
        with _mapped_errors(), self._open_file() as file:
            if self._is_packed:
                position = file.seek(0, io.SEEK_END)
            digest = blake2b(str(position).encode(), digest_size=16)
            file.seek(0)
            digest.update(file.read(min(_HEAD, position)))
            file.seek(max(0, position - _TAIL))
            digest.update(file.read(min(_TAIL, position)))
        return digest.hexdigest()

    @contextmanager
    def _opened(self) -> Generator[IO[bytes]]:
        with _mapped_errors(), self._open_file() as file:
            if not self._is_packed:
                yield file
                return
            with open_zstd(file, "rb") as unpacked:
                yield cast("IO[bytes]", unpacked)

    def _next_line(self, file: IO[bytes], position: int) -> _Line | None:
        try:
            return _read_line(file, position, self._limit)
        except (ZstdError, EOFError):
            # The archive is cut off or damaged here; what came before is whole.
            return _Line(position, position, None, is_last=True)


@dataclass(frozen=True, slots=True)
class _Line:
    position: int
    end: int
    content: bytes | None
    """`None`: too long, or not to be had."""
    is_last: bool = False

    def rows(self) -> Iterator[Row]:
        if self.content is None:
            yield Row(self.position, self.end, None)
        elif content := self.content.removeprefix(_BOM).strip(_PADDING):
            yield Row(self.position, self.end, parse(content))


def _read_line(file: IO[bytes], position: int, limit: int) -> _Line | None:
    """Return the next line, or `None` when it is not written to its end yet."""
    content = file.readline(limit)
    end = position + len(content)
    if content.endswith(b"\n"):
        return _Line(position, end, content)
    is_too_long = len(content) == limit
    while content and not content.endswith(b"\n"):
        content = file.readline(1 << 20)
        end += len(content)
    return _Line(position, end, None) if is_too_long and content else None


@contextmanager
def _mapped_errors() -> Generator[None]:
    try:
        yield
    except FileNotFoundError:
        raise LogUnavailable("gone") from None
    except OSError:
        raise LogUnavailable("unreadable") from None
