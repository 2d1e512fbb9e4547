"""The database of Cursor's window: a row for each conversation and one for each of its bubbles.

The file is never vacuumed and reaches a hundred gigabytes, so nothing here looks at all of its
values. A row that is written again gets a higher number, so the rows above the highest number that
was seen tell which conversations changed; of the conversations that changed last, two rows are looked
at each time, in case they were updated in place. Only keys of conversations are asked for: others hold the
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
from hunch.sources.conversations.identity import QuestionIds, digest_id
from hunch.sources.conversations.jsonl import LONGEST_LINE, Record, parse
from hunch.sources.conversations.shapes import object_at, objects_in, text_at
from hunch.sources.conversations.times import from_iso, from_milliseconds
from hunch.sources.conversations.uris import path_of
from hunch.sources.conversations.visible import summarize_call
from hunch.sources.conversations.whole import Tally, Whole, is_known, read_whole

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
            about = _value(database, f"composerData:{composer}")
            mark = f"{newest}:{window.digest(composer, about)}"
            if is_known(since, composer, mark):
                continue
            if whole := window.whole(composer, about, was_given=composer in since):
                yield from read_whole(whole, mark, since, composer)


@dataclass(frozen=True, slots=True)
class _Value:
    """What stands under a key."""

    is_there: bool
    record: Record | None
    """`None` also if it is no object."""


def _value(database: ForeignDatabase, key: str) -> _Value:
    rows = database.rows(
        f"SELECT value FROM {_TABLE} WHERE key = ? AND length(value) <= ?",  # noqa: S608 -- constant
        (key, LONGEST_LINE),
    )
    value = rows[0][0] if rows else None
    return _Value(value is not None, parse(value) if isinstance(value, str | bytes) else None)


def _headers(about: Record) -> list[Record]:
    return list(objects_in(about.get("fullConversationHeadersOnly")))


def _key(composer: str, header: Record) -> str:
    return f"bubbleId:{composer}:{text_at(header, 'bubbleId')}"


def _called(database: ForeignDatabase, composers: Mapping[str, int]) -> dict[str, str]:
    """Return by which conversation others were called as sub-agents."""
    callers: dict[str, str] = {}
    for composer in composers:
        about = _value(database, f"composerData:{composer}").record or {}
        called = about.get("subComposerIds")
        if isinstance(called, list):
            callers.update({str(each): composer for each in called})  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] -- JSON
    return callers


@dataclass
class _Window:
    """Reads one conversation after the other."""

    database: ForeignDatabase
    user: Path
    callers: Mapping[str, str]

    def digest(self, composer: str, value: _Value) -> str:
        """Return a text that changes when a conversation does, or the last of its bubbles."""
        listed = _headers(value.record or {})
        last = _value(self.database, _key(composer, listed[-1])) if listed else None
        return digest_id(value, last)

    def whole(self, composer: str, value: _Value, *, was_given: bool) -> Whole | None:
        """Return a conversation; `None` if there is none to be had, or none worth a reading.

        Args:
            composer: its id.
            value: what is known of it as a whole.
            was_given: turns of it were given, which go only if it says that it holds none.
        """
        if not value.is_there or (value.record is None and was_given):
            return None
        tally = Tally(broken=int(value.record is None))
        about = value.record or {}
        listed = _headers(about)
        bubbles = self._listed(composer, listed, tally)
        if not listed:
            listed = list(objects_in(about.get("conversation")))
            bubbles = iter(listed)
        if not listed and not was_given and not tally.broken:
            return None
        conversation = self._conversation(composer, about)
        return Whole(conversation, _messages(bubbles, conversation, tally), tally)

    def _listed(self, composer: str, listed: list[Record], tally: Tally) -> Iterator[Record]:
        """Yield the bubbles that are named; others are left over from what was taken back."""
        for each in listed:
            bubble = _value(self.database, _key(composer, each))
            if bubble.record is not None:
                yield bubble.record
            elif bubble.is_there:
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
