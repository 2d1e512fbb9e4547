"""One connection to the index file, and the transactions on it."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlencode

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from pathlib import Path

LOG_BYTES = 16_000_000
"""What of the write-ahead log may stay on the disk when all that was in it has reached the file."""
Connection: TypeAlias = sqlite3.Connection
"""What work is handed, by the name that other floors know it by."""


class IndexConnection(sqlite3.Connection):
    """A connection that knows which file it belongs to."""

    epoch = 0
    """Counts the files that have been at the index's path since it was opened; see `IndexFile`."""
    for_reading = False
    """Whether it refuses to change anything."""


def epoch_of(connection: sqlite3.Connection) -> int:
    """Return the epoch of a connection; 0 for one to something else than an index file."""
    return connection.epoch if isinstance(connection, IndexConnection) else 0


def connect(
    path: Path,
    parameters: Mapping[str, str],
    *,
    seconds: float,
    for_reading: bool = False,
    synchronous: str = "NORMAL",
) -> IndexConnection:
    """Connect to a file that is there.

    Args:
        path: absolute.
        parameters: how SQLite opens it, such as `mode`; see https://sqlite.org/uri.html.
        seconds: how long each statement waits for another program that holds the file.
        for_reading: refuse every change.
        synchronous: when SQLite waits for the disk; see https://sqlite.org/pragma.html.

    Raises:
        sqlite3.Error: the file cannot be opened.
    """
    # SQLite knows no host in an address, but takes the slashes of a Windows share as a path.
    address = path.as_uri().replace("file://", "file:////" if path.drive[:1] == "\\" else "file://")
    connection = sqlite3.connect(
        f"{address}?{urlencode(parameters)}",
        uri=True,
        timeout=seconds,
        isolation_level=None,
        check_same_thread=False,
        factory=IndexConnection,
    )
    connection.for_reading = for_reading
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        connection.execute("PRAGMA cache_size = -64000")
        connection.execute(f"PRAGMA journal_size_limit = {LOG_BYTES}")
        connection.execute(f"PRAGMA query_only = {for_reading}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Generator[None]:
    """Make one change of all that is done inside; it is undone when that raises."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.commit()
    except BaseException:
        connection.rollback()
        raise


def generation(connection: sqlite3.Connection) -> int:
    """Return a number that grows with every change, whichever process made it."""
    return int(connection.execute("SELECT value FROM generation").fetchone()[0])
