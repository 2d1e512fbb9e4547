"""The open index, and running work on its threads.

One thread owns the only connection that writes, a few others read. Work is handed over as plain
functions whose first parameter is the connection; the functions of this package that take a
`sqlite3.Connection` are all made for that.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from hunch.errors import HunchError, IndexBusy, IndexReplaced
from hunch.store import faults
from hunch.store.connecting import Connection, generation
from hunch.store.file import READ_SECONDS, IndexFile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from hunch.store.connecting import IndexConnection

__all__ = ["Connection", "Database", "generation"]

P = ParamSpec("P")
T = TypeVar("T")

_READERS = 2

_PAUSE = 0.05
"""Seconds between two attempts of the writer, should SQLite not wait by itself."""


class Database:
    """The open index. Create with `Database.open`; `close` ends its threads.

    When the file is found to be damaged, deleted or replaced, another one takes its place and
    `epoch` grows. Whoever met the damage is told by IndexReplaced. Reads go on with the other file;
    changes are refused until `refresh` has told of it, since they were made for the one before.
    """

    def __init__(self, path: Path, file: IndexFile) -> None:
        self.path = path
        self.waiting = ""
        """While a change waits for another program: a sentence that says so; else empty."""
        self._file = file
        self._told = file.epoch
        self._trouble = ""
        self._closing = threading.Event()
        self._writer = ThreadPoolExecutor(1, "hunch-writer")
        self._readers = ThreadPoolExecutor(_READERS, "hunch-reader")

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        seconds: float = READ_SECONDS,
        parameters: Mapping[str, str] | None = None,
    ) -> Database:
        """Open or make the index; a damaged one is set aside and made anew.

        One that cannot be written is opened for searches; `notice` and `read_only` tell. Blocks;
        call it from a thread.

        Args:
            path: where the index lies.
            seconds: how long to wait for another program that holds it.
            parameters: how SQLite opens the file, such as `vfs`; see https://sqlite.org/uri.html.

        Raises:
            IndexBusy: another program holds it.
            IndexUnavailable: it can be neither read nor made, or is too new.
        """
        return cls(path, IndexFile(path, parameters or {}, seconds=seconds))

    @property
    def epoch(self) -> int:
        """A number that grows whenever another file has taken the place of the one before."""
        return self._file.epoch

    @property
    def notice(self) -> str:
        """One sentence for the user when something is amiss with the file, else empty."""
        return self._trouble or self._file.notice

    @property
    def read_only(self) -> bool:
        """Whether the index can be searched but not changed at the moment."""
        return self._file.refusal is not None

    async def write(
        self,
        work: Callable[Concatenate[sqlite3.Connection, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run `work` in one transaction on the writer thread; it is rolled back if it raises.

        Waits without limit while another program holds the index; `waiting` tells.

        Raises:
            IndexFull: the disk has no room; nothing was changed.
            IndexReadOnly: the index may not be changed.
            IndexReplaced: the file is not the one that `refresh` had told of last at the call.
            IndexUnavailable: it cannot be used.
        """

        def run(connection: IndexConnection) -> T:
            try:
                result = work(connection, *args, **kwargs)
                connection.execute("UPDATE generation SET value = value + 1")
                self._insist(connection.commit)
            except BaseException:
                connection.rollback()
                raise
            return result

        begin = partial(self._begin, self._told)
        return await self._on(self._writer, partial(self._run, begin, run))

    async def read(
        self,
        work: Callable[Concatenate[sqlite3.Connection, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run `work` on a reader thread, in one consistent view of the database.

        Raises:
            IndexBusy: another program holds the index.
            IndexReplaced: it is damaged, and was replaced.
            IndexUnavailable: it cannot be used.
        """

        def run(connection: IndexConnection) -> T:
            connection.execute("BEGIN")
            try:
                return work(connection, *args, **kwargs)
            finally:
                connection.rollback()

        take = partial(self._file.take, for_reading=True)
        return await self._on(self._readers, partial(self._run, take, run))

    async def maintain(
        self,
        work: Callable[Concatenate[sqlite3.Connection, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run `work` on the writer thread outside any transaction; raises what `write` raises.

        It is run again while another program holds the index, so twice must be as good as once.
        """

        def run(connection: IndexConnection) -> T:
            return self._insist(partial(work, connection, *args, **kwargs))

        take = partial(self._take_to_write, self._told)
        return await self._on(self._writer, partial(self._run, take, run))

    async def refresh(self) -> bool:
        """See which file is there, and tell whether it is another one than at the last call.

        To be called about once a second by whoever keeps the index up to date; it costs next to
        nothing. After True, all that was known of the content is void. A file that could not be
        written is opened for writing once that works. Raises nothing: what is amiss is in `notice`.
        """
        try:
            await self._on(self._readers, self._file.look)
            self._trouble = ""
        except HunchError as error:
            self._trouble = str(error)
        told, self._told = self._told, self._file.epoch
        return told != self._told

    def close(self) -> None:
        """Finish the work under way, drop what waits, and close all connections; blocks.

        A change that waits for another program is given up.
        """
        self._closing.set()
        for pool in (self._writer, self._readers):
            pool.shutdown(cancel_futures=True)
        self._file.close()

    async def _on(self, pool: ThreadPoolExecutor, run: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(pool, run)

    def _run(self, take: Callable[[], IndexConnection], run: Callable[[IndexConnection], T]) -> T:
        epoch = self.epoch
        try:
            connection = take()
            epoch = connection.epoch
            try:
                return run(connection)
            finally:
                self._file.give(connection)
        except sqlite3.Error as error:
            if faults.is_damage(error):
                self._file.set_aside(epoch)
                raise IndexReplaced(self._file.notice) from error
            raise faults.explain(error, self.path) from error

    def _begin(self, epoch: int) -> IndexConnection:
        """Take the writer's connection with a transaction begun."""

        def begin() -> IndexConnection:
            connection = self._take_to_write(epoch)
            try:
                connection.execute("BEGIN IMMEDIATE")
            except BaseException:
                self._file.give(connection)
                raise
            return connection

        return self._insist(begin)

    def _take_to_write(self, epoch: int) -> IndexConnection:
        """Take the writer's connection if it is to the file that the caller knew of."""
        connection = self._file.take(for_reading=False)
        if connection.epoch != epoch:
            self._file.give(connection)
            raise IndexReplaced(self._file.notice)
        return connection

    def _insist(self, step: Callable[[], T]) -> T:
        """Do something until no other program is in the way, or `close` is called."""
        try:
            while True:
                try:
                    return step()
                except (sqlite3.OperationalError, IndexBusy) as error:
                    if not faults.is_busy(error) or self._closing.is_set():
                        raise
                self.waiting = faults.WAITING
                self._closing.wait(_PAUSE)
        finally:
            self.waiting = ""
