"""An index that is damaged, deleted, locked, full or read-only while it is in use."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hunch.errors import IndexBusy, IndexReplaced
from hunch.store import file, opening, sources
from hunch.store.connecting import generation
from hunch.store.database import Database
from hunch.store.opening import choose_journal
from hunch.store.snapshot import Snapshots
from support import engine_store as store
from support import faulty_disk
from support.faulty_disk import add, check, count

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

TEXTS = 200

DOTFILE = {"vfs": "unix-dotfile"}
"""SQLite without shared memory, as on file systems where the write-ahead log does not work."""

needs_unix = pytest.mark.skipif(sys.platform == "win32", reason="an open file stays on Windows")
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="mounts a file system")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the index lies."""
    return tmp_path / "data" / "index.db"


@pytest.fixture
def opened(path: Path) -> Generator[Callable[..., Database]]:
    """Opens the index as many times as a test likes, until its end."""
    databases: list[Database] = []

    def open_index(**options: Any) -> Database:
        databases.append(Database.open(path, **options))
        return databases[-1]

    yield open_index
    for database in databases:
        database.close()


async def filled(path: Path) -> None:
    """Make an index of many pages, and close it."""
    database = await asyncio.to_thread(Database.open, path)

    def fill(connection: sqlite3.Connection) -> None:
        for _ in range(TEXTS):
            add(connection, 3_000)

    await database.write(fill)
    await asyncio.to_thread(database.close)


def overwrite(path: Path, at: int, content: bytes) -> None:
    """Write into a file where it lies."""
    with path.open("r+b") as opened:
        opened.seek(at)
        opened.write(content)


def delete(path: Path) -> None:
    """Delete the index, as people do: they leave what lies beside it."""
    path.unlink()


def another(path: Path) -> None:
    """Lay another index in the place of one."""
    Database.open(path.with_name("other.db")).close()
    path.with_name("other.db").replace(path)


FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "deleted": (delete, "was deleted"),
    "folder deleted": (lambda path: shutil.rmtree(path.parent), "was deleted"),
    "emptied": (lambda path: path.write_bytes(b""), "was deleted"),
    "cut": (lambda path: path.write_bytes(path.read_bytes()[:50_000]), "was damaged"),
    "garbage": (lambda path: overwrite(path, 0, b"garbage " * 100_000), "was damaged"),
    "garbage inside": (lambda path: overwrite(path, 30_000, b"garbage " * 50_000), "was damaged"),
    "zeros inside": (lambda path: overwrite(path, 30_000, bytes(400_000)), "was damaged"),
    "replaced": (another, "was replaced"),
    "log deleted": (lambda path: path.with_name("index.db-wal").unlink(), "was replaced"),
}
"""What happens to a file, and how people are told."""

MET_BY_READING = {"cut", "garbage", "garbage inside", "zeros inside"}


@needs_unix
@pytest.mark.parametrize("meets", ["read", "write", "refresh"])
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.asyncio
async def test_a_lost_index_is_made_anew(
    fault: str, meets: str, path: Path, opened: Callable[..., Database]
) -> None:
    """Whoever meets the fault first, another file takes the place and work goes on with that."""
    await filled(path)
    database = opened()
    before = database.epoch
    damage, told = FAULTS[fault]
    damage(path)
    if meets == "write":
        with pytest.raises(IndexReplaced, match=told):
            await database.write(count)
    elif meets == "read":
        if fault in MET_BY_READING:
            with pytest.raises(IndexReplaced, match=told):
                await database.read(count)
        else:
            assert await database.read(count) in {0, TEXTS}
    elif not await database.refresh():
        # Damage inside shows only to those who read it.
        with pytest.raises(IndexReplaced, match=told):
            await database.read(count)
    await database.refresh()
    assert database.epoch > before
    assert told in database.notice
    assert await database.read(count) == (TEXTS if fault == "log deleted" else 0)
    await database.write(add, 10)
    assert await database.read(check) == "ok"
    assert not await database.refresh()
    kept = [*path.parent.glob("*.damaged-*")]
    assert len(kept) == (told == "was damaged")


@needs_unix
@pytest.mark.asyncio
async def test_the_log_of_a_file_before_is_not_mixed_in(
    path: Path, opened: Callable[..., Database]
) -> None:
    """What was written to a file is not found in the one that is laid in its place."""
    databases = [opened(), opened()]
    for _ in range(3):
        await databases[0].write(add, 10)
    another(path)
    assert [await database.read(count) for database in databases] == [0, 0]
    assert [await database.refresh() for database in databases] == [True, True]
    for database in databases:
        await database.write(add, 10)
    assert [await database.read(count) for database in databases] == [2, 2]
    assert [await database.read(check) for database in databases] == ["ok", "ok"]
    assert [*path.parent.glob("*.damaged-*")] == []


@needs_unix
@pytest.mark.asyncio
async def test_changes_for_the_file_before_are_refused(
    path: Path, opened: Callable[..., Database]
) -> None:
    """Until `refresh` has told of another file, nothing is written to it; reads go on."""
    database = opened()
    delete(path)
    for _ in range(2):
        with pytest.raises(IndexReplaced):
            await database.write(add, 10)
        with pytest.raises(IndexReplaced):
            await database.maintain(add, 10)
    assert await database.read(count) == 0
    assert await database.refresh()
    await database.write(add, 10)
    assert await database.read(count) == 1


@needs_unix
@pytest.mark.asyncio
async def test_who_notices_together_replaces_once(
    path: Path, opened: Callable[..., Database]
) -> None:
    """Several programs that meet the same damage set it aside once and share what is made."""
    await filled(path)
    databases = [opened() for _ in range(4)]
    overwrite(path, 30_000, b"garbage " * 50_000)
    answers = await asyncio.gather(
        *(database.read(count) for database in databases for _ in range(2)), return_exceptions=True
    )
    assert {type(answer) for answer in answers} <= {IndexReplaced, int}
    for database in databases:
        await database.refresh()
    await databases[0].write(add, 10)
    assert [await database.read(count) for database in databases] == [1] * 4
    assert len([*path.parent.glob("*.damaged-*")]) == 1


@needs_unix
@pytest.mark.parametrize("busy", [False, True])
@pytest.mark.asyncio
async def test_a_snapshot_is_of_one_file(
    busy: bool, path: Path, opened: Callable[..., Database]
) -> None:
    """Nothing of a snapshot is reused for another file whose numbers happen to be the same."""
    database = opened()
    snapshots = Snapshots(database)
    for name in ("one", "two"):
        await database.write(sources.ensure_source, "workspace", Path(f"/{name}"), name)
        snapshot = await snapshots.get(None, busy=busy)
        assert [(source.id, source.label) for source in snapshot.sources.values()] == [(1, name)]
        assert snapshot.generation == 1
        delete(path)
        assert await database.refresh()


class Other:
    """Another program that holds the index."""

    def __init__(self, path: Path, *statements: str, **parameters: str) -> None:
        address = path.as_uri() + "?" + "&".join(f"{k}={v}" for k, v in parameters.items())
        self._connection = sqlite3.connect(address, uri=True, isolation_level=None)
        for statement in statements:
            self._connection.execute(statement).fetchall()

    def close(self) -> None:
        """Let go."""
        self._connection.close()


@pytest.mark.parametrize("network", [False, True])
@pytest.mark.parametrize("statements", [["BEGIN IMMEDIATE"], ["BEGIN", "SELECT * FROM generation"]])
@pytest.mark.asyncio
async def test_a_change_waits_for_other_programs(
    network: bool,
    statements: list[str],
    path: Path,
    opened: Callable[..., Database],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It waits as long as it takes, says so, and is made as soon as the other lets go."""
    monkeypatch.setattr(opening, "is_network", lambda _: network)
    database = opened()
    with closing(Other(path, *statements)):
        change = asyncio.create_task(database.write(add, 10))
        if network or statements == ["BEGIN IMMEDIATE"]:
            while not database.waiting:
                await database.refresh()
            assert "indexing goes on when it is done" in database.waiting
            assert not change.done()
        else:
            await change  # with a log, nobody waits for readers
    await change
    assert database.waiting == ""
    assert await database.read(count) == 1
    assert [*path.parent.glob("*.damaged-*")] == []


@pytest.mark.asyncio
async def test_closing_gives_a_waiting_change_up(
    path: Path, opened: Callable[..., Database]
) -> None:
    """Nobody has to wait for another program in order to end."""
    database = opened()
    with closing(Other(path, "BEGIN IMMEDIATE")):
        change = asyncio.create_task(database.write(add, 10))
        while not database.waiting:
            assert await database.read(count) == 0  # reads go on
        await asyncio.to_thread(database.close)
        with pytest.raises(IndexBusy):
            await change


@pytest.mark.asyncio
async def test_a_search_does_not_wait_for_ever(
    path: Path, opened: Callable[..., Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader that is kept out says so, and reads once it is let in."""
    monkeypatch.setattr(file, "READ_SECONDS", 0.1)
    database = opened(parameters=DOTFILE)
    other = Other(path, "BEGIN EXCLUSIVE", **DOTFILE)
    with closing(other), pytest.raises(IndexBusy, match="try again in a moment"):
        await database.read(count)
    assert await database.read(count) == 0
    assert database.epoch == 1


@pytest.fixture
def raw(tmp_path: Path) -> Generator[Callable[..., sqlite3.Connection]]:
    """Connections that know nothing of the index."""
    made: list[sqlite3.Connection] = []

    def connect(parameters: str) -> sqlite3.Connection:
        address = f"{(tmp_path / 'x.db').as_uri()}?{parameters}"
        made.append(sqlite3.connect(address, uri=True, isolation_level=None))
        return made[-1]

    yield connect
    for connection in made:
        connection.close()


@pytest.mark.parametrize(
    ("parameters", "wal", "mode", "synchronous"),
    [("", True, "wal", None), ("", False, "delete", 2), ("vfs=unix-dotfile", True, "delete", 2)],
)
def test_the_log_is_used_where_it_works(
    parameters: str,
    wal: bool,
    mode: str,
    synchronous: int | None,
    raw: Callable[..., sqlite3.Connection],
) -> None:
    """Elsewhere changes go through a rollback journal that is written to the disk in full."""
    connection = raw(parameters)
    connection.execute("PRAGMA synchronous = NORMAL")
    assert choose_journal(connection, wal=wal) == mode
    [found] = connection.execute("PRAGMA synchronous").fetchone()
    assert found == (synchronous or 1)


@pytest.mark.asyncio
async def test_an_index_without_a_log_works(path: Path, opened: Callable[..., Database]) -> None:
    """Two programs read and write one index whose file system has no shared memory."""
    one = opened(parameters=DOTFILE)
    two = opened(parameters=DOTFILE)
    await asyncio.gather(*(each.write(add, 10) for each in (one, two) for _ in range(20)))
    assert await one.read(count) == await two.read(count) == 40

    def journal(connection: sqlite3.Connection) -> tuple[str, int]:
        asked = ("PRAGMA journal_mode", "PRAGMA synchronous")
        mode, synchronous = (connection.execute(each).fetchone()[0] for each in asked)
        return mode, synchronous

    assert await one.read(journal) == await one.write(journal) == ("delete", 2)
    assert await two.read(check) == "ok"


FULL = "The disk with the index is full; indexing goes on when there is room."
READ_ONLY = "The index may not be changed here: searches work, indexing does not."
SEARCHED = {
    "read_only": True,
    "notice": READ_ONLY,
    "count": 1,
    "check": "ok",
    "error": f"IndexReadOnly: {READ_ONLY}",
    "refreshed": False,
    "refreshed later": True,
    "error later": "",
    "count later": 2,
    "notice later": "",
}
SEEN: dict[str, dict[str, Any]] = {
    "full": {
        "error": f"IndexFull: {FULL}",
        "kept": True,
        "check": "ok",
        "read_only": False,
        "after": 1,
    },
    "full at start": {
        "no index": FULL,
        "read_only": True,
        "notice": FULL,
        "count": 1,
        "error": f"IndexFull: {FULL}",
        "refreshed": False,
        "refreshed with room": True,
        "error with room": "",
        "count with room": 2,
        "notice with room": "",
    },
    "read-only, closed": SEARCHED,
    "read-only, crashed": SEARCHED,
    "read-only, killed": SEARCHED,
    "doctor": {"verdict": "warn", "message": READ_ONLY},
    "refusals": {
        "missing.db": "IndexUnavailable: The index cannot be made, since its folder may not be"
        " written. Move it with HUNCH_DB or the setting database.",
        "old.db": "IndexReadOnly: The index was made by an older Hunch and cannot be brought up to"
        f" date. {READ_ONLY}",
        "damaged.db": "IndexUnavailable: The index is damaged, and it may not be replaced here."
        " Move it with HUNCH_DB or the setting database.",
    },
}


@needs_linux
@pytest.mark.parametrize("scene", faulty_disk.SCENES)
def test_what_a_faulty_disk_does(scene: str, tmp_path: Path) -> None:
    """A full or read-only disk damages nothing, is told, and is used again when it is well."""
    program = [sys.executable, faulty_disk.__file__, scene, str(tmp_path)]
    child = subprocess.run(
        ["unshare", "--map-root-user", "--mount", *program],
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.stderr == ""
    assert json.loads(child.stdout) == SEEN[scene]


WRITER = """
import asyncio, pathlib, sys
from hunch.store.database import Database
from support.faulty_disk import add

async def main():
    database = Database.open(pathlib.Path(sys.argv[1]))
    while True:
        await database.write(add, 20_000)
        print("written", flush=True)

asyncio.run(main())
"""


@needs_unix
def test_a_killed_writer_loses_nothing(path: Path) -> None:
    """What was written before a process is killed is there, and the file is sound."""
    tests = str(Path(store.__file__).parent.parent)
    for lines in (1, 7, 23):
        path.unlink(missing_ok=True)
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)],
            stdout=subprocess.PIPE,
            env={"PYTHONPATH": tests, "PYTHONWARNINGS": "error"},
        ) as child:
            assert child.stdout
            for _ in range(lines):
                assert child.stdout.readline() == b"written\n"
            child.kill()
        Database.open(path).close()
        with closing(sqlite3.connect(path)) as connection:
            assert check(connection) == "ok"
            assert count(connection) >= lines
            assert generation(connection) == count(connection)
        assert [*path.parent.glob("*.damaged-*")] == []
