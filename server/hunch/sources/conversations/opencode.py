"""opencode and Kilo Code: one database for all sessions, before that a folder of JSON files.

Kilo Code is made of opencode since April 2026 and keeps the same tables; what it wrote before, as an
extension of VS Code, is read as Cline's tasks are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hunch.sources.conversations.base import Cursor, Log, Reader, Reading
from hunch.sources.conversations.cline import discover_tasks
from hunch.sources.conversations.cline import read as read_task
from hunch.sources.conversations.opencode_storage import read_stored, session_files
from hunch.sources.conversations.opencode_store import read_database
from hunch.sources.conversations.places import Places, files_below, found
from hunch.sources.paths import exists, real

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_DATABASE, _STORED, _TASK = range(3)


def discover_opencode(places: Places) -> Iterator[Log]:
    """Yield the databases of opencode and the sessions in its older folders."""
    yield from _logs(places, "opencode")


def discover_kilo(places: Places) -> Iterator[Log]:
    """Yield the databases of Kilo Code, the sessions in its older folders and its older tasks."""
    yield from _logs(places, "kilo")
    for log in discover_tasks(places, "kilo"):
        yield replace(log, rank=_TASK)


def read(log: Log, since: Mapping[str, Cursor]) -> Iterator[Reading]:
    """Yield what is new in a database, in one stored session or in one task."""
    match log.rank:
        case rank if rank == _DATABASE:
            return read_database(log, since)
        case rank if rank == _STORED:
            return read_stored(log, since)
        case _:
            return read_task(log, since)


OPENCODE = Reader("opencode", "opencode", discover_opencode, read)
KILO = Reader("kilo", "Kilo Code", discover_kilo, read)


def _logs(places: Places, agent: str) -> Iterator[Log]:
    usual = places.xdg_data() / agent
    for path in _chosen(places, agent, usual):
        yield from _database(agent, path)
    for folder in (usual, *places.extra.get(agent, ())):
        databases = _databases(folder, agent)
        for path in databases:
            yield from _database(agent, path)
        main = str(databases[0]) if databases else ""
        for path, messages in session_files(folder):
            yield from found(agent, path, messages, rank=_STORED, hint=main)


def _chosen(places: Places, agent: str, usual: Path) -> Iterator[Path]:
    """Yield the database that the environment names, if it is another one than the usual ones."""
    named = places.variable(f"{agent.upper()}_DB")
    if named and real(usual / named) not in _databases(usual, agent):
        yield usual / named


def _databases(folder: Path, agent: str) -> list[Path]:
    """Return the databases of all release channels, the main one first."""
    main = f"{agent}.db"
    paths = [
        path
        for path in files_below(folder, deep=False)
        if path.name == main or (path.name.startswith(f"{agent}-") and path.suffix == ".db")
    ]
    return sorted(paths, key=lambda path: path.name != main)


def _database(agent: str, path: Path) -> Iterator[Log]:
    if exists(path):
        yield from found(agent, path, path.with_name(path.name + "-wal"), rank=_DATABASE)
