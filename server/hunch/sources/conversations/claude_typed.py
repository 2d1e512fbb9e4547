"""Which `user` records of Claude Code a person typed, and what of their text.

The program writes much in the person's name: tool results, reminders, output of local commands,
notices of background tasks. Slash commands come in a wrapper of their own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hunch.sources.conversations.shapes import blocks_of, object_at, text_at
from hunch.sources.conversations.visible import strip_blocks

if TYPE_CHECKING:
    from hunch.sources.conversations.jsonl import Record

_BLOCKS = ("system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics")
"""Tags that wrap what the editor or the program adds to a message."""

_INJECTED = (
    *("<system-reminder>", "<local-command-", "<bash-input>", "<bash-stdout>", "<bash-stderr>"),
    *("<ide_opened_file>", "<ide_selection>", "<post-tool-use-hook>", "<user-memory-input>"),
    *("<task-notification>", "<teammate-message", "<fork-boilerplate>"),
    *("[Request interrupted by user", "Caveat: The messages below were"),
)
"""A text that starts so was typed by nobody."""

_INJECTING_ORIGINS = {"task-notification", "peer", "coordinator", "auto-continuation"}
_COMMAND = re.compile(r"<command-name>\s*(/?[^<]*?)\s*</command-name>")
_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Typed:
    """What a person typed."""

    text: str
    is_command: bool = False
    """It is a slash command, which the program may have answered without the model."""


def typed_in(record: Record) -> Typed | None:
    """Return what a person typed in a `user` record, or `None` if nobody did."""
    if record.get("isMeta") or record.get("isCompactSummary") or record.get("interruptedMessageId"):
        return None
    if is_injected_origin(record):
        return None
    return typed_content(object_at(record, "message").get("content"))


def is_injected_origin(record: Record) -> bool:
    """Say whether a record names somebody else than a person as its origin."""
    return text_at(object_at(record, "origin"), "kind") in _INJECTING_ORIGINS


def typed_content(content: object) -> Typed | None:
    """Return what a person typed of a message's content, or `None`."""
    blocks = list(blocks_of(content))
    if any(block.get("type") == "tool_result" for block in blocks):
        return None
    texts = [text_at(block, "text") for block in blocks if block.get("type") == "text"]
    whole = "\n\n".join(filter(None, (_own(text) for text in texts)))
    if whole.startswith("<command-"):
        return _command(whole)
    return Typed(whole) if whole else None


def _own(text: str) -> str:
    text = strip_blocks(text, _BLOCKS).strip()
    return "" if text.startswith(_INJECTED) else text


def _command(text: str) -> Typed | None:
    name = _COMMAND.search(text)
    if not name or not name[1]:
        return None
    arguments = _ARGUMENTS.search(text)
    line = f"/{name[1].lstrip('/')} {arguments[1].strip() if arguments else ''}"
    return Typed(line.strip(), is_command=True)
