"""Opening an index file: making it, setting a damaged one aside, or falling back to reading it.

Whoever makes or replaces the file holds the lock beside it, so that several processes that notice
at once do it once.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from filelock import FileLock, Timeout

from hunch.errors import IndexBusy
from hunch.filesystems import is_network
from hunch.store import faults, schema
from hunch.store.connecting import connect, generation
from hunch.store.migration import migrate

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from pathlib import Path

    from hunch.errors import IndexUnavailable
    from hunch.store.connecting import IndexConnection

logger = logging.getLogger(__name__)

PAGE_BYTES = 8_192
"""Five int16 vectors of 768 dimensions fill a page of this size with little waste."""

_PAUSE = 0.02
"""Seconds between two attempts to open a database that others are opening."""

ATTEMPT_SECONDS = 1.0
"""How long one attempt to open or to change the index waits; between two, it can be given up."""

COMPANIONS = ("-wal", "-shm", "-journal")
"""Endings of what SQLite lays beside the file."""


class FileId(NamedTuple):
    """Names a file as long as somebody holds it open."""

    device: int
    number: int


@dataclass(frozen=True)
class Opened:
    """A file that was opened, and how to connect to it once more."""

    path: Path
    """Of the file that is read: the index itself, or a copy of it."""
    parameters: Mapping[str, str]
    file: FileId | None
    """The index itself."""
    journal_mode: str
    """In small letters: `wal`, unless the file system does not allow it."""
    mark: object
    """What `look` returned for it."""
    look: Callable[[], object]
    """Names what lies at the index's path at the moment; another answer means another file."""
    first: IndexConnection
    """As long as it is open, the system gives the file's number to no other file."""
    log: int = 0
    """The number of the file that holds the write-ahead log; 0 when there is none of ours."""
    refusal: IndexUnavailable | None = None
    """Why it cannot be written; None when it can."""
    notice: str = ""
    """One sentence for people when something is not as it was; else empty."""
    cleanup: Callable[[], None] = lambda: None
    """Removes what was made for the time that the file is open."""

    def connect(self, *, seconds: float, for_reading: bool) -> IndexConnection:
        """Connect once more; see `connecting.connect`."""
        # A rollback journal that is not synced may be lost with the power, and the file with it.
        synchronous = "NORMAL" if self.journal_mode == "wal" else "FULL"
        return connect(
            self.path,
            self.parameters,
            seconds=seconds,
            for_reading=for_reading,
            synchronous=synchronous,
        )


def file_id(path: Path) -> FileId | None:
    """Name the file at a path; None when there is none, or nothing in it."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return FileId(found.st_dev, found.st_ino) if found.st_size else None


def companion(path: Path, ending: str) -> Path:
    """Return the path of what SQLite lays beside a file."""
    return path.with_name(path.name + ending)


def open_writable(
    path: Path, parameters: Mapping[str, str], *, seconds: float, damaged: FileId | None = None
) -> Opened:
    """Open the index for reading and writing, making it when it is missing or damaged.

    Args:
        path: absolute, no symbolic link.
        parameters: for SQLite.
        seconds: how long to wait for other programs.
        damaged: the file that is known to be damaged.

    Raises:
        OSError, sqlite3.Error, IndexUnavailable: it cannot be opened.
    """
    notice = ""
    seen = file_id(path)
    if seen is None or seen == damaged:
        notice = _replace(path, seen, parameters, seconds)
    try:
        opened = _open(path, parameters, seconds)
    except sqlite3.Error as error:
        if not faults.is_damage(error):
            raise
        notice = _replace(path, seen, parameters, seconds)
        opened = _open(path, parameters, seconds)
    return replace(opened, notice=notice)


def _open(path: Path, parameters: Mapping[str, str], seconds: float) -> Opened:
    # Taken first: a file that is laid there in the meantime shows as another one.
    seen = file_id(path)
    connection, journal_mode = _prepared(path, parameters, seconds)
    # A log that was deleted takes with it what we wrote, and what we write.
    wal = companion(path, "-wal") if journal_mode == "wal" else None
    log = _number(wal) if wal else 0

    def look() -> object:
        return file_id(path), _number(wal) if wal else 0

    return Opened(path, parameters, seen, journal_mode, (seen, log), look, connection, log)


def _number(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0


def discard_log(before: Opened, *, seconds: float) -> None:
    """Remove the log of a file that another one was laid in the place of.

    SQLite would take it for the log of that one, and mix the two.

    Args:
        before: the file that was there, still open.
        seconds: how long to wait for other programs that do the same.

    Raises:
        OSError, IndexBusy: that cannot be done.
    """
    if file_id(before.path) in {None, before.file} or not before.log:
        return
    with _locked(before.path, seconds):
        if _number(companion(before.path, "-wal")) == before.log:
            for ending in COMPANIONS:
                companion(before.path, ending).unlink(missing_ok=True)


def _replace(path: Path, seen: FileId | None, parameters: Mapping[str, str], seconds: float) -> str:
    """Lay a good file in the place of a missing or damaged one, unless somebody just did."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _locked(path, seconds):
        if file_id(path) not in {None, seen}:
            return ""
        notice = _set_aside(path) if seen else ""
        _make(path, parameters, seconds)
        return notice


@contextmanager
def _locked(path: Path, seconds: float) -> Generator[None]:
    lock = FileLock(companion(path, ".opening"), timeout=seconds, mode=0o600)
    try:
        lock.acquire()
    except Timeout as error:
        raise IndexBusy(faults.BUSY) from error
    try:
        yield
    finally:
        lock.release()


def _make(path: Path, parameters: Mapping[str, str], seconds: float) -> None:
    # Remains of a file that is gone would be taken for parts of the one that is made, and whoever
    # still has the old one open would share memory with it.
    for ending in ("", *COMPANIONS):
        companion(path, ending).unlink(missing_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    connection, _ = _prepared(path, parameters, seconds)
    connection.close()


def _set_aside(path: Path) -> str:
    aside = path.with_name(f"{path.name}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S}")
    # First the log: it must not meet a file that somebody makes in between.
    for ending in COMPANIONS:
        companion(path, ending).unlink(missing_ok=True)
    path.replace(aside)
    logger.warning("the index was damaged and has been set aside")
    return f"The index was damaged; it was set aside as {aside.name} and is being rebuilt."


def _prepared(
    path: Path, parameters: Mapping[str, str], seconds: float
) -> tuple[IndexConnection, str]:
    """Connect, and bring the file into shape, waiting for others that do the same.

    SQLite does not wait by itself where two processes turn one file to WAL at once.
    """
    wal = not is_network(path)
    deadline = time.monotonic() + seconds - ATTEMPT_SECONDS
    while True:
        try:
            return _try_to_prepare(path, parameters, min(seconds, ATTEMPT_SECONDS), wal=wal)
        except sqlite3.OperationalError as error:
            if not faults.is_busy(error) or time.monotonic() > deadline:
                raise
        time.sleep(_PAUSE)


def _try_to_prepare(
    path: Path, parameters: Mapping[str, str], seconds: float, *, wal: bool
) -> tuple[IndexConnection, str]:
    connection = connect(path, parameters, seconds=seconds)
    try:
        return connection, _prepare(connection, wal=wal)
    except BaseException:
        connection.close()
        raise


def _prepare(connection: IndexConnection, *, wal: bool) -> str:
    connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
    journal_mode = choose_journal(connection, wal=wal)
    migrate(connection)
    generation(connection)  # the first pages are read, so that damage shows now
    _refuse_read_only(connection)
    return journal_mode


def _refuse_read_only(connection: IndexConnection) -> None:
    """Find out now what SQLite says only when something is changed; waits for nobody."""
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(f"PRAGMA user_version = {schema.VERSION}")
    except sqlite3.OperationalError as error:
        if not faults.is_busy(error):
            raise
    connection.rollback()
    connection.execute(f"PRAGMA busy_timeout = {int(ATTEMPT_SECONDS * 1000)}")


def choose_journal(connection: sqlite3.Connection, *, wal: bool) -> str:
    """Turn the write-ahead log on where it works, else use a rollback journal.

    Args:
        connection: in no transaction.
        wal: whether the log may work at all. On network file systems it does not, even where
            SQLite believes it does: its memory is shared on one machine only.

    Returns:
        The journal mode that the file has after that, in small letters.
    """
    [answer] = connection.execute(f"PRAGMA journal_mode = {'WAL' if wal else 'DELETE'}").fetchone()
    if answer != "wal":
        connection.execute("PRAGMA synchronous = FULL")
    return str(answer)
