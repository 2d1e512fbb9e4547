"""The JSON files in which opencode kept its sessions before it had a database.

A file for each session, each message and each part, left behind when they are taken over into the
database, which is then the one to read.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hunch.sources.conversations.base import Conversation, Cursor, Log, Reading
from hunch.sources.conversations.documents import load
from hunch.sources.conversations.opencode_records import Revert, Said, messages_of
from hunch.sources.conversations.opencode_store import holds
from hunch.sources.conversations.places import files_below
from hunch.sources.conversations.shapes import as_object, object_at, text_at
from hunch.sources.conversations.times import from_milliseconds
from hunch.sources.conversations.whole import Tally, Whole, read_whole
from hunch.sources.paths import exists

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hunch.sources.conversations.assemble import Message
    from hunch.sources.conversations.jsonl import Record


def session_files(data: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the file and the folder of messages of each session below a data folder."""
    storage = data / "storage"
    for path in files_below(storage / "session"):
        if path.suffix == ".json":
            yield path, storage / "message" / path.stem
    for older in sorted(data.glob("project/*/storage/session")):
        for path in files_below(older / "info"):
            if path.suffix == ".json":
                yield path, older / "message" / path.stem


def read_stored(log: Log, since: Mapping[str, Cursor]) -> Iterator[Reading]:
    """Yield what is new in one session, unless the database has it."""
    session = log.path.stem
    if log.hint and exists(Path(log.hint)) and holds(Path(log.hint), session):
        return
    info = as_object(load(log.path)[0])
    parent = text_at(info, "parentID")
    conversation = Conversation(
        session,
        text_at(info, "title"),
        text_at(info, "directory"),
        parent=parent,
        is_subagent=bool(parent),
        started=from_milliseconds(object_at(info, "time").get("created")),
    )
    tally = Tally()
    said = sorted(_said(log.path), key=_order)
    messages = _messages(said, conversation, Revert.of(object_at(info, "revert")), tally)
    yield from read_whole(Whole(conversation, messages, tally), "", since)


def _said(session: Path) -> Iterator[Said]:
    root = session.parent.parent
    if session.parent.name != "info":
        root = root.parent
    for path in files_below(root / "message" / session.stem, deep=False):
        info = as_object(load(path)[0])
        older = root / "part" / session.stem / path.stem
        parts = older if exists(older) else root / "part" / path.stem
        yield Said(path.stem, info, [as_object(load(each)[0]) for each in files_below(parts)])


def _messages(
    said: list[Said], conversation: Conversation, revert: Revert, tally: Tally
) -> Iterator[Message]:
    for each in said:
        left = revert.cut(each)
        directory = conversation.directory or text_at(object_at(each.info, "path"), "cwd")
        yield from messages_of(left or each, directory, tally, is_subagent=conversation.is_subagent)
        if left:
            return


def _order(said: Said) -> tuple[float, str]:
    return _created(said.info), said.id


def _created(info: Record) -> float:
    time = object_at(info, "time").get("created")
    return time if isinstance(time, int | float) else 0
