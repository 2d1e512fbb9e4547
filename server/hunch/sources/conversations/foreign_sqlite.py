"""Reading a SQLite database that belongs to another program, and leaving no trace in it.

Only tables that the reader names can be read: such databases also hold credentials, so SQLite itself
is told to refuse everything else. Statements are short and read to their end at once, so that no
lock outlives a call and the owner is never kept waiting.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from hunch.errors import LogUnavailable
from hunch.sources.paths import exists

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

BUSY = 0.25
"""Seconds to wait for the owner's lock; then the answer is to come back later."""

_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}


class ForeignDatabase:
    """An open database of another program, read-only."""

    def __init__(self, connection: sqlite3.Connection, tables: frozenset[str]) -> None:
        self._connection = connection
        self._tables = tables
        self._columns: dict[str, frozenset[str]] = {}

    def columns(self, table: str) -> frozenset[str]:
        """Return the names of the columns of a table; empty when there is no such table.

        Raises `LogUnavailable`.
        """
        if table not in self._tables:
            return frozenset()
        if table not in self._columns:
            rows = self.rows(f'PRAGMA table_info("{table}")')
            self._columns[table] = frozenset(row[1] for row in rows)
        return self._columns[table]

    def has(self, table: str, *columns: str) -> bool:
        """Say whether a table exists and has all of these columns. Raises `LogUnavailable`."""
        return bool(self.columns(table)) and self.columns(table).issuperset(columns)

    def rows(self, statement: str, parameters: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query; the statement must bound how many and how large they are.

        Raises `LogUnavailable`.
        """
        with _mapped_errors():
            return self._connection.execute(statement, parameters).fetchall()


@contextmanager
def open_foreign(path: Path, tables: frozenset[str]) -> Generator[ForeignDatabase]:
    """Open the database at `path`, in which `tables` and nothing else may be read.

    Raises:
        LogUnavailable: it is gone, locked, not to be opened, or no database.
    """
    if not exists(path):
        raise LogUnavailable("gone")
    with _mapped_errors():
        connection = sqlite3.connect(
            _uri(path), uri=True, timeout=BUSY, isolation_level=None, check_same_thread=False
        )
    try:
        connection.text_factory = _lenient
        connection.set_authorizer(_authorizer(tables))
        yield ForeignDatabase(connection, tables)
    finally:
        connection.close()


def _uri(path: Path) -> str:
    """Return how to open the file without creating another one beside it.

    A database in WAL mode needs a shared-memory file even to be read. Without its sidecars no program
    has it open, so it is read as a file that does not change.
    """
    is_alone = _is_wal(path) and not any(
        exists(path.with_name(path.name + ending)) for ending in ("-wal", "-shm")
    )
    return path.absolute().as_uri() + ("?mode=ro&immutable=1" if is_alone else "?mode=ro")


def _is_wal(path: Path) -> bool:
    """Say whether the header's "file format read version" is that of WAL (sqlite.org/fileformat2)."""
    try:
        with path.open("rb") as file:
            return file.read(20)[19:20] == b"\x02"
    except OSError:
        return False


def _authorizer(tables: frozenset[str]) -> Any:  # sqlite3 names the type of this callback nowhere
    def allows(action: int, first: str | None, *_: str | None) -> int:
        if action in _ALLOWED:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ and first in tables:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_PRAGMA and first == "table_info":
            return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY

    return allows


def _lenient(data: bytes) -> str:
    return data.decode("utf-8", "replace")


@contextmanager
def _mapped_errors() -> Generator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise LogUnavailable(_reason(error)) from None


def _reason(error: sqlite3.Error) -> Literal["busy", "unreadable", "damaged"]:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "busy"
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return "damaged"
    return "unreadable"
