"""Opening an index file, and what a change leaves when it fails."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from hunch.errors import IndexBusy, IndexUnavailable
from hunch.store import schema
from hunch.store.connecting import LOG_BYTES, generation
from hunch.store.database import Database
from hunch.store.migration import migrate

if TYPE_CHECKING:
    from pathlib import Path


def shape(path: Path) -> list[tuple[str, ...]]:
    """Return the tables and indexes of a database."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT type, name, sql FROM sqlite_master ORDER BY name")
        return rows.fetchall()


def fresh(path: Path) -> Path:
    """Make an index and close it."""
    Database.open(path).close()
    return path


@pytest.mark.parametrize("version", range(schema.VERSION))
def test_every_older_schema_becomes_the_present_one(tmp_path: Path, version: int) -> None:
    """A database of each earlier version is brought up to date and ends like a fresh one."""
    old = tmp_path / "old.db"
    with closing(sqlite3.connect(old)) as connection:
        for script in schema.MIGRATIONS[:version]:
            connection.executescript(script)
        connection.execute(f"PRAGMA user_version = {version}")
    assert shape(fresh(old)) == shape(fresh(tmp_path / "new.db"))
    with closing(sqlite3.connect(old)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (schema.VERSION,)


def test_a_failed_migration_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step that breaks off in the middle is undone as a whole."""
    monkeypatch.setattr(schema, "MIGRATIONS", ("CREATE TABLE a (x);\nCREATE TABLE a (y);",))
    with closing(sqlite3.connect(tmp_path / "x.db", isolation_level=None)) as connection:
        with pytest.raises(sqlite3.OperationalError):
            migrate(connection)
        assert not connection.in_transaction
    assert shape(tmp_path / "x.db") == []


def test_an_index_of_a_newer_program_is_refused_and_kept(tmp_path: Path) -> None:
    """The message says what to do, and the file is left as it is."""
    path = fresh(tmp_path / "index.db")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 999")
    with pytest.raises(IndexUnavailable, match=r"newer Hunch \(schema 999\); update Hunch"):
        Database.open(path)
    assert [entry.name for entry in tmp_path.glob("*damaged*")] == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_only_the_user_may_read_the_index(tmp_path: Path) -> None:
    """The file, what SQLite lays beside it, and the folder made for it are private."""
    database = Database.open(tmp_path / "data" / "index.db")
    try:
        modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in (tmp_path / "data").iterdir()}
        assert modes["index.db"] == 0o600
        assert set(modes.values()) == {0o600}
        assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700
    finally:
        database.close()


@pytest.mark.parametrize("damage", ["all", "header", "schema", "cut"])
def test_a_damaged_index_is_set_aside_and_made_anew(tmp_path: Path, damage: str) -> None:
    """Whatever is wrong with the first pages, the file is kept under a name that is told."""
    path = fresh(tmp_path / "index.db")
    content = bytearray(path.read_bytes())
    if damage == "all":
        content[:] = b"no database at all " * 500
    elif damage == "header":
        content[:16] = b"\xff" * 16
    elif damage == "schema":
        content[100:4_000] = b"\xff" * 3_900
    else:
        del content[20_000:]
    path.write_bytes(bytes(content))
    database = Database.open(path)
    database.close()
    [aside] = tmp_path.glob("index.db.damaged-*")
    assert aside.read_bytes() == bytes(content)
    assert f"set aside as {aside.name}" in database.notice
    assert shape(path) == shape(fresh(tmp_path / "new.db"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_busy_index_is_not_damaged(tmp_path: Path) -> None:
    """That another program holds the file is told as such; nothing is set aside."""
    path = tmp_path / "index.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("CREATE TABLE x (y)")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(IndexBusy, match="Another program is using the index"):
            Database.open(path, seconds=0.1)
    assert [*tmp_path.glob("*damaged*")] == []


def test_an_index_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """A file where a folder should be gives a sentence with the way out."""
    (tmp_path / "file").write_text("")
    with pytest.raises(IndexUnavailable, match="HUNCH_DB"):
        Database.open(tmp_path / "file" / "index.db")


@pytest.mark.asyncio
async def test_a_change_that_raises_leaves_nothing(tmp_path: Path) -> None:
    """All of a change is undone when it raises, and the next change works."""
    database = Database.open(tmp_path / "index.db")
    before = await database.read(generation)

    def broken(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO texts (hash) VALUES (x'00')")
        raise KeyError("the test")

    def unlawful(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA defer_foreign_keys = ON")
        connection.execute("INSERT INTO vector_failures VALUES (7, 7, 'nobody')")

    def count(connection: sqlite3.Connection) -> int:
        return int(connection.execute("SELECT count(*) FROM texts").fetchone()[0])

    with pytest.raises(KeyError):
        await database.write(broken)
    with pytest.raises(IndexUnavailable):
        await database.write(unlawful)
    assert await database.read(count) == 0
    assert await database.read(generation) == before
    assert await database.write(count) == 0
    assert await database.read(generation) == before + 1
    database.close()


@pytest.mark.asyncio
async def test_readers_cannot_write(tmp_path: Path) -> None:
    """A reader that tries to change something is refused."""
    database = Database.open(tmp_path / "index.db")

    def write(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM texts")

    with pytest.raises(IndexUnavailable, match="may not be changed"):
        await database.read(write)
    database.close()


def test_many_processes_make_one_database(tmp_path: Path) -> None:
    """Processes that open a database at the same moment, before it is there, all get it."""
    program = (
        "import sys, pathlib; from hunch.store.database import Database; sys.stdin.readline();"
        "Database.open(pathlib.Path(sys.argv[1])).close()"
    )
    children = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(tmp_path / "x.db")],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(6)
    ]
    for child in children:
        assert child.stdin
        child.stdin.write(b"go\n")
        child.stdin.flush()
    assert [child.communicate()[1] for child in children] == [b""] * 6


@pytest.mark.asyncio
async def test_the_log_of_a_large_change_does_not_stay_on_the_disk(tmp_path: Path) -> None:
    """After a change that filled the write-ahead log, the next one gives the space back."""
    database = Database.open(tmp_path / "index.db")
    log = tmp_path / "index.db-wal"
    large = "INSERT INTO embedders (fingerprint, dimensions, center) VALUES ('x', 1, zeroblob(?))"
    try:
        await database.write(lambda connection: connection.execute(large, [2 * LOG_BYTES]))
        assert log.stat().st_size > LOG_BYTES
        await database.write(lambda connection: None)
        assert log.stat().st_size <= LOG_BYTES
    finally:
        database.close()
