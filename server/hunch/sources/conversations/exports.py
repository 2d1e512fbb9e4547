"""Exports of accounts of ChatGPT and Claude.ai: files that a person asked for and put into a folder.

Each file is an array of conversations, and large exports come in several files. A later export holds
most of an earlier one again; the latest comes first.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from hunch.sources.conversations.base import Cursor, Log, Reader, Reading
from hunch.sources.conversations.chatgpt import chatgpt_whole
from hunch.sources.conversations.claude_ai import claude_ai_whole
from hunch.sources.conversations.elements import elements_of
from hunch.sources.conversations.places import Places, files_below, found
from hunch.sources.conversations.shapes import as_object, text_at
from hunch.sources.conversations.whole import Tally, Whole, is_known, read_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from hunch.sources.conversations.jsonl import Record

_NAME = re.compile(r"conversations(?:-\d+)?\.json")


def _discover(agent: str, places: Places) -> Iterator[Log]:
    exports: dict[Path, list[Log]] = {}
    for root in places.extra.get(agent, ()):
        for path in files_below(root):
            if _NAME.fullmatch(path.name):
                exports.setdefault(path.parent, []).extend(found(agent, path))
    for rank, logs in enumerate(sorted(exports.values(), key=_latest, reverse=True)):
        yield from (replace(log, rank=rank) for log in logs)


def discover_chatgpt(places: Places) -> Iterator[Log]:
    """Yield the files of ChatGPT in the folders that the user names, those of the latest export first."""
    yield from _discover("chatgpt", places)


def discover_claude_ai(places: Places) -> Iterator[Log]:
    """Yield the files of Claude.ai in the folders that the user names, those of the latest export first."""
    yield from _discover("claude-ai", places)


def read_chatgpt(log: Log, since: Mapping[str, Cursor]) -> Iterator[Reading]:
    """Yield what is new in one file of ChatGPT; each conversation has its id as key."""
    yield from _read(log, since, chatgpt_whole)


def read_claude_ai(log: Log, since: Mapping[str, Cursor]) -> Iterator[Reading]:
    """Yield what is new in one file of Claude.ai; each conversation has its id as key."""
    yield from _read(log, since, claude_ai_whole)


CHATGPT = Reader("chatgpt", "ChatGPT", discover_chatgpt, read_chatgpt)
CLAUDE_AI = Reader("claude-ai", "Claude.ai", discover_claude_ai, read_claude_ai)


def _latest(logs: list[Log]) -> int:
    return max((log.stamp[1] for log in logs), default=0)


def _read(
    log: Log, since: Mapping[str, Cursor], understand: Callable[[Record, Tally], Whole]
) -> Iterator[Reading]:
    for number, element in enumerate(elements_of(log.path)):
        record = as_object(element.value)
        key = text_at(record, "conversation_id", "id", "uuid") or f"#{number}"
        if not is_known(since, key, element.mark):
            whole = understand({**record, "id": key}, Tally())
            yield from read_whole(whole, element.mark, since, key)
