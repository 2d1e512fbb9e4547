"""Zed: a database of threads, each one compressed JSON object that is rewritten as a whole.

A thread knows when it began, in older versions only when it last changed; its messages have no times.
Agents that run inside of Zed keep logs of their own.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from hunch.sources.conversations.base import Conversation, Cursor, Log, Reader, Reading
from hunch.sources.conversations.foreign_sqlite import ForeignDatabase, open_foreign
from hunch.sources.conversations.jsonl import LONGEST_LINE, Record, parse
from hunch.sources.conversations.places import Places, found
from hunch.sources.conversations.shapes import text_of
from hunch.sources.conversations.times import from_iso
from hunch.sources.conversations.whole import Tally, Whole, is_known, read_whole
from hunch.sources.conversations.zed_threads import directory_in, messages_of
from hunch.sources.conversations.zstd import decompress
from hunch.sources.paths import exists

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

AGENT = "zed"

_TABLE = "threads"
_NEEDED = {"id", "updated_at", "data_type", "data"}
_OPTIONAL = ("summary", "parent_id", "folder_paths", "created_at")


def discover(places: Places) -> Iterator[Log]:
    """Yield the database of threads."""
    name = "zed" if places.platform == "linux" else "Zed"
    for folder in (places.data() / name, *places.extra.get(AGENT, ())):
        for path in (folder / "threads" / "threads.db", folder / "threads.db"):
            if exists(path):
                journals = (path.with_name(path.name + end) for end in ("-wal", "-journal"))
                yield from found(AGENT, path, *journals)


def read(log: Log, since: Mapping[str, Cursor]) -> Iterator[Reading]:
    """Yield what is new in the threads of a database; each has its id as key."""
    with open_foreign(log.path, frozenset({_TABLE})) as database:
        columns = database.columns(_TABLE)
        if not columns >= _NEEDED:
            return
        optional = (name if name in columns else "NULL" for name in _OPTIONAL)
        rows = database.rows(
            f"SELECT id, updated_at, length(data), {', '.join(optional)}"  # noqa: S608 -- constants
            f" FROM {_TABLE} ORDER BY updated_at, id"
        )
        for key, updated, size, *about in rows:
            id_ = str(key)
            mark = f"{updated} {size}"
            if is_known(since, id_, mark):
                continue
            thread = _thread(database, key)
            if thread is not None or id_ not in since:
                whole = _whole(thread, id_, from_iso(updated), about)
                yield from read_whole(whole, mark, since, id_)


ZED = Reader(AGENT, "Zed", discover, read)


def _whole(thread: Record | None, id_: str, updated: datetime | None, about: list[Any]) -> Whole:
    summary, parent, folders, created = about
    tally = Tally(broken=int(thread is None))
    thread = thread or {}
    opened = str(folders or "").split("\n", 1)[0]
    conversation = Conversation(
        id_,
        str(thread.get("title") or summary or ""),
        opened or directory_in(thread),
        parent=text_of(parent),
        is_subagent=bool(parent),
        started=from_iso(created) or updated,
    )
    return Whole(conversation, list(messages_of(thread, conversation, tally)), tally)


def _thread(database: ForeignDatabase, id_: object) -> Record | None:
    rows = database.rows(
        "SELECT data_type, data FROM threads WHERE id = ? AND length(data) <= ?",
        (id_, LONGEST_LINE),
    )
    kind, data = rows[0] if rows else ("", None)
    if kind == "zstd" and isinstance(data, bytes):
        with suppress(ValueError):
            return parse(decompress(data, LONGEST_LINE))
        return None
    return parse(data) if isinstance(data, str | bytes) else None
