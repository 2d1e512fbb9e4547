"""Cursor: the chats of its window, of its command line, and the transcripts it writes of both.

Three stores may hold the same conversation. The ids of turns are made of what was asked, so that the
one in a database, which knows times and folders, is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hunch.sources.conversations.base import Cursor, Log, Reader, Reading
from hunch.sources.conversations.cursor_bubbles import read_bubbles
from hunch.sources.conversations.cursor_store import read_store
from hunch.sources.conversations.cursor_transcripts import Transcript
from hunch.sources.conversations.editors import user_folders
from hunch.sources.conversations.jsonl import JsonLines
from hunch.sources.conversations.places import Places, files_below, found
from hunch.sources.conversations.whole import read_replayed
from hunch.sources.paths import exists

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

AGENT = "cursor"

_DATABASE, _TRANSCRIPT = range(2)
_WINDOW, _COMMAND_LINE = "state.vscdb", "store.db"


def discover(places: Places) -> Iterator[Log]:
    """Yield the databases of the window and of the command line, and the transcripts."""
    for user in user_folders(places, AGENT, ("Cursor",)):
        yield from _database(user / "globalStorage" / _WINDOW)
    home = places.variable("CURSOR_DATA_DIR") or places.home / ".cursor"
    for folder in (home, *places.extra.get(AGENT, ())):
        for chats in (folder / "chats", folder / "acp-sessions"):
            for path in files_below(chats):
                if path.name == _COMMAND_LINE:
                    yield from _database(path)
        for transcripts in sorted(folder.glob("projects/*/agent-transcripts")):
            for path in files_below(transcripts):
                if path.suffix == ".jsonl":
                    yield from found(AGENT, path, rank=_TRANSCRIPT)


def read(log: Log, since: Mapping[str, Cursor]) -> Iterator[Reading]:
    """Yield what is new in a database or a transcript."""
    match log.path.name:
        case name if name == _WINDOW:
            return read_bubbles(log, since)
        case name if name == _COMMAND_LINE:
            return read_store(log, since)
        case _:
            return read_replayed(JsonLines.of_path(log.path), Transcript(log.path), since)


CURSOR = Reader(AGENT, "Cursor", discover, read)


def _database(path: Path) -> Iterator[Log]:
    if exists(path):
        yield from found(AGENT, path, path.with_name(path.name + "-wal"), rank=_DATABASE)
