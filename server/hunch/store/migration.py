"""Bringing the tables of an index file up to date."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from hunch.errors import IndexUnavailable
from hunch.store import schema
from hunch.store.connecting import transaction

if TYPE_CHECKING:
    from collections.abc import Iterator


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the database up to `schema.VERSION`, each step in a transaction of its own.

    Raises:
        IndexUnavailable: a newer Hunch made it.
    """
    while version(connection) != schema.VERSION:
        refuse_newer(connection)
        with transaction(connection):
            # Asked again, now that nobody else can write: another process may have been faster.
            present = version(connection)
            if present < schema.VERSION:
                for statement in _statements(schema.MIGRATIONS[present]):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {present + 1}")


def refuse_newer(connection: sqlite3.Connection) -> None:
    """See that this program knows the tables.

    Raises:
        IndexUnavailable: a newer Hunch made them.
    """
    present = version(connection)
    if present > schema.VERSION:
        message = f"The index was made by a newer Hunch (schema {present}); update Hunch, or move the index with HUNCH_DB."
        raise IndexUnavailable(message)


def version(connection: sqlite3.Connection) -> int:
    """Return the version of the tables; 0 when there are none."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _statements(script: str) -> Iterator[str]:
    """Cut a script; `executescript` would commit a transaction that is under way."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
