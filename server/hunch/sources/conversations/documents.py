"""Reading JSON files that another program rewrites as a whole.

A file that is just being written ends in the middle: that is `busy`, and the next look finds it
whole. What was read of it before still holds until then.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from hunch.errors import LogUnavailable
from hunch.sources.conversations.jsonl import decode
from hunch.sources.conversations.shapes import as_object

if TYPE_CHECKING:
    from pathlib import Path

    from hunch.sources.conversations.jsonl import Record

LARGEST = 256 << 20
"""Bytes of a file that is parsed as a whole."""
_LARGEST_ASIDE = 16 << 20


def load(path: Path) -> tuple[object, str]:
    """Return the value in the file at `path`, and a mark that changes with the file.

    Raises:
        LogUnavailable: it is gone, unreadable, too large, half written or no JSON.
    """
    data = _bytes(path)
    return _parse(data), blake2b(data, digest_size=16).hexdigest()


def aside(path: Path) -> object:
    """Return the value in a file that tells something about a log; `None` when it tells nothing."""
    try:
        if path.stat().st_size > _LARGEST_ASIDE:
            return None
        return _parse(path.read_bytes())
    except (OSError, LogUnavailable):
        return None


def object_aside(path: Path) -> Record:
    """Return the object in a file that tells something about a log, or an empty one."""
    return as_object(aside(path))


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise LogUnavailable("gone") from None
    except OSError:
        raise LogUnavailable("unreadable") from None
    if len(data) > LARGEST:
        raise LogUnavailable("unreadable")
    return data


def _parse(data: bytes) -> object:
    text = data.decode("utf-8-sig", "replace")
    try:
        return decode(text)
    except (ValueError, RecursionError):
        is_whole = text.rstrip().endswith(("}", "]"))
        raise LogUnavailable("damaged" if is_whole else "busy") from None
