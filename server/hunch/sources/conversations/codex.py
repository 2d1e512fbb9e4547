"""Codex: one JSON-lines file per thread below `sessions/`, dated folders, archived ones compressed.

Records have no ids and no tree. A fork copies the records of its parent into a file of its own with
times of its own, so the id of a turn is made of what a copy keeps: the id that the program gave to
the turn, the text, and where both say too little, the first thread of the family and the count.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import replace
from typing import TYPE_CHECKING

from hunch.sources.conversations.assemble import Message
from hunch.sources.conversations.base import Conversation, Cursor, Log, Reader, Reading
from hunch.sources.conversations.codex_records import (
    Channel,
    Role,
    directory_in,
    entry_of,
    injected_text,
    rolled_back,
    unknown_kind,
    unwrap,
)
from hunch.sources.conversations.jsonl import JsonLines, Record
from hunch.sources.conversations.openclaw_places import state_folders
from hunch.sources.conversations.places import Places, files_below, found
from hunch.sources.conversations.shapes import object_at, text_at
from hunch.sources.conversations.times import from_iso
from hunch.sources.conversations.transcript import derived_id, read_transcript
from hunch.sources.paths import exists

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

AGENT = "codex"

_SUBAGENT = "subagent"
_THREAD = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def discover(places: Places) -> Iterator[Log]:
    """Yield the rollouts of the Codex folder, the user's own, and those that OpenClaw runs."""
    yield from _rollouts(places.variable("CODEX_HOME") or places.home / ".codex")
    for folder in places.extra.get(AGENT, ()):
        is_home = exists(folder / "sessions") or exists(folder / "archived_sessions")
        yield from _rollouts(folder) if is_home else _below(folder, rank=0)
    for state in state_folders(places):
        for home in sorted(state.glob("agents/*/agent/codex-home")):
            yield from _rollouts(home, hint=_SUBAGENT)


def read(log: Log, since: Mapping[str, Cursor]) -> Iterator[Reading]:
    """Yield what is new in one rollout."""

    def make(known: Conversation | None, state: Cursor | None) -> Codex:
        return Codex(log, known, state)

    return read_transcript(JsonLines.of_path(log.path), make, since)


CODEX = Reader(AGENT, "Codex", discover, read)


def _rollouts(home: Path, hint: str = "") -> Iterator[Log]:
    yield from _below(home / "sessions", rank=0, hint=hint)
    yield from _below(home / "archived_sessions", rank=1, hint=hint)


def _below(folder: Path, rank: int, hint: str = "") -> Iterator[Log]:
    for path in files_below(folder):
        is_rollout = path.name.startswith("rollout-")
        if is_rollout and (path.name.endswith(".jsonl") or _is_only_packed(path)):
            yield from found(AGENT, path, rank=rank, hint=hint)


def _is_only_packed(path: Path) -> bool:
    return path.name.endswith(".jsonl.zst") and not exists(path.with_suffix(""))


class Codex:
    """Understands the records of one rollout."""

    def __init__(self, log: Log, known: Conversation | None, state: Cursor | None) -> None:
        threads = _THREAD.findall(log.path.name)
        self._is_ours = log.hint == _SUBAGENT
        self._started_at_head = state is None
        self._is_head = state is None
        self._events: int | None = state["events"] if state else None
        """A bit for each role whose messages come as events, so that its items are copies."""
        self._family: str = state["family"] if state else ""
        self._directory: str = state["directory"] if state else ""
        self._model: str = state["model"] if state else ""
        self._turn: str = state["turn"] if state else ""
        self._count: int = state["count"] if state else 0
        self._marks = array("Q")
        """Position, channel and role of every record that matters, in one number each."""
        self._undone: dict[int, int] = {}
        """By position of a roll-back, how many turns it undoes."""
        self.conversation = known or Conversation(
            threads[0] if threads else log.path.stem, is_subagent=self._is_ours
        )

    def note(self, position: int, record: Record) -> str:
        """See `Format.note`."""
        kind, payload = unwrap(record)
        if kind == "session_meta":
            self._know(payload)
        elif kind:
            self._is_head = False
        entry = entry_of(kind, payload)
        if entry:
            self._marks.append(position << 5 | entry.channel << 3 | entry.role)
            if entry.role is Role.ROLLBACK:
                self._undone[position] = rolled_back(payload)
            if entry.role is Role.CONTEXT and not self.conversation.directory:
                directory = _directory(kind, payload)
                self.conversation = replace(self.conversation, directory=directory)
        return unknown_kind(kind, payload)

    def chosen(self) -> array[int] | None:
        """See `Format.chosen`."""
        known = self._events
        self._events = known or 0
        for mark in self._marks:
            if mark >> 3 & 3 == Channel.EVENTS:
                self._events |= 1 << (mark & 7)
        if known not in (None, self._events):
            return None
        kept = self._without_undone()
        return None if kept is None else array("Q", (mark >> 5 for mark in kept))

    def messages(self, position: int, record: Record) -> Iterator[Message]:
        """See `Format.messages`."""
        kind, payload = unwrap(record)
        entry = entry_of(kind, payload)
        at = from_iso(record.get("timestamp")) or self.conversation.started
        if entry is None or entry.role is Role.ROLLBACK:
            return
        if entry.role is Role.CONTEXT:
            self._enter(kind, payload)
        elif entry.role is Role.USER:
            yield self._question(entry.text, position, record)
        elif entry.role is Role.TOOL:
            yield Message("tool", entry.text, at, position=position)
        else:
            # An event and its copy of another form have the same text.
            yield Message("assistant", entry.text, at, entry.text, model=self._model)

    def state(self) -> Cursor:
        """See `Format.state`."""
        return {
            "events": self._events,
            "family": self._family,
            "directory": self._directory,
            "model": self._model,
            "turn": self._turn,
            "count": self._count,
        }

    def _is_copy(self, mark: int) -> bool:
        return mark >> 3 & 3 == Channel.ITEMS and bool((self._events or 0) >> (mark & 7) & 1)

    def _without_undone(self) -> array[int] | None:
        kept = array("Q")
        starts = array("Q")
        for mark in self._marks:
            if self._is_copy(mark):
                continue
            if mark & 7 == Role.ROLLBACK:
                undone = self._undone[mark >> 5]
                if undone >= len(starts) and not self._started_at_head:
                    return None
                if undone and starts:
                    del kept[starts[max(len(starts) - undone, 0)] :]
                    del starts[max(len(starts) - undone, 0) :]
                continue
            if mark & 7 == Role.USER:
                starts.append(len(kept))
            kept.append(mark)
        return kept

    def _question(self, text: str, position: int, record: Record) -> Message:
        id_ = derived_id(self._turn or self._family, str(self._count), text.strip())
        self._count += 1
        return Message(
            "user",
            text,
            from_iso(record.get("timestamp")) or self.conversation.started,
            id_,
            directory=self._directory or self.conversation.directory,
            branch=self.conversation.branch,
            is_subagent=self.conversation.is_subagent,
            position=position,
        )

    def _enter(self, kind: str, payload: Record) -> None:
        """Take over what a context says of the records after it."""
        self._directory = _directory(kind, payload) or self._directory
        self._model = text_at(payload, "model") or self._model
        turn = text_at(payload, "turn_id") or self._turn
        if turn != self._turn:
            self._turn, self._count = turn, 0

    def _know(self, payload: Record) -> None:
        """Learn of the header; a fork has its own first and those of its ancestors after it."""
        if self._is_head:
            is_first = not self._family
            self._family = text_at(payload, "id") or self._family
            if is_first:
                self.conversation = self._from_header(payload)

    def _from_header(self, payload: Record) -> Conversation:
        git = object_at(payload, "git")
        source = object_at(payload, "source")
        thread_source = text_at(payload, "thread_source")
        return Conversation(
            id=text_at(payload, "id") or self.conversation.id,
            directory=text_at(payload, "cwd"),
            remote=text_at(git, "repository_url"),
            branch=text_at(git, "branch"),
            parent=text_at(payload, "forked_from_id", "parent_thread_id"),
            is_subagent=self._is_ours or bool(source) or thread_source not in ("", "user"),
            started=from_iso(payload.get("timestamp")),
        )


def _directory(kind: str, payload: Record) -> str:
    return (
        text_at(payload, "cwd") if kind == "turn_context" else directory_in(injected_text(payload))
    )
