"""Aider: one Markdown file for each project, to which every run is appended.

There is no central place: the file lies in the root of the repository or in the folder where Aider
was started. Its lines are told apart by how they begin, so a quotation in an answer cannot be told
from what a tool printed; both are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import groupby
from typing import IO, TYPE_CHECKING

from hunch.errors import LogUnavailable
from hunch.sources.conversations.assemble import Message
from hunch.sources.conversations.base import Conversation, Cursor, Log, Reader, Reading
from hunch.sources.conversations.identity import QuestionIds
from hunch.sources.conversations.places import Places, found
from hunch.sources.conversations.whole import Whole, is_known, read_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

AGENT = "aider"

_NAME = ".aider.chat.history.md"
_HEADER = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*")
_COMMAND = ("/", "!")
_NOTHING = "<blank>"
"""Stands for an empty message."""
_LONGEST_LINE = 1 << 20


def discover(places: Places) -> Iterator[Log]:
    """Yield the histories in the home folder, in the folders that the user names and right below."""
    seen: set[Path] = set()
    for path in _paths(places):
        for log in found(AGENT, path):
            if log.path not in seen:
                seen.add(log.path)
                yield log


def read(log: Log, since: Mapping[str, Cursor]) -> Iterator[Reading]:
    """Yield what is new in the history of one project; each run has its time as key."""
    try:
        with log.path.open("rb") as file:
            for run in _runs(_complete_lines(file)):
                if not is_known(since, run.id, run.mark()):
                    whole = run.whole(str(log.path.parent))
                    yield from read_whole(whole, run.mark(), since, run.id)
    except FileNotFoundError:
        raise LogUnavailable("gone") from None
    except OSError:
        raise LogUnavailable("unreadable") from None


AIDER = Reader(AGENT, "Aider", discover, read)


def _paths(places: Places) -> Iterator[Path]:
    named = places.variable("AIDER_CHAT_HISTORY_FILE")
    if named and named.is_absolute():
        yield named
    yield places.home / _NAME
    for root in places.extra.get(AGENT, ()):
        yield root / _NAME
        yield from sorted(root.glob(f"*/{_NAME}"))


def _complete_lines(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines that are written to their end; a very long one in pieces."""
    for line in iter(lambda: file.readline(_LONGEST_LINE), b""):
        if not line.endswith(b"\n") and len(line) < _LONGEST_LINE:
            return
        yield line


def _runs(lines: Iterator[bytes]) -> Iterator[_Run]:
    """Yield the runs of the program; what stands before the first is dropped."""
    run: _Run | None = None
    times: Counter[str] = Counter()
    for line in lines:
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if header := _HEADER.fullmatch(text):
            if run:
                yield run
            times[header[1]] += 1
            run = _Run(header[1], times[header[1]])
        if run:
            run.take(line, text)
    if run:
        yield run


class _Run:
    """One run of the program, from its header to the next."""

    def __init__(self, started: str, number: int) -> None:
        self.id = started if number == 1 else f"{started}#{number}"
        self._started = started
        self._hash = blake2b(digest_size=16)
        self._lines: list[str] = []

    def take(self, line: bytes, text: str) -> None:
        """Take the next line, as it stands in the file and as text."""
        self._hash.update(line)
        self._lines.append(text)

    def mark(self) -> str:
        """Return a text that changes with the run."""
        return self._hash.hexdigest()

    def whole(self, directory: str) -> Whole:
        """Return what was said in the run."""
        conversation = Conversation(
            self.id, directory=directory, started=_from_local(self._started)
        )
        return Whole(conversation, _messages(self._lines[1:], conversation))


def _from_local(text: str) -> datetime | None:
    """Read a time that names no zone: it is that of the machine that ran the program."""
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _messages(lines: list[str], conversation: Conversation) -> Iterator[Message]:
    ids = QuestionIds(conversation.id)
    for is_typed, group in groupby(_said(lines), key=lambda said: said[0]):
        text = "\n".join(line for _, line in group)
        if not is_typed:
            yield Message("assistant", text)
        elif text.startswith(_COMMAND):
            yield Message("control")
        elif text != _NOTHING:
            yield Message(
                "user",
                text,
                conversation.started,
                ids.next(text),
                directory=conversation.directory,
            )


def _said(lines: list[str]) -> Iterator[tuple[bool, str]]:
    """Yield the lines that were typed (true) and answered (false), without what tools printed.

    Runs of blank lines that this leaves become one.
    """
    last, is_cut = (False, ""), False
    for line in lines:
        is_blank = not line.strip()
        if is_printed := line.startswith("> ") or line.rstrip() == ">":
            is_cut = True
        is_typed = line.startswith("#### ") or line.rstrip() == "####"
        if is_printed and not last[0]:
            continue
        if is_blank and is_cut and last == (False, ""):
            continue
        last = (is_typed, line[5:].strip() if is_typed else "" if is_printed or is_blank else line)
        is_cut = is_printed or (is_cut and is_blank)
        yield last
