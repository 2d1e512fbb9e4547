"""Opening an index that cannot be written: for searches it is as good as any."""

from __future__ import annotations

import shutil
import sqlite3
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from hunch.errors import IndexReadOnly
from hunch.store import faults, schema
from hunch.store.connecting import connect, generation
from hunch.store.migration import refuse_newer, version
from hunch.store.opening import COMPANIONS, Opened, companion, file_id

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping

    from hunch.errors import IndexUnavailable
    from hunch.store.connecting import IndexConnection

_READING = {"mode": "ro"}
_STILL = {"mode": "ro", "immutable": "1"}
"""SQLite reads the file alone, without locks, and relies on it to stay as it is."""


def open_for_reading(
    path: Path, parameters: Mapping[str, str], refusal: IndexUnavailable, *, seconds: float
) -> Opened:
    """Open the index so that it can be searched.

    The log needs memory that is shared through a file. Where that file cannot be made, the index is
    read as it lies; if there is a log, too, both are copied to where they can be put together.

    Args:
        path: absolute, no symbolic link.
        parameters: for SQLite.
        refusal: why the index cannot be written.
        seconds: how long each statement waits for other programs.

    Raises:
        OSError, sqlite3.Error, IndexUnavailable: it cannot be read either, or has the tables of
            another version.
    """
    try:
        return _opened(path, path, dict(parameters) | _READING, refusal, seconds, _names)
    except sqlite3.OperationalError as error:
        if faults.is_busy(error) or faults.is_damage(error):
            raise
    if not any(_size(companion(path, ending)) for ending in ("-wal", "-journal")):
        return _opened(path, path, dict(parameters) | _STILL, refusal, seconds, _state)
    temporary = TemporaryDirectory(prefix="hunch-")
    try:
        place = _copied(path, Path(temporary.name))
        opened = _opened(path, place, dict(parameters), refusal, seconds, _state)
    except BaseException:
        temporary.cleanup()
        raise
    return replace(opened, cleanup=temporary.cleanup)


def _opened(
    path: Path,
    place: Path,
    parameters: Mapping[str, str],
    refusal: IndexUnavailable,
    seconds: float,
    look: Callable[[Path], object],
) -> Opened:
    mark = look(path)
    connection = _connected(place, parameters, seconds)
    [journal_mode] = connection.execute("PRAGMA journal_mode").fetchone()
    return Opened(
        path=place,
        parameters=parameters,
        file=file_id(path),
        journal_mode=str(journal_mode),
        mark=mark,
        look=partial(look, path),
        first=connection,
        refusal=refusal,
        notice=str(refusal),
    )


def _names(path: Path) -> object:
    """Name the file and its log."""
    return [found and (found.st_dev, found.st_ino) for found in _stats(path)]


def _state(path: Path) -> object:
    """Name the file and its log as they are: what is read without locks may change unnoticed."""
    return [
        found and (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
        for found in _stats(path)
    ]


def _stats(path: Path) -> Iterator[os.stat_result | None]:
    for each in (path, companion(path, "-wal")):
        try:
            yield each.stat()
        except OSError:
            yield None


def _connected(path: Path, parameters: Mapping[str, str], seconds: float) -> IndexConnection:
    connection = connect(path, parameters, seconds=seconds, for_reading=True)
    try:
        refuse_newer(connection)
        if version(connection) < schema.VERSION:
            message = f"The index was made by an older Hunch and cannot be brought up to date. {faults.READ_ONLY}"
            raise IndexReadOnly(message)
        generation(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _copied(path: Path, folder: Path) -> Path:
    # The shared memory is left behind; SQLite makes it from the log.
    for ending in ("", *(each for each in COMPANIONS if each != "-shm")):
        if companion(path, ending).exists():
            shutil.copyfile(companion(path, ending), folder / f"index{ending}")
    return folder / "index"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
