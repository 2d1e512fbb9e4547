"""pi: JSON lines with the same records as OpenClaw, which is made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hunch.sources.conversations.base import Conversation, Cursor, Log, Reader, Reading
from hunch.sources.conversations.jsonl import JsonLines
from hunch.sources.conversations.openclaw_records import OpenClaw
from hunch.sources.conversations.places import Places, files_below, found
from hunch.sources.conversations.transcript import read_transcript
from hunch.sources.paths import exists

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

AGENT = "pi"


def discover(places: Places) -> Iterator[Log]:
    """Yield the sessions of all projects."""
    home = places.variable("PI_CODING_AGENT_DIR") or places.home / ".pi" / "agent"
    for folder in (home, *places.extra.get(AGENT, ())):
        inside = folder / "sessions"
        root = inside if folder == home or exists(inside) else folder
        for path in files_below(root):
            if path.suffix == ".jsonl":
                yield from found(AGENT, path)


def read(log: Log, since: Mapping[str, Cursor]) -> Iterator[Reading]:
    """Yield what is new in one session."""
    session = log.path.stem.rpartition("_")[2]

    def make(known: Conversation | None, state: Cursor | None) -> OpenClaw:
        return OpenClaw(known or Conversation(session), state)

    return read_transcript(JsonLines.of_path(log.path), make, since)


PI = Reader(AGENT, "pi", discover, read)
