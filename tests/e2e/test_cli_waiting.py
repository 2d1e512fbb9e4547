"""The command line while another program holds the index."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from hunch.cli import checks
from hunch.cli.checks import check_database
from hunch.config import Settings
from hunch.store import opening
from hunch.store.database import Database
from support.command_line import CommandLine, ended

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An index without anything in it."""
    monkeypatch.delenv("HUNCH_DB", raising=False)
    path = tmp_path / "index.db"
    Database.open(path).close()
    return path


def held(path: Path, *statements: str) -> sqlite3.Connection:
    """Hold an index as another program does."""
    other = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        other.execute(statement)
    return other


def test_a_command_waits_for_the_index(index: Path) -> None:
    """It says in one line that it waits, and works as soon as the other program is done."""
    with closing(held(index, "PRAGMA locking_mode = EXCLUSIVE", "BEGIN IMMEDIATE")):
        running = CommandLine(index.parent, index.parent).start("status")
        assert running.stderr
        line = running.stderr.readline()
    assert line == "Another program is using the index; waiting for it, 60 s at most.\n"
    answer = ended(running)
    assert (answer.code, answer.err) == (0, "")


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        (["PRAGMA locking_mode = EXCLUSIVE", "BEGIN IMMEDIATE"], "Another program is using"),
        (["BEGIN IMMEDIATE"], "is held by another program"),
    ],
)
@pytest.mark.asyncio
async def test_doctor_does_not_wait_for_ever(
    statements: list[str], message: str, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That another program holds the index is told, and nobody is asked to delete it."""
    monkeypatch.setattr(checks, "_WRITE_SECONDS", 0.1)
    with closing(held(index, *statements)):
        check = await check_database(Settings(database=str(index)))
    assert check.verdict == "warn"
    assert message in check.message
    assert "Delete" not in check.advice


@pytest.mark.asyncio
async def test_doctor_names_the_journal(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a write-ahead log it says which journal there is, and why."""
    monkeypatch.setattr(opening, "is_network", lambda _: True)
    monkeypatch.setattr(checks, "is_network", lambda _: True)
    check = await check_database(Settings(database=str(index)))
    assert check.verdict == "warn"
    assert "lies on a network file system and has no write-ahead log" in check.message
    assert "(journal mode delete)" in check.message
