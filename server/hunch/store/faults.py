"""What SQLite's and the system's errors mean for the index, and the sentences for people.

Errors are told apart by their codes (https://sqlite.org/rescode.html), never by their texts.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from typing import TYPE_CHECKING

from hunch.errors import IndexBusy, IndexFull, IndexReadOnly, IndexReplaced, IndexUnavailable

if TYPE_CHECKING:
    from pathlib import Path

BUSY = "Another program is using the index; try again in a moment."
WAITING = "Another program is using the index; indexing goes on when it is done."
FULL = "The disk with the index is full; indexing goes on when there is room."
READ_ONLY = "The index may not be changed here: searches work, indexing does not."
LOST = "The index is damaged or gone, and is being replaced; try again in a moment."
_WAY_OUT = "Move it with HUNCH_DB or the setting database."
CONFLICT = "Another program changed the index meanwhile; try again."

_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_DAMAGE_IN_READING = {
    sqlite3.SQLITE_IOERR_SHORT_READ,
    sqlite3.SQLITE_IOERR_DATA,
    sqlite3.SQLITE_IOERR_CORRUPTFS,
}
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}
_WITHOUT_RIGHTS = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM}
"""What SQLite says, among other things, where it may not write."""


def is_damage(error: BaseException) -> bool:
    """Tell whether the content of the file is broken, which being busy never means."""
    code = _code(error)
    return code & 0xFF in _DAMAGE or code in _DAMAGE_IN_READING


def is_busy(error: BaseException) -> bool:
    """Tell whether another program holds the file, so that trying again helps."""
    return _code(error) & 0xFF in _BUSY or isinstance(error, IndexBusy)


def is_full(error: BaseException) -> bool:
    """Tell whether the disk has no room."""
    if isinstance(error, OSError):
        return error.errno in _NO_ROOM
    code = _code(error)
    # The latter is what a reader meets that has to make the shared memory of the log.
    return code & 0xFF == sqlite3.SQLITE_FULL or code == sqlite3.SQLITE_IOERR_SHMSIZE


def is_forbidden(error: BaseException, path: Path) -> bool:
    """Tell whether the file, its folder or its file system may not be written."""
    if isinstance(error, OSError):
        return error.errno in _FORBIDDEN
    primary = _code(error) & 0xFF
    return primary == sqlite3.SQLITE_READONLY or (
        primary in _WITHOUT_RIGHTS and not may_write(path)
    )


def may_write(path: Path) -> bool:
    """Tell whether the system lets us change a file that is there, and its folder."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def explain(error: OSError | sqlite3.Error, path: Path) -> IndexUnavailable:
    """Say what an error means for the index at a path."""
    if is_damage(error) or _code(error) == sqlite3.SQLITE_READONLY_DBMOVED:
        return IndexReplaced(LOST)
    if is_busy(error):
        return IndexBusy(BUSY)
    if is_full(error):
        return IndexFull(FULL)
    if is_forbidden(error, path):
        return IndexReadOnly(READ_ONLY)
    if isinstance(error, sqlite3.IntegrityError):
        return IndexUnavailable(CONFLICT)
    verb = "opened" if isinstance(error, OSError) else "used"
    return IndexUnavailable(f"The index {path.name} cannot be {verb}: {_reason(error)}. {_WAY_OUT}")


def _reason(error: OSError | sqlite3.Error) -> str:
    """Leave out the path, which messages of the operating system hold."""
    return (error.strerror or "unknown error") if isinstance(error, OSError) else str(error)


def _code(error: BaseException) -> int:
    # Errors that Python's own module raises have no code.
    return int(getattr(error, "sqlite_errorcode", 0))
