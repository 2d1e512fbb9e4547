"""The values that readers of conversation logs give, and what a reader is.

A *log* is one file that an agent writes: a transcript, or a database of many of them. A reader
finds logs (`discover`) and turns what is new in one of them into *turns* (`read`). A turn is what a
person typed with everything the agent said up to the next such message; tool results, thinking and
injected text are no part of it.

Readers know nothing of the index. What they want to remember they hand back as a `Cursor`, which
the caller keeps and gives back at the next reading.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime
    from pathlib import Path

    from hunch.sources.conversations.places import Places

Cursor = dict[str, Any]
"""What a reader remembers of a log: plain JSON values, meaningful to that reader only."""

Stamp = tuple[int, ...]
"""Sizes and times of the files of a log; equal stamps mean that nothing was written."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing the agent did in a turn: it said something, or it called a tool."""

    text: str
    """Visible text as Markdown, or a one-line summary of the call such as `Read walk.py`."""
    is_tool: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """A message typed by a person with all that the agent said up to the next one."""

    id: str
    """The same at every reading and in every copy of the turn (forks, archives, resumed logs).

    Of two logs of one agent that hold a turn with the same id, that with the lower `Log.rank` keeps
    it; at equal rank the conversation that started earlier, then the lower path.
    """
    conversation: str
    """The id of the conversation that the turn's records name."""
    question: str
    """What the person typed, without wrappers and outer white space; may have any length."""
    steps: tuple[Step, ...] = ()
    """What the agent said and called, in order."""
    started: datetime | None = None
    """When the question was sent (aware, UTC); `None` where the log does not say."""
    ended: datetime | None = None
    """When the last step was written (aware, UTC); `None` without one, or without a time."""
    model: str = ""
    """The model of the last visible answer, as the log names it; may be empty."""
    directory: str = ""
    """The working directory recorded for the question; a path of the machine that wrote the log."""
    branch: str = ""
    """The git branch recorded for the question; may be empty."""
    is_subagent: bool = False
    """The question was written by another agent, not by a person."""

    @property
    def answer(self) -> str:
        """All visible text of the agent, its pieces joined by blank lines; may be empty."""
        return "\n\n".join(step.text for step in self.steps if not step.is_tool)


@dataclass(frozen=True, slots=True)
class Conversation:
    """What a log says about one conversation as a whole; what it does not say is empty."""

    id: str
    title: str = ""
    directory: str = ""
    """The first working directory recorded."""
    remote: str = ""
    """The URL of the git remote."""
    branch: str = ""
    parent: str = ""
    """The conversation that this one was forked from or, for a sub-agent, that called it."""
    is_subagent: bool = False
    started: datetime | None = None
    """Aware, UTC."""


@dataclass(frozen=True, slots=True)
class Log:
    """A file that a reader found, as the directory listing describes it."""

    agent: str
    path: Path
    """The real path."""
    stamp: Stamp
    rank: int = 0
    """0 for an agent's live logs, higher for archives and copies."""
    hint: str = ""
    """What the reader learned when it found the log and wants to know again when it reads it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Some turns of one conversation, in order, and what to remember once they are stored.

    A turn that was given before comes again, with the same id, when its answer went on.
    """

    conversation: Conversation
    turns: tuple[Turn, ...]
    cursor: Cursor
    """To be remembered under `key` when the turns are stored."""
    key: str = ""
    """Which of the log's cursors this is: empty in a file that is one transcript."""
    replace: bool = False
    """Whatever was stored for this log and `key` no longer holds and must go before these turns."""
    unknown: Mapping[str, int] = field(default_factory=Counter[str])
    """How many records of which unknown kind were met and not counted at an earlier reading."""
    broken: int = 0
    """How many lines or rows could not be parsed and were not counted at an earlier reading."""


@dataclass(frozen=True, slots=True)
class Reader:
    """How the logs of one agent are found and read. Both functions block; neither keeps state."""

    agent: str
    """A name for filters and hits, such as `claude-code`."""
    label: str
    """The agent's name for people, such as `Claude Code`."""
    discover: Callable[[Places], Iterator[Log]]
    """Yields the logs below an agent's folders without opening them; missing folders yield nothing."""
    read: Callable[[Log, Mapping[str, Cursor]], Iterator[Reading]]
    """Yields what is new since the cursors that were remembered, in pieces of bounded size.

    Yields nothing when nothing new was written. The caller may stop between any two pieces, and
    goes on later from the last cursor it kept. Raises `LogUnavailable`.
    """
