"""The file at the index's path, whichever it is at the moment, and connections to it.

Files come and go while we run: people delete them, other programs replace them, disks damage them.
Each file that is opened after another begins an *epoch*; nothing of one holds in the next.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import contextmanager
from dataclasses import replace
from shutil import disk_usage
from typing import TYPE_CHECKING

from hunch.errors import IndexFull, IndexReadOnly, IndexUnavailable
from hunch.store import faults
from hunch.store.opening import ATTEMPT_SECONDS, discard_log, file_id, open_writable
from hunch.store.reading import open_for_reading

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from pathlib import Path

    from hunch.store.connecting import IndexConnection
    from hunch.store.opening import FileId, Opened

_REPLACED = "The index was replaced by another one; everything is looked at again."
_DELETED = "The index was deleted; it is being rebuilt."
_DAMAGED_FOR_EVER = "The index is damaged, and it may not be replaced here. Move it with HUNCH_DB or the setting database."
_NO_PLACE = "The index cannot be made, since its folder may not be written. Move it with HUNCH_DB or the setting database."

_ROOM = 4 << 20
"""Bytes that make another attempt on a disk that was full worth its while."""

READ_SECONDS = 4.0
"""How long a reader waits for another program."""


class IndexFile:
    """Connects to what lies at a path. Safe to use from many threads; all of it blocks."""

    def __init__(self, path: Path, parameters: Mapping[str, str], *, seconds: float) -> None:
        """Open the file, making it when it is missing, setting it aside when it is damaged.

        Args:
            path: where the index lies.
            parameters: how SQLite opens it; see https://sqlite.org/uri.html.
            seconds: how long to wait for other programs.

        Raises:
            IndexUnavailable: it can be neither written nor read.
        """
        self._path = path.absolute()
        self._parameters = dict(parameters) | {"mode": "rw"}
        self._guard = threading.Lock()
        self._idle: list[IndexConnection] = []
        self._lost = False
        self._damaged: FileId | None = None
        self._closed = False
        self.epoch = 1
        """Grows whenever another file, or the same in another way, is opened."""
        self._opened = self._open(seconds)
        self._keep_first()

    @property
    def notice(self) -> str:
        """One sentence for people when something is not as it was; else empty."""
        return self._opened.notice

    @property
    def refusal(self) -> IndexUnavailable | None:
        """Why the index cannot be written; None when it can."""
        return self._opened.refusal

    def take(self, *, for_reading: bool) -> IndexConnection:
        """Hand out a connection to the file that is there, opening that if it is another one.

        Raises:
            IndexUnavailable: what is there cannot be opened.
            sqlite3.Error: it cannot be connected to.
        """
        while True:
            with self._held():
                self._follow()
                if self.refusal and not for_reading:
                    raise type(self.refusal)(str(self.refusal))
                for connection in self._idle:
                    if connection.for_reading == for_reading:
                        self._idle.remove(connection)
                        return connection
                opened, epoch = self._opened, self.epoch
            connection = self._connect(opened, for_reading=for_reading)
            if connection:
                connection.epoch = epoch
                return connection

    def give(self, connection: IndexConnection) -> None:
        """Take a connection back that is in no transaction."""
        with self._guard:
            if connection.epoch == self.epoch and not self._lost and not self._closed:
                self._idle.append(connection)
                return
        connection.close()

    def set_aside(self, damaged_epoch: int) -> None:
        """Set the file of an epoch aside and make another; called by whoever met damage in it.

        Raises:
            IndexUnavailable: that cannot be done; unless the index may not be written at all, it is
                tried again by the next `take` or `look`.
        """
        with self._held():
            if damaged_epoch == self.epoch and not self._lost:
                if self.refusal:
                    raise IndexUnavailable(_DAMAGED_FOR_EVER)
                self._lost, self._damaged = True, self._opened.file
            self._follow()

    def look(self) -> None:
        """See that the open file is the one that is there, and is written if it can be.

        Raises:
            IndexUnavailable: what is there cannot be opened.
        """
        with self._held():
            self._follow()
            if self._is_worth_a_try():
                self._try_to_write()

    def close(self) -> None:
        """Close all connections that are not in use, and the others when they are given back."""
        with self._guard:
            self._closed = True
            self._drop()

    @contextmanager
    def _held(self) -> Generator[None]:
        """Keep other threads out, and say what errors of the file system mean."""
        with self._guard:
            try:
                yield
            except OSError as error:
                raise faults.explain(error, self._path) from error

    def _connect(self, opened: Opened, *, for_reading: bool) -> IndexConnection | None:
        """Connect to an open file; None when it is not at the path any more."""
        seconds = READ_SECONDS if for_reading else ATTEMPT_SECONDS
        try:
            connection = opened.connect(seconds=seconds, for_reading=for_reading)
        except sqlite3.Error:
            if opened.look() == opened.mark:
                raise
            return None
        if opened.look() == opened.mark:
            return connection
        connection.close()
        return None

    def _follow(self) -> None:
        """Open what is at the path if that is not what is open."""
        if not self._lost and self._opened.look() == self._opened.mark:
            return
        if not self._lost:
            discard_log(self._opened, seconds=READ_SECONDS)
        # Until another file is open this one stays lost: its number may be given to another file.
        self._lost = True
        notice = _REPLACED if file_id(self._path) else _DELETED
        self._drop()
        opened = self._open(READ_SECONDS)
        self._begin_epoch(replace(opened, notice=opened.notice or notice))

    def _is_worth_a_try(self) -> bool:
        """Tell whether what keeps the index from being written may have passed."""
        if isinstance(self.refusal, IndexFull):
            return disk_usage(self._path.parent).free > _ROOM
        return self.refusal is not None and faults.may_write(self._path)

    def _try_to_write(self) -> None:
        # While connections that may only read are open, SQLite opens no other kind beside them.
        before = self._opened.mark
        self._lost = True
        self._drop()
        opened = self._open(ATTEMPT_SECONDS)
        if opened.refusal is None or opened.mark != before:
            self._begin_epoch(opened)
        else:
            self._opened, self._lost = opened, False
            self._keep_first()

    def _begin_epoch(self, opened: Opened) -> None:
        self._opened, self._lost, self._damaged = opened, False, None
        self.epoch += 1
        self._keep_first()

    def _keep_first(self) -> None:
        self._opened.first.epoch = self.epoch
        self._idle.append(self._opened.first)

    def _drop(self) -> None:
        while self._idle:
            self._idle.pop().close()
        self._opened.cleanup()

    def _open(self, seconds: float) -> Opened:
        path = self._path.resolve()
        try:
            return open_writable(path, self._parameters, seconds=seconds, damaged=self._damaged)
        except (OSError, sqlite3.Error) as error:
            refusal, cause = faults.explain(error, path), error
        if not isinstance(refusal, IndexFull | IndexReadOnly):
            raise refusal from cause
        if file_id(path):
            return self._open_for_reading(path, refusal, seconds)
        raise (
            IndexUnavailable(_NO_PLACE) if isinstance(refusal, IndexReadOnly) else refusal
        ) from cause

    def _open_for_reading(self, path: Path, refusal: IndexUnavailable, seconds: float) -> Opened:
        try:
            return open_for_reading(path, self._parameters, refusal, seconds=seconds)
        except (OSError, sqlite3.Error) as error:
            if faults.is_damage(error):
                raise IndexUnavailable(_DAMAGED_FOR_EVER) from error
            raise faults.explain(error, path) from error
