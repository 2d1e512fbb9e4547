"""The readers that there are, in the order of their importance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hunch.sources.conversations.aider import AIDER
from hunch.sources.conversations.claude_code import CLAUDE_CODE
from hunch.sources.conversations.cline import CLINE, ROO
from hunch.sources.conversations.codex import CODEX
from hunch.sources.conversations.continue_dev import CONTINUE
from hunch.sources.conversations.copilot import COPILOT
from hunch.sources.conversations.cursor import CURSOR
from hunch.sources.conversations.exports import CHATGPT, CLAUDE_AI
from hunch.sources.conversations.gemini import GEMINI
from hunch.sources.conversations.openclaw import OPENCLAW
from hunch.sources.conversations.opencode import KILO, OPENCODE
from hunch.sources.conversations.pi import PI
from hunch.sources.conversations.zed import ZED

if TYPE_CHECKING:
    from hunch.sources.conversations.base import Reader

READERS: tuple[Reader, ...] = (
    *(OPENCLAW, CLAUDE_CODE, CODEX),
    *(COPILOT, OPENCODE, KILO, CURSOR, GEMINI, CHATGPT, CLAUDE_AI),
    *(CLINE, ROO, PI, AIDER, CONTINUE, ZED),
)
