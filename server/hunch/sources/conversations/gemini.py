"""Gemini CLI: JSON lines that may change what stands before them, of old one JSON object a session.

Older sessions are copied to another folder when a project is given a name; both files remain, and
their messages have the same ids.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from hunch.sources.conversations.assemble import Message
from hunch.sources.conversations.base import Conversation, Cursor, Log, Reader, Reading
from hunch.sources.conversations.documents import load, object_aside
from hunch.sources.conversations.gemini_state import UNNAMED, GeminiState
from hunch.sources.conversations.jsonl import JsonLines
from hunch.sources.conversations.places import Places, files_below, found
from hunch.sources.conversations.shapes import as_object, object_at, text_at
from hunch.sources.conversations.times import from_iso
from hunch.sources.conversations.whole import Tally, Whole, is_known, read_replayed, read_whole
from hunch.sources.paths import exists, real

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

AGENT = "gemini"

_LINES, _OBJECT, _UNNAMED = range(3)
_HASH_LENGTH = 64
_LARGEST_PATH = 4096


def discover(places: Places) -> Iterator[Log]:
    """Yield the sessions of all projects."""
    seen: set[Path] = set()
    for folder in (*_homes(places), *places.extra.get(AGENT, ())):
        for chats in sorted(real(folder).glob("tmp/*/chats")):
            if chats not in seen:
                seen.add(chats)
                yield from _sessions(chats)


def read(log: Log, since: Mapping[str, Cursor]) -> Iterator[Reading]:
    """Yield what is new in one session."""
    session = _Session(log.path)
    if log.rank == _LINES:
        yield from read_replayed(JsonLines.of_path(log.path), session, since)
        return
    value, mark = load(log.path)
    if not is_known(since, "", mark):
        tally = Tally()
        tally.count(session.apply(as_object(value)))
        yield from read_whole(session.whole(tally), mark, since)


GEMINI = Reader(AGENT, "Gemini CLI", discover, read)


def _homes(places: Places) -> Iterator[Path]:
    named = places.variable("GEMINI_CLI_HOME")
    if named:
        yield named / ".gemini" if exists(named / ".gemini") else named
        return
    yield places.home / ".gemini"
    yield places.home / ".cache" / ".gemini"  # in the sandbox of macOS


def _sessions(chats: Path) -> Iterator[Log]:
    is_named = len(chats.parent.name) != _HASH_LENGTH
    for path in files_below(chats):
        if path.suffix == ".jsonl":
            yield from found(AGENT, path, rank=_LINES)
        elif path.suffix == ".json" and path.name.startswith("session-"):
            yield from found(AGENT, path, rank=_OBJECT if is_named else _UNNAMED)


class _Session(GeminiState):
    """The messages of one session and what is visible of them."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def whole(self, tally: Tally) -> Whole:
        """See `Replayed.whole`."""
        is_subagent = self.about.get("kind") == "subagent"
        folder = self._path.parent
        conversation = Conversation(
            text_at(self.about, "sessionId") or self._path.stem,
            directory=_directory(self._path),
            parent=folder.name if folder.name != "chats" else "",
            is_subagent=is_subagent,
            started=from_iso(self.about.get("startTime")),
        )
        return Whole(conversation, self._visible(conversation), tally)

    def _visible(self, conversation: Conversation) -> Iterator[Message]:
        for id_, entry in self.entries.items():
            at = from_iso(entry.timestamp)
            if entry.is_person:
                yield Message(
                    "user",
                    entry.text,
                    at,
                    f"{conversation.id}{id_}" if id_.startswith(UNNAMED) else id_,
                    directory=conversation.directory,
                    is_subagent=conversation.is_subagent,
                )
            else:
                yield Message("assistant", entry.text, at, model=entry.model)
                for call in entry.calls:
                    yield Message("tool", call, at)


def _directory(path: Path) -> str:
    """Return the folder of the project: recorded beside the chats, or known by its name or hash."""
    chats = next((each for each in path.parents if each.name == "chats"), path.parent)
    project = chats.parent
    if root := _recorded(project):
        return root
    known = object_at(object_aside(project.parent.parent / "projects.json"), "projects")
    for directory, name in known.items():
        if project.name in (name, _hash(directory)):
            return directory
    others = map(_recorded, sorted(each.parent for each in project.parent.glob("*/.project_root")))
    return next((each for each in others if each and _hash(each) == project.name), "")


def _recorded(project: Path) -> str:
    try:
        with (project / ".project_root").open(encoding="utf-8", errors="replace") as file:
            return file.read(_LARGEST_PATH).strip()
    except OSError:
        return ""


def _hash(directory: str) -> str:
    return sha256(directory.encode("utf-8", "replace")).hexdigest()
