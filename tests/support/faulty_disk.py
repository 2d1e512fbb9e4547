"""Plays what happens on a small or read-only disk, in a process that may mount one for itself.

Run as `unshare --map-root-user --mount python faulty_disk.py SCENE FOLDER`; prints what was seen as
JSON. The mounts end with the process.
"""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hunch.cli.checks import check_database
from hunch.config import Settings
from hunch.errors import IndexFull, IndexUnavailable
from hunch.store.database import Database

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Seen = dict[str, Any]

MEBIBYTE = 1 << 20


def mount(folder: Path, *options: str) -> None:
    """Mount a file system in memory, or change the one that is mounted."""
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", str(folder)], check=True
    )


def add(connection: sqlite3.Connection, size: int) -> None:
    """Write some bytes that take their room."""
    connection.execute("INSERT INTO texts (hash) VALUES (randomblob(?))", (size,))


def count(connection: sqlite3.Connection) -> int:
    """Count what `add` wrote."""
    return int(connection.execute("SELECT count(length(hash)) FROM texts").fetchone()[0])


def check(connection: sqlite3.Connection) -> str:
    """Examine the whole file."""
    return str(connection.execute("PRAGMA integrity_check").fetchone()[0])


async def failure(work: Awaitable[object]) -> str:
    """Return the kind and the sentence of what is raised."""
    try:
        await work
    except IndexUnavailable as error:
        return f"{type(error).__name__}: {error}"
    return ""


async def full(folder: Path) -> Seen:
    """Write until the disk is full, look, make room, write."""
    mount(folder, "size=8m")
    fill = folder / "fill"
    fill.write_bytes(bytes(3 * MEBIBYTE))
    database = Database.open(folder / "index.db")
    written, error = 0, ""
    while not error:
        error = await failure(database.write(add, 100_000))
        written += not error
    seen: Seen = {
        "error": error,
        "kept": await database.read(count) == written > 5,
        "check": await database.read(check),
        "read_only": database.read_only,
    }
    fill.unlink()
    await database.write(add, 100_000)
    seen["after"] = await database.read(count) - written
    database.close()
    return seen


async def full_at_start(folder: Path) -> Seen:
    """Open an index on a full disk, search, make room, write."""
    mount(folder, "size=8m")
    database = Database.open(folder / "index.db")
    await database.write(add, 100_000)
    database.close()
    fill = folder / "fill"
    with fill.open("wb", buffering=0) as file:
        while room(folder):
            file.write(bytes(4_096))
    seen: Seen = {"no index": ""}
    try:
        Database.open(folder / "other.db")
    except IndexFull as error:
        seen["no index"] = str(error)
    database = Database.open(folder / "index.db")
    seen |= {
        "read_only": database.read_only,
        "notice": database.notice,
        "count": await database.read(count),
        "error": await failure(database.write(add, 1)),
        "refreshed": await database.refresh(),
    }
    fill.unlink()
    seen["refreshed with room"] = await database.refresh()
    seen["error with room"] = await failure(database.write(add, 1))
    seen["count with room"] = await database.read(count)
    seen["notice with room"] = database.notice
    database.close()
    return seen


def room(folder: Path) -> bool:
    """Tell whether a page fits on the disk."""
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize >= 4_096


async def read_only(folder: Path, leave: Callable[[Path], None]) -> Seen:
    """Search an index on a file system that becomes read-only, and write when it may be written."""
    mount(folder, "size=8m")
    path = folder / "index.db"
    leave(path)
    mount(folder, "remount", "ro")
    database = Database.open(path)
    seen: Seen = {
        "read_only": database.read_only,
        "notice": database.notice,
        "count": await database.read(count),
        "check": await database.read(check),
        "error": await failure(database.write(add, 1)),
        "refreshed": await database.refresh(),
    }
    mount(folder, "remount", "rw")
    seen["refreshed later"] = await database.refresh()
    seen["error later"] = await failure(database.write(add, 1))
    seen["count later"] = await database.read(count)
    seen["notice later"] = database.notice
    database.close()
    return seen


def closed(path: Path) -> None:
    """Leave an index as a program that ended well."""
    _play(path, close=True)


def crashed(path: Path) -> None:
    """Leave an index with a log, as a machine that lost its power."""
    killed(path)
    path.with_name(path.name + "-shm").unlink()


def killed(path: Path) -> None:
    """Leave an index with all that a program leaves that was killed."""
    _play(path, close=False)


def _play(path: Path, *, close: bool) -> None:
    """Write a text in another process."""
    child = os.fork()
    if not child:
        asyncio.run(_write_and_end(path, close=close))
    os.waitpid(child, 0)


async def _write_and_end(path: Path, *, close: bool) -> None:
    database = Database.open(path)
    await database.write(add, 100)
    if close:
        database.close()
    os._exit(0)


async def refusals(folder: Path) -> Seen:
    """Open what cannot be opened on a read-only file system."""
    mount(folder, "size=8m")
    Database.open(folder / "old.db").close()
    with closing(sqlite3.connect(folder / "old.db")) as connection:
        connection.execute("PRAGMA user_version = 0")
    Database.open(folder / "damaged.db").close()
    with (folder / "damaged.db").open("r+b") as file:
        file.write(b"garbage " * 500)
    mount(folder, "remount", "ro")
    seen: Seen = {}
    for name in ("missing.db", "old.db", "damaged.db"):
        seen[name] = await failure(asyncio.to_thread(Database.open, folder / name))
    return seen


async def doctor(folder: Path) -> Seen:
    """Have `hunch doctor` look at an index on a read-only file system."""
    os.environ.pop("HUNCH_DB", None)
    mount(folder, "size=8m")
    Database.open(folder / "index.db").close()
    mount(folder, "remount", "ro")
    found = await check_database(Settings(database=str(folder / "index.db")))
    return {"verdict": found.verdict, "message": found.message.partition(": ")[2]}


SCENES: dict[str, Callable[[Path], Awaitable[Seen]]] = {
    "full": full,
    "full at start": full_at_start,
    "read-only, closed": lambda folder: read_only(folder, closed),
    "read-only, crashed": lambda folder: read_only(folder, crashed),
    "read-only, killed": lambda folder: read_only(folder, killed),
    "refusals": refusals,
    "doctor": doctor,
}


async def play(scene: str, folder: Path) -> Seen:
    """Play one of the scenes."""
    return await SCENES[scene](folder)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(play(sys.argv[1], Path(sys.argv[2])))))
