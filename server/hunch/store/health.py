"""What can be told of the database file itself, for people who look for what is wrong."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Health:
    """The state of the open database."""

    journal_mode: str
    """`wal`, unless the file system does not allow it."""
    problem: str
    """The first thing that the integrity check finds wrong; empty when all is well."""


def examine(connection: sqlite3.Connection) -> Health:
    """Check the whole file; takes about a second for each gigabyte."""
    [journal_mode] = connection.execute("PRAGMA journal_mode").fetchone()
    [found] = connection.execute("PRAGMA integrity_check(1)").fetchone()
    return Health(str(journal_mode), "" if found == "ok" else str(found))


def sqlite_version() -> str:
    """Return the version of the SQLite library that Python uses."""
    return sqlite3.sqlite_version
