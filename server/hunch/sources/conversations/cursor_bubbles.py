"""The database of Cursor's window: a row for each conversation and one for each of its bubbles.

The file is never vacuumed and reaches a hundred gigabytes, so nothing here looks at all of its
values. A row that is written again gets a higher number, so the rows above the highest number that
was seen tell which conversations changed; the conversations that changed last are looked at each
time, in case a row was updated in place. Only keys of conversations are asked for: others hold the
contents of files, and another table holds tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from hunch.errors import LogUnavailable
from hunch.sources.conversations.assemble import Message
from hunch.sources.conversations.base import Conversation, Cursor, Log, Reading
from hunch.sources.conversations.cursor_keys import changed_composers
from hunch.sources.conversations.editors import workspace_directory
from hunch.sources.conversations.foreign_sqlite import ForeignDatabase, open_foreign
from hunch.sources.conversations.identity import QuestionIds
from hunch.sources.conversations.jsonl import LONGEST_LINE, Record, parse
from hunch.sources.conversations.shapes import object_at, objects_in, text_at
from hunch.sources.conversations.times import from_iso, from_milliseconds
from hunch.sources.conversations.uris import path_of
from hunch.sources.conversations.visible import summarize_call
from hunch.sources.conversations.whole import Tally, Whole, read_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_TABLE = "cursorDiskKV"
_BY_WORKSPACE = "composer.composerData"
_PERSON, _AGENT = 1, 2


def read_bubbles(log: Log, since: Mapping[str, Cursor]) -> Iterator[Reading]:
    """Yield what is new in the conversations of the window; each has its id as key."""
    with open_foreign(log.path, frozenset({_TABLE})) as database:
        if not database.columns(_TABLE):
            return
        changed = changed_composers(database, since)
        window = _Window(database, log.path.parent.parent, _called(database, changed))
        for composer, newest in changed.items():
            if whole := window.whole(composer, is_known=composer in since):
                yield from read_whole(whole, str(newest), since, composer)


def _value(database: ForeignDatabase, key: str) -> tuple[bool, Record | None]:
    """Return whether there is a value under a key, and the object it is."""
    rows = database.rows(
        f"SELECT value FROM {_TABLE} WHERE key = ? AND length(value) <= ?",  # noqa: S608 -- constant
        (key, LONGEST_LINE),
    )
    value = rows[0][0] if rows else None
    return value is not None, parse(value) if isinstance(value, str | bytes) else None


def _called(database: ForeignDatabase, composers: Mapping[str, int]) -> dict[str, str]:
    """Return by which conversation others were called as sub-agents."""
    callers: dict[str, str] = {}
    for composer in composers:
        _, about = _value(database, f"composerData:{composer}")
        called = (about or {}).get("subComposerIds")
        if isinstance(called, list):
            callers.update({str(each): composer for each in called})  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] -- JSON
    return callers


@dataclass
class _Window:
    """Reads one conversation after the other."""

    database: ForeignDatabase
    user: Path
    callers: Mapping[str, str]

    def whole(self, composer: str, *, is_known: bool) -> Whole | None:
        """Return a conversation; `None` if there is none to be had, or none worth a reading.

        Args:
            composer: its id.
            is_known: turns of it were given, which go only if it says that it holds none.
        """
        is_there, about = _value(self.database, f"composerData:{composer}")
        if not is_there or (about is None and is_known):
            return None
        tally = Tally(broken=int(about is None))
        about = about or {}
        listed = list(objects_in(about.get("fullConversationHeadersOnly")))
        bubbles = self._listed(composer, listed, tally)
        if not listed:
            listed = list(objects_in(about.get("conversation")))
            bubbles = iter(listed)
        if not listed and not is_known and not tally.broken:
            return None
        conversation = self._conversation(composer, about)
        return Whole(conversation, _messages(bubbles, conversation, tally), tally)

    def _listed(self, composer: str, listed: list[Record], tally: Tally) -> Iterator[Record]:
        """Yield the bubbles that are named; others are left over from what was taken back."""
        for each in listed:
            key = f"bubbleId:{composer}:{text_at(each, 'bubbleId')}"
            is_there, bubble = _value(self.database, key)
            if bubble is not None:
                yield bubble
            elif is_there:
                tally.broken += 1

    def _conversation(self, composer: str, about: Record) -> Conversation:
        parent = self.callers.get(composer, "")
        return Conversation(
            composer,
            text_at(about, "name"),
            self._directories.get(composer, ""),
            branch=text_at(about, "createdOnBranch"),
            parent=parent,
            is_subagent=bool(parent),
            started=from_milliseconds(about.get("createdAt")),
        )

    @cached_property
    def _directories(self) -> dict[str, str]:
        """The folder of each conversation, as far as the databases of workspaces tell."""
        found: dict[str, str] = {}
        for path in sorted(self.user.glob("workspaceStorage/*/state.vscdb")):
            if composers := _composers_of(path):
                directory = workspace_directory(path.parent)
                found.update(dict.fromkeys(composers, directory))
        return found


def _composers_of(path: Path) -> list[str]:
    """Return the conversations of one workspace."""
    try:
        with open_foreign(path, frozenset({"ItemTable"})) as database:
            if not database.columns("ItemTable"):
                return []
            rows = database.rows(
                "SELECT value FROM ItemTable WHERE key = ? AND length(value) <= ?",
                (_BY_WORKSPACE, LONGEST_LINE),
            )
    except LogUnavailable:
        return []
    about = parse(rows[0][0]) if rows and isinstance(rows[0][0], str | bytes) else None
    listed = objects_in((about or {}).get("allComposers"))
    return [text_at(each, "composerId") for each in listed]


def _messages(
    bubbles: Iterator[Record], conversation: Conversation, tally: Tally
) -> Iterator[Message]:
    ids = QuestionIds(conversation.id)
    for bubble in bubbles:
        created = bubble.get("createdAt")
        at = from_iso(created) or from_milliseconds(created)
        text = text_at(bubble, "text")
        match bubble.get("type"):
            case kind if kind == _PERSON:
                yield Message(
                    "user",
                    text,
                    at or conversation.started,
                    ids.next(text) if text.strip() else "",
                    directory=_directory(bubble) or conversation.directory,
                    branch=conversation.branch,
                    is_subagent=conversation.is_subagent,
                )
            case kind if kind == _AGENT:
                yield Message("assistant", text, at)
                if call := object_at(bubble, "toolFormerData"):
                    arguments = parse(text_at(call, "rawArgs", "params"))
                    yield Message("tool", summarize_call(text_at(call, "name"), arguments), at)
            case kind:
                tally.count(f"bubble:{kind}")


def _directory(bubble: Record) -> str:
    opened = bubble.get("workspaceUris")
    return path_of(opened[0]) if isinstance(opened, list) and opened else ""  # pyright: ignore[reportUnknownArgumentType] -- JSON
