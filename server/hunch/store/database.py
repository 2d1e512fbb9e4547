"""One SQLite file: opening it safely, and running work on its threads.

One thread owns the only read-write connection, a few others own a read-only one each. Work is
handed over as plain functions whose first parameter is the connection; the functions of this
package that take a `sqlite3.Connection` are all made for that.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeAlias, TypeVar

from hunch.errors import IndexUnavailable
from hunch.store import schema

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path

log = logging.getLogger(__name__)

Connection: TypeAlias = sqlite3.Connection
"""What work is handed, by the name that other floors know it by."""

P = ParamSpec("P")
T = TypeVar("T")

PAGE_BYTES = 8_192
"""Five int16 vectors of 768 dimensions fill a page of this size with little waste."""

BUSY_MS = 30_000
"""How long a connection waits for another process before it gives up."""

_BUSY_PAUSE = 0.02
"""Seconds between two attempts to open a database that others are opening."""

_READERS = 2


class Database:
    """The open index. Create with `Database.open`; `close` ends its threads."""

    def __init__(self, path: Path, notice: str = "") -> None:
        self.path = path
        self.notice = notice
        """One sentence for the user when the file had to be replaced, else empty."""
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._writer = ThreadPoolExecutor(1, "hunch-writer")
        self._readers = ThreadPoolExecutor(_READERS, "hunch-reader")

    @classmethod
    def open(cls, path: Path) -> Database:
        """Open or make the database; a corrupt one is set aside and made anew.

        Blocks; call it from a thread.

        Raises:
            IndexUnavailable: the file cannot be made, read or written, or is too new.
        """
        notice = ""
        try:
            _create_private(path)
            try:
                _prepare(path)
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError:
                notice = f"The index was damaged; it was set aside as {_set_aside(path)} and is being rebuilt."
                log.warning("the index was damaged and has been set aside")
                _create_private(path)
                _prepare(path)
        except (OSError, sqlite3.Error) as error:
            message = f"The index {path.name} cannot be opened: {error}. Move it with HUNCH_DB or the setting database."
            raise IndexUnavailable(message) from error
        return cls(path, notice)

    async def write(
        self,
        work: Callable[Concatenate[sqlite3.Connection, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run `work` in one transaction on the writer thread; it is rolled back if it raises."""

        def run() -> T:
            connection = self._connection(read_only=False)
            with _transaction(connection):
                result = work(connection, *args, **kwargs)
                connection.execute("UPDATE generation SET value = value + 1")
            return result

        return await self._on(self._writer, run)

    async def read(
        self,
        work: Callable[Concatenate[sqlite3.Connection, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run `work` on a reader thread, in one consistent view of the database."""

        def run() -> T:
            connection = self._connection(read_only=True)
            connection.execute("BEGIN")
            try:
                return work(connection, *args, **kwargs)
            finally:
                connection.rollback()

        return await self._on(self._readers, run)

    async def maintain(
        self,
        work: Callable[Concatenate[sqlite3.Connection, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run `work` on the writer thread outside any transaction."""
        return await self._on(
            self._writer, lambda: work(self._connection(read_only=False), *args, **kwargs)
        )

    def close(self) -> None:
        """Finish the work under way, drop what waits, and close all connections; blocks."""
        for pool in (self._writer, self._readers):
            pool.shutdown(cancel_futures=True)
        for connection in self._connections:
            connection.close()

    async def _on(self, pool: ThreadPoolExecutor, run: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(pool, run)
        except sqlite3.OperationalError as error:
            raise IndexUnavailable(f"The index cannot be used: {error}.") from error
        except sqlite3.IntegrityError as error:
            message = f"Another process changed the index meanwhile ({error}); try again."
            raise IndexUnavailable(message) from error
        except sqlite3.DatabaseError as error:
            message = f"The index is damaged ({error}); run `hunch doctor`."
            raise IndexUnavailable(message) from error

    def _connection(self, *, read_only: bool) -> sqlite3.Connection:
        connection = getattr(self._local, "connection", None)
        if connection is None:
            connection = _connect(self.path, read_only=read_only)
            self._local.connection = connection
            self._connections.append(connection)
        return connection


def _connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA cache_size = -64000")
        connection.execute(f"PRAGMA query_only = {read_only}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _create_private(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


def _prepare(path: Path) -> None:
    """Bring the file into shape, waiting for others that do the same.

    SQLite does not wait by itself where two processes turn one file to WAL at once.
    """
    deadline = time.monotonic() + BUSY_MS / 1000
    while True:
        try:
            return _try_to_prepare(path)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(_BUSY_PAUSE)


def _try_to_prepare(path: Path) -> None:
    with closing(_connect(path)) as connection:
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        connection.execute("PRAGMA journal_mode = WAL")
        migrate(connection)
        generation(connection)  # the first pages are read, so that damage shows now


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Generator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.commit()
    except BaseException:
        connection.rollback()
        raise


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the database up to `schema.VERSION`, each step in a transaction of its own.

    Raises:
        IndexUnavailable: a newer Hunch made it.
    """
    while _version(connection) != schema.VERSION:
        with _transaction(connection):
            # Asked again, now that nobody else can write: another process may have been faster.
            version = _version(connection)
            if version > schema.VERSION:
                message = f"The index was made by a newer Hunch (schema {version}); update Hunch, or move the index with HUNCH_DB."
                raise IndexUnavailable(message)
            if version < schema.VERSION:
                for statement in _statements(schema.MIGRATIONS[version]):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {version + 1}")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _statements(script: str) -> Iterator[str]:
    """Cut a script; `executescript` would commit a transaction that is under way."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _set_aside(path: Path) -> str:
    aside = path.with_name(f"{path.name}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S}")
    path.replace(aside)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    return aside.name


def generation(connection: sqlite3.Connection) -> int:
    """Return a number that grows with every change, whichever process made it."""
    return int(connection.execute("SELECT value FROM generation").fetchone()[0])
