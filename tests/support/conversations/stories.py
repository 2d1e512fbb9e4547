"""Conversations of each agent that are written step by step, with all that changes what was said.

A story writes one state of the agent's files after the other; what must come out at the end is the
same however often was read in between. Text that nobody may find contains HIDDEN or ABANDONED.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hunch.sources.conversations.aider import AIDER
from hunch.sources.conversations.cline import CLINE
from hunch.sources.conversations.continue_dev import CONTINUE
from hunch.sources.conversations.copilot import COPILOT
from hunch.sources.conversations.cursor import CURSOR
from hunch.sources.conversations.exports import CHATGPT, CLAUDE_AI
from hunch.sources.conversations.gemini import GEMINI
from hunch.sources.conversations.opencode import KILO, OPENCODE
from hunch.sources.conversations.pi import PI
from hunch.sources.conversations.places import Places
from hunch.sources.conversations.zed import ZED
from support.conversations import (
    aider,
    cline,
    continue_dev,
    copilot,
    cursor,
    exports,
    gemini,
    opencode,
    pi,
    zed,
)
from support.conversations.shelf import Shelf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from hunch.sources.conversations.base import Log, Reader, Reading, Turn


@dataclass(frozen=True, slots=True)
class Story:
    """One agent's files as they change, and what they say at the end."""

    reader: Reader
    steps: Callable[[Path], Iterator[None]]
    """Writes the next state below a home folder each time it is asked for the next value."""
    told: list[tuple[str, str]]
    """Questions and answers at the end."""

    def places(self, home: Path) -> Places:
        """Return where the files are looked for: the user names the home folder too."""
        return Places(home, extra={self.reader.agent: (home,)})

    def write(self, home: Path) -> None:
        """Write all states."""
        for _ in self.steps(home):
            pass


@dataclass
class Library:
    """Keeps the turns of all logs of one agent, as an index would."""

    reader: Reader
    shelves: dict[Path, tuple[Log, Shelf]] = field(default_factory=dict)

    def look(self, places: Places) -> list[Reading]:
        """Read what is new in all logs that are there."""
        readings: list[Reading] = []
        for log in self.reader.discover(places):
            _, shelf = self.shelves.get(log.path, (log, Shelf(self.reader)))
            self.shelves[log.path] = (log, shelf)
            readings.extend(shelf.read(log))
        return readings

    @property
    def turns(self) -> dict[str, Turn]:
        """The turns by id; of copies that in the log with the lowest rank and path."""
        logs = sorted(self.shelves.values(), key=lambda pair: (pair[0].rank, str(pair[0].path)))
        return {turn.id: turn for _, shelf in reversed(logs) for turn in shelf.turns}


STORIES = {
    "aider": Story(AIDER, aider.steps, aider.TOLD),
    "chatgpt": Story(CHATGPT, exports.chatgpt_steps, exports.CHATGPT_TOLD),
    "claude-ai": Story(CLAUDE_AI, exports.claude_ai_steps, exports.CLAUDE_AI_TOLD),
    "cline": Story(CLINE, cline.task_steps, cline.TOLD),
    "cline sessions": Story(CLINE, cline.session_steps, cline.TOLD),
    "continue": Story(CONTINUE, continue_dev.steps, continue_dev.TOLD),
    "copilot log": Story(COPILOT, copilot.log_steps, copilot.TOLD),
    "copilot object": Story(COPILOT, copilot.object_steps, copilot.TOLD),
    "cursor window": Story(CURSOR, cursor.window_steps, cursor.TOLD),
    "cursor window in place": Story(CURSOR, cursor.in_place_steps, cursor.TOLD),
    "cursor command line": Story(CURSOR, cursor.store_steps, cursor.TOLD),
    "cursor transcript": Story(CURSOR, cursor.transcript_steps, cursor.TOLD),
    "gemini": Story(GEMINI, gemini.line_steps, gemini.TOLD),
    "gemini object": Story(GEMINI, gemini.object_steps, gemini.TOLD),
    "kilo": Story(KILO, opencode.kilo_steps, opencode.TOLD),
    "opencode": Story(OPENCODE, opencode.database_steps, opencode.TOLD),
    "opencode files": Story(OPENCODE, opencode.file_steps, opencode.TOLD),
    "pi": Story(PI, pi.steps, pi.TOLD),
    "zed": Story(ZED, zed.steps, zed.TOLD),
    "zed plain": Story(ZED, zed.plain_steps, zed.TOLD),
}
