"""OpenClaw: a database for each agent since August 2026, JSON lines before, archives of both.

One session may be in several of these at once: in the database, in a file that was imported into it,
in archives of its earlier states. Turns have the same ids in all of them, and the database comes
first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hunch.sources.conversations.base import Conversation, Cursor, Log, Reader, Reading
from hunch.sources.conversations.jsonl import JsonLines
from hunch.sources.conversations.openclaw_keys import Origin, listed_origins
from hunch.sources.conversations.openclaw_places import AGENT, database_paths, state_folders
from hunch.sources.conversations.openclaw_records import OpenClaw
from hunch.sources.conversations.openclaw_store import read_store
from hunch.sources.conversations.places import Places, files_below, found
from hunch.sources.conversations.transcript import read_transcript
from hunch.sources.paths import exists

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_STORE, _LIVE, _ARCHIVED, _COPY = range(4)

_NAMES = {
    re.compile(r"[^.]+\.jsonl"): _LIVE,
    re.compile(
        r"[^.]+\.jsonl\.(reset|deleted|bak)\.\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(\.\d+)?Z"
        r"(\.[0-9a-f]{32})?(\.zst)?"
    ): _ARCHIVED,
}
"""Checkpoints, traces, locks and files that an update put aside have names of other forms."""


def discover(places: Places) -> Iterator[Log]:
    """Yield the databases and transcripts of all agents, the ones that are written first."""
    for state in state_folders(places):
        for path in database_paths(state):
            yield from found(AGENT, path, path.with_name(path.name + "-wal"), rank=_STORE)
        for folder in (state / "sessions", *sorted(state.glob("agents/*/sessions"))):
            yield from _transcripts(folder)
        if not exists(state / "agents"):
            yield from _transcripts(state)


def read(log: Log, since: Mapping[str, Cursor]) -> Iterator[Reading]:
    """Yield what is new in a database or a transcript."""
    if log.path.suffix == ".sqlite":
        return read_store(log, since)
    session = log.path.name.split(".", 1)[0]

    def make(known: Conversation | None, state: Cursor | None) -> OpenClaw:
        is_subagent = log.hint == "subagent"
        return OpenClaw(known or Conversation(session, is_subagent=is_subagent), state)

    return read_transcript(JsonLines.of_path(log.path), make, since)


OPENCLAW = Reader(AGENT, "OpenClaw", discover, read)


def _transcripts(folder: Path) -> Iterator[Log]:
    origins = listed_origins(folder)
    for path in files_below(folder, deep=False):
        for pattern, rank in _NAMES.items():
            if pattern.fullmatch(path.name):
                yield from _session(path, rank, origins)
    for path in files_below(folder / "session-sqlite-import-archive"):
        if path.suffix == ".jsonl":
            yield from _session(path, _COPY, origins)
    for path in files_below(folder / "cold"):
        if path.name.endswith(".jsonl.zst"):
            yield from found(AGENT, path, rank=_ARCHIVED)


def _session(path: Path, rank: int, origins: Mapping[str, Origin]) -> Iterator[Log]:
    session = path.name.split(".", 1)[0]
    origin = origins.get(session.split("-topic-", 1)[0], "")
    if origin != "program":
        yield from found(AGENT, path, rank=rank, hint=origin)
