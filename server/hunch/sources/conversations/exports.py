"""Exports of accounts of ChatGPT and Claude.ai: files that a person asked for and put into a folder.

Each file is an array of conversations, and large exports come in several files. A later export holds
most of an earlier one again; the latest comes first. An archive is read as it was downloaded.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING
from zipfile import BadZipFile, ZipFile

from hunch.errors import LogUnavailable
from hunch.sources.conversations.base import Cursor, Log, Reader, Reading
from hunch.sources.conversations.chatgpt import chatgpt_whole
from hunch.sources.conversations.claude_ai import claude_ai_whole
from hunch.sources.conversations.elements import Element, elements_in
from hunch.sources.conversations.places import Places, files_below, found
from hunch.sources.conversations.shapes import as_object, text_at
from hunch.sources.conversations.whole import Tally, Whole, is_known, read_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from hunch.sources.conversations.jsonl import Record

_ARCHIVE = ".zip"
_NAME = re.compile(r"conversations(?:-\d+)?\.json")


def _discover(agent: str, places: Places) -> Iterator[Log]:
    exports: dict[Path, list[Log]] = {}
    for root in places.extra.get(agent, ()):
        for path in files_below(root):
            is_archive = path.suffix == _ARCHIVE
            if is_archive or _is_export(path.name):
                export = path if is_archive else path.parent
                exports.setdefault(export, []).extend(found(agent, path))
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


def _elements(path: Path) -> Iterator[Element]:
    """Yield the conversations in a file, or in all such files of an archive."""
    try:
        if path.suffix != _ARCHIVE:
            with path.open("rb") as file:
                yield from elements_in(file)
            return
        with ZipFile(path) as archive:
            for name in sorted(filter(_is_export, archive.namelist())):
                with archive.open(name) as file:
                    yield from elements_in(file)
    except FileNotFoundError:
        raise LogUnavailable("gone") from None
    except (OSError, RuntimeError):  # also: a password is needed, or another method of packing
        raise LogUnavailable("unreadable") from None
    except (BadZipFile, zlib.error, EOFError):
        raise LogUnavailable("damaged") from None


def _is_export(name: str) -> bool:
    return _NAME.fullmatch(name.rpartition("/")[2]) is not None


def _latest(logs: list[Log]) -> int:
    return max((log.stamp[1] for log in logs), default=0)


def _read(
    log: Log, since: Mapping[str, Cursor], understand: Callable[[Record, Tally], Whole]
) -> Iterator[Reading]:
    for number, element in enumerate(_elements(log.path)):
        record = as_object(element.value)
        key = text_at(record, "conversation_id", "id", "uuid") or f"#{number}"
        if not is_known(since, key, element.mark):
            whole = understand({**record, "id": key}, Tally())
            yield from read_whole(whole, element.mark, since, key)
