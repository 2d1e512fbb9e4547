"""Writing JSON lines as agents do, and the clock that their records share."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from hunch.sources.conversations.zstd import open_zstd

if TYPE_CHECKING:
    from pathlib import Path

Records = list[dict[str, Any]]

_START = datetime(2026, 10, 5, 9, tzinfo=UTC)


def moment(second: int) -> datetime:
    """Return the time of the record that is written in second `second`."""
    return _START + timedelta(seconds=second)


def stamp(second: int) -> str:
    """Return that time as records name it."""
    return moment(second).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def packed_lines(records: Records) -> bytes:
    """Return the records as JSON lines."""
    return b"".join(json.dumps(each, ensure_ascii=False).encode() + b"\n" for each in records)


def write_lines(path: Path, records: Records, tail: bytes = b"") -> Path:
    """Write the records, then bytes of a line that is not finished; compressed if the name says so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.name.endswith(".zst"):
        with open_zstd(path, "wb") as file:
            file.write(packed_lines(records) + tail)
    else:
        path.write_bytes(packed_lines(records) + tail)
    return path
