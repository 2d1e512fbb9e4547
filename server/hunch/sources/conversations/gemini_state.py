"""The messages of a session of Gemini CLI, made by replaying its records.

A message that comes again replaces the one with its id; other records replace all messages, change
some, or take back the last ones. Only what is visible is kept of each.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from hunch.sources.conversations.shapes import as_object, blocks_of, objects_in, text_at
from hunch.sources.conversations.visible import summarize_call

if TYPE_CHECKING:
    from hunch.sources.conversations.jsonl import Record

UNNAMED = "@"
"""Begins the ids that are given here to messages that have none."""

_PERSON, _MODEL = "user", "gemini"
_SILENT_TYPES = {"info", "warning", "error"}
_INJECTED = ("/", "?", "<session_context>", "<hook_context>")
"""A message that starts so is a command of the program or was typed by nobody."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What is visible of one message."""

    is_person: bool
    text: str
    timestamp: str
    model: str = ""
    calls: tuple[str, ...] = ()


class GeminiState:
    """The messages that hold, by id and in order, and what is said about the session."""

    def __init__(self) -> None:
        self.about: Record = {}
        self.entries: dict[str, Entry] = {}
        self._about_first: dict[str, Entry] = {}
        """Without their texts; resuming writes all messages again, as of then and less complete."""
        self._count = 0

    def apply(self, record: Record) -> str:
        """See `Replayed.apply`."""
        if "type" in record:
            return self._put(record)
        if "$rewindTo" in record:
            self._rewind(record["$rewindTo"])
        elif "$patch" in record:
            self._patch(as_object(record["$patch"]))
        elif "$set" in record:
            self._learn(as_object(record["$set"]))
        elif "sessionId" in record:
            self._learn(record)
        else:
            return next(iter(record), "empty")
        return ""

    def _learn(self, values: Record) -> None:
        started = self.about.get("startTime") or values.get("startTime")
        self.about.update({key: each for key, each in values.items() if key != "messages"})
        self.about["startTime"] = started
        if "messages" in values:
            self.entries = {}
            for message in objects_in(values["messages"]):
                self._put(message)

    def _put(self, message: Record) -> str:
        kind = text_at(message, "type")
        if kind in _SILENT_TYPES:
            return ""
        if kind not in (_PERSON, _MODEL):
            return f"type:{kind}"
        self._count += 1
        id_ = text_at(message, "id") or f"{UNNAMED}{self._count}"
        entry = _entry(message)
        if first := self._about_first.get(id_):
            entry = _completed(entry, first)
        self._about_first[id_] = replace(entry, text="")
        self.entries[id_] = entry
        return ""

    def _rewind(self, first: object) -> None:
        """Drop a message and all after it; all of them when there is no such message."""
        ids = list(self.entries)
        for id_ in ids[ids.index(str(first)) if first in ids else 0 :]:
            del self.entries[id_]

    def _patch(self, change: Record) -> None:
        for each in (change, *objects_in(change.get("updates"))):
            self._update(each)
        for id_ in _texts(change.get("removeIds")):
            self.entries.pop(id_, None)
        first = [id_ for id_ in _texts(change.get("orderIds")) if id_ in self.entries]
        self.entries = {id_: self.entries[id_] for id_ in (*first, *self.entries)}

    def _update(self, change: Record) -> None:
        entry = self.entries.get(text_at(change, "id"))
        if entry is None:
            return
        if "content" in change:
            entry = replace(entry, text=_text(change, is_person=entry.is_person))
        if calls := _calls(change):
            entry = replace(entry, calls=calls)
        self.entries[text_at(change, "id")] = entry


def _completed(entry: Entry, first: Entry) -> Entry:
    """Return a message that was written again, with what only its first record tells."""
    return replace(
        entry,
        timestamp=first.timestamp or entry.timestamp,
        model=entry.model or first.model,
        calls=entry.calls or first.calls,
    )


def _entry(message: Record) -> Entry:
    is_person = message.get("type") == _PERSON
    return Entry(
        is_person,
        _text(message, is_person=is_person),
        text_at(message, "timestamp"),
        text_at(message, "model"),
        _calls(message),
    )


def _text(message: Record, *, is_person: bool) -> str:
    """Return the text of a message; of a person's, what was typed before files were put into it."""
    whole = _joined(message.get("content"))
    if not is_person:
        return whole
    typed = _joined(message.get("displayContent")) or whole
    return "" if typed.lstrip().startswith(_INJECTED) or whole.startswith(_INJECTED[2:]) else typed


def _joined(content: object) -> str:
    """Return the text of the parts of a content, which are slices of one text."""
    return "".join(text_at(part, "text") for part in blocks_of(content) if not part.get("thought"))


def _calls(message: Record) -> tuple[str, ...]:
    calls = objects_in(message.get("toolCalls"))
    return tuple(
        summarize_call(name, call.get("args")) for call in calls if (name := text_at(call, "name"))
    )


def _texts(value: object) -> list[str]:
    values = cast("list[object]", value) if isinstance(value, list) else []
    return [each for each in values if isinstance(each, str)]
