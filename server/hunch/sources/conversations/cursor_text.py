"""What Cursor writes around the messages of people, and how it is taken away again."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from hunch.sources.conversations.assemble import Message
from hunch.sources.conversations.shapes import blocks_of, text_at
from hunch.sources.conversations.visible import strip_blocks, summarize_call

if TYPE_CHECKING:
    from collections.abc import Iterator

_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.DOTALL)
_WRAPPERS = (
    *("timestamp", "user_info", "system_reminder", "open_and_recently_viewed_files", "rules"),
    *("additional_data", "attached_files", "project_layout", "git_status", "agent_transcripts"),
    *("agent_skills", "always_applied_workspace_rules", "user_rules", "mcp_file_system", "env"),
)
_TIME = re.compile(
    r"<timestamp>[^,<]*,\s*([A-Z][a-z]{2})[a-z]* (\d{1,2}), (\d{4}), (\d{1,2}):(\d\d) ([AP])M"
    r"(?: \((?:UTC|GMT)(?:([+-])(\d{1,2})(?::?(\d\d))?)?\))?\s*</timestamp>"
)
_MONTHS: list[str] = [
    *("Jan", "Feb", "Mar", "Apr", "May", "Jun"),
    *("Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
]


def typed(text: str) -> str:
    """Return what a person typed of a user message; empty if all of it is context."""
    queries = _QUERY.findall(text)
    return "\n\n".join(queries) if queries else strip_blocks(text, _WRAPPERS).strip()


def time_in(text: str) -> datetime | None:
    """Return the time written before a message, such as `Thursday, Oct 1, 2026, 12:00 PM (UTC+2)`.

    Without an offset UTC is meant.
    """
    found = _TIME.search(text)
    if not found or found[1] not in _MONTHS:
        return None
    hour = int(found[4]) % 12 + (12 if found[6] == "P" else 0)
    offset = timedelta(hours=int(found[8] or 0), minutes=int(found[9] or 0))
    try:
        local = datetime(  # noqa: DTZ001 -- the offset is taken off below
            int(found[3]), _MONTHS.index(found[1]) + 1, int(found[2]), hour, int(found[5])
        )
        moment = local + offset if found[7] == "-" else local - offset
    except (ValueError, OverflowError):
        return None
    return moment.replace(tzinfo=UTC)


def text_of(content: object) -> str:
    """Return the text blocks of a message's content."""
    texts = (text_at(block, "text") for block in blocks_of(content) if block.get("type") == "text")
    return "\n\n".join(filter(None, texts))


def answers_in(content: object, at: datetime | None = None) -> Iterator[Message]:
    """Yield the text and the calls in the content of an answer."""
    for block in blocks_of(content):
        match block.get("type"):
            case "text":
                yield Message("assistant", text_at(block, "text"), at)
            case "tool-call" | "tool_use":
                name = text_at(block, "toolName", "name")
                yield Message("tool", summarize_call(name, block.get("args", block.get("input"))))
            case _:
                pass
