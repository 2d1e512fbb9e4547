"""Continue: a JSON file for each session, rewritten as a whole; a list of them beside it.

Messages have neither ids nor times; the list tells when the session began.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hunch.sources.conversations.assemble import Message
from hunch.sources.conversations.base import Conversation, Cursor, Log, Reader, Reading
from hunch.sources.conversations.documents import aside, load
from hunch.sources.conversations.identity import QuestionIds
from hunch.sources.conversations.jsonl import Record, parse
from hunch.sources.conversations.places import Places, files_below, found
from hunch.sources.conversations.shapes import as_object, blocks_of, object_at, objects_in, text_at
from hunch.sources.conversations.times import from_iso, from_milliseconds
from hunch.sources.conversations.uris import path_of
from hunch.sources.conversations.visible import summarize_call
from hunch.sources.conversations.whole import Tally, Whole, is_known, read_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime
    from pathlib import Path

AGENT = "continue"

_LIST = "sessions.json"
_UNTITLED = {"New Session", "Untitled Session"}
"""Titles of sessions that were given none."""


def discover(places: Places) -> Iterator[Log]:
    """Yield all sessions."""
    home = places.variable("CONTINUE_GLOBAL_DIR") or places.home / ".continue"
    for folder in (home, *places.extra.get(AGENT, ())):
        for path in files_below(folder / "sessions", deep=False):
            if path.suffix == ".json" and path.name != _LIST:
                yield from found(AGENT, path)


def read(log: Log, since: Mapping[str, Cursor]) -> Iterator[Reading]:
    """Yield what is new in one session."""
    value, mark = load(log.path)
    if is_known(since, "", mark):
        return
    session = as_object(value)
    id_ = text_at(session, "sessionId") or log.path.stem
    listed = _listed(log.path.parent / _LIST, id_)
    conversation = Conversation(
        id_,
        "" if (title := text_at(session, "title")) in _UNTITLED else title,
        path_of(text_at(session, "workspaceDirectory") or text_at(listed, "workspaceDirectory")),
        started=_started(listed.get("dateCreated")),
    )
    tally = Tally()
    messages = list(_messages(session, conversation, tally))
    yield from read_whole(Whole(conversation, messages, tally), mark, since)


CONTINUE = Reader(AGENT, "Continue", discover, read)


def _listed(path: Path, id_: str) -> Record:
    for entry in objects_in(aside(path)):
        if entry.get("sessionId") == id_:
            return entry
    return {}


def _started(value: object) -> datetime | None:
    """Read milliseconds, which are written as a text, or a date."""
    if isinstance(value, str) and re.fullmatch(r"\d{1,18}", value, re.ASCII):
        value = int(value)
    return from_milliseconds(value) or from_iso(value)


def _messages(session: Record, conversation: Conversation, tally: Tally) -> Iterator[Message]:
    ids = QuestionIds(conversation.id)
    for entry in objects_in(session.get("history")):
        message = object_at(entry, "message")
        text = _text(message)
        match message.get("role"):
            case "user":
                yield Message(
                    "user",
                    text,
                    conversation.started,
                    ids.next(text) if text.strip() else "",
                    directory=conversation.directory,
                )
            case "assistant":
                yield Message("assistant", text)
                for call in objects_in(message.get("toolCalls")):
                    called = object_at(call, "function")
                    arguments = parse(text_at(called, "arguments"))
                    yield Message("tool", summarize_call(text_at(called, "name"), arguments))
            case "system" | "thinking" | "tool":
                pass
            case role:
                tally.count(f"role:{role}")


def _text(message: Record) -> str:
    blocks = blocks_of(message.get("content"))
    texts = (text_at(block, "text") for block in blocks if block.get("type") == "text")
    return "\n\n".join(filter(None, texts))
