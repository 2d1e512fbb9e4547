"""Reading one file of a folder."""

from __future__ import annotations

import os
import stat
import time
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from hunch.model import Problem
from hunch.sources import content
from hunch.sources.paths import real
from hunch.sources.rules import BINARY, larger_than, reason_to_skip

if TYPE_CHECKING:
    from pathlib import Path

_FLAGS = getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
"""Bytes as they are; a pipe that took the file's place must not block us; nobody inherits it."""
_SECOND_NS = 1_000_000_000
_COARSEST_NS = 2 * _SECOND_NS
"""How much of a second the times of files are counted in at worst: that of FAT."""


@dataclass(frozen=True, slots=True)
class Read:
    """A file's text at one moment."""

    text: str
    """Without a byte order mark; line ends as they are in the file."""
    hash: bytes
    """BLAKE2b of the raw bytes, 16 bytes long."""
    size: int
    """Bytes in the file when it was opened."""
    mtime_ns: int
    """When the file had last changed when it was opened; a little less if that is too short ago for
    another change to be seen by its time.
    """


def read(root: Path, path: str, *, max_file_bytes: int) -> Read | Problem:
    """Read a file, or say why it is not wanted. Blocks; meant for a thread; never raises OSError.

    Size and time are taken before the bytes, so that a change during reading is seen as a change
    by the next look.

    Args:
        root: a real path, as `real_root` gives it.
        path: relative to the root, with forward slashes.
        max_file_bytes: a larger file is passed over.
    """
    try:
        status, raw = _read_bytes(root, path, max_file_bytes + 1)
    except OSError as error:
        return Problem(path, (error.strerror or type(error).__name__).lower(), "failed")
    except ValueError as error:
        return Problem(path, str(error))
    if len(raw) > max_file_bytes:
        return Problem(path, larger_than(max_file_bytes))
    text = content.decode(raw)
    if text is None:
        return Problem(path, BINARY)
    reason = content.reason_to_skip(path, text)
    if reason is not None:
        return Problem(path, reason)
    digest = blake2b(raw, digest_size=16).digest()
    return Read(text, digest, status.st_size, _telling_time(status.st_mtime_ns))


def _telling_time(mtime_ns: int) -> int:
    """Return a time that differs from that of the file if it changes after this moment.

    Where times are counted in whole seconds, a second change may have the time of the first, and the
    same size. Such a file is read again by the next look, as git does it with its index.
    """
    is_coarse = mtime_ns % _SECOND_NS == 0
    return mtime_ns - (is_coarse and time.time_ns() < mtime_ns + _COARSEST_NS)


def _read_bytes(root: Path, path: str, limit: int) -> tuple[os.stat_result, bytes]:
    """Return the open file's status and its first `limit` bytes.

    Raises:
        OSError: it cannot be read.
        ValueError: its name or its place forbids reading it, or it is no regular file.
    """
    if "\0" in path:
        raise ValueError("no file can have this name")
    place = real(root / path)
    if not place.is_relative_to(root):
        raise ValueError("it lies outside the folder")
    reason = reason_to_skip(place.relative_to(root).as_posix())
    if reason is not None:
        raise ValueError(reason)
    with os.fdopen(os.open(place, os.O_RDONLY | _FLAGS), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("not a regular file")
        return status, file.read(limit)
