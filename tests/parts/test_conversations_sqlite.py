"""Reading databases of other programs."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from hunch.errors import LogUnavailable
from hunch.sources.conversations.foreign_sqlite import open_foreign

if TYPE_CHECKING:
    from pathlib import Path

TABLES = frozenset({"chats"})


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Give a database with one table to read and one with secrets."""
    path = tmp_path / "their data.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(
            "CREATE TABLE chats (id INTEGER, text TEXT); INSERT INTO chats VALUES (1, 'hello');"
            "CREATE TABLE credentials (token TEXT); INSERT INTO credentials VALUES ('SECRET');"
        )
    return path


def to_wal(path: Path) -> sqlite3.Connection:
    """Open the database as its owner does, in WAL mode."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    return connection


def names(path: Path) -> set[str]:
    """List the folder of a file."""
    return {each.name for each in path.parent.iterdir()}


def test_named_tables_are_read(database: Path) -> None:
    """Rows and columns of the tables that are asked for can be had."""
    with open_foreign(database, TABLES) as foreign:
        assert foreign.rows("SELECT id, text FROM chats WHERE id = ?", (1,)) == [(1, "hello")]
        assert foreign.columns("chats") == {"id", "text"}
        assert foreign.columns("none") == frozenset()


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT token FROM credentials",
        "SELECT text FROM chats UNION SELECT token FROM credentials",
        "SELECT (SELECT token FROM credentials) FROM chats",
        "SELECT count(*) FROM credentials",
        "DELETE FROM chats",
        "INSERT INTO chats VALUES (2, 'x')",
        "PRAGMA journal_mode = DELETE",
        "ATTACH DATABASE ':memory:' AS other",
    ],
)
def test_everything_else_is_refused(database: Path, statement: str) -> None:
    """Other tables cannot be read, and nothing can be changed, whatever the statement."""
    with open_foreign(database, TABLES) as foreign, pytest.raises(LogUnavailable):
        foreign.rows(statement)
    with open_foreign(database, TABLES) as foreign:
        assert foreign.columns("credentials") == frozenset()


def test_a_closed_database_is_left_without_trace(database: Path) -> None:
    """Reading a database in WAL mode that nobody has open makes no file beside it."""
    to_wal(database).close()
    before = (names(database), database.stat().st_mtime_ns)
    with open_foreign(database, TABLES) as foreign:
        assert foreign.rows("SELECT text FROM chats") == [("hello",)]
        assert (names(database), database.stat().st_mtime_ns) == before
    assert (names(database), database.stat().st_mtime_ns) == before


def test_what_only_the_log_holds_is_read(database: Path) -> None:
    """Rows that the owner has not moved from its write-ahead log into the file yet are seen."""
    with closing(to_wal(database)) as owner:
        owner.execute("INSERT INTO chats VALUES (2, 'fresh')")
        before = names(database)
        with open_foreign(database, TABLES) as foreign:
            assert len(foreign.rows("SELECT text FROM chats")) == 2
            owner.execute("INSERT INTO chats VALUES (3, 'fresher')")
            assert len(foreign.rows("SELECT text FROM chats")) == 3
        assert names(database) == before


def test_a_locked_database_asks_to_come_back_later(database: Path) -> None:
    """A lock of the owner is `busy`, and the rows are there once it is gone."""
    with closing(sqlite3.connect(database, isolation_level=None)) as owner:
        owner.execute("BEGIN EXCLUSIVE")
        with open_foreign(database, TABLES) as foreign:
            with pytest.raises(LogUnavailable) as caught:
                foreign.rows("SELECT text FROM chats")
            assert caught.value.reason == "busy"
            owner.execute("ROLLBACK")
            assert foreign.rows("SELECT text FROM chats") == [("hello",)]


def test_a_damaged_database_says_so(tmp_path: Path) -> None:
    """A file that is no database is damaged."""
    path = tmp_path / "x.sqlite"
    path.write_bytes(b"no database at all" * 100)
    with open_foreign(path, TABLES) as foreign, pytest.raises(LogUnavailable) as caught:
        foreign.rows("SELECT text FROM chats")
    assert caught.value.reason == "damaged"


def test_a_database_that_is_gone_says_so_and_is_not_made(tmp_path: Path) -> None:
    """Opening what is not there creates nothing."""
    with pytest.raises(LogUnavailable) as caught, open_foreign(tmp_path / "x.sqlite", TABLES):
        pass
    assert caught.value.reason == "gone"
    assert not list(tmp_path.iterdir())


def test_text_that_is_no_utf8_is_read_with_replacement(database: Path) -> None:
    """Invalid bytes in a text do not stop the reading."""
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("INSERT INTO chats VALUES (2, CAST(x'41ff42' AS TEXT))")
    with open_foreign(database, TABLES) as foreign:
        assert foreign.rows("SELECT text FROM chats WHERE id = 2") == [("A\ufffdB",)]
