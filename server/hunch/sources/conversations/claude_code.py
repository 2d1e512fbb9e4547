"""Claude Code: one JSON-lines file per session below `projects/`, sub-agents in files beside it.

Records form a tree by `uuid` and `parentUuid`. Each content block of an answer has a line of its own;
tool calls that run at the same time make side branches, so text counts also when it hangs from the
path within one turn. Sub-agents that old versions wrote into the file of the session are left out.
"""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import TYPE_CHECKING

from hunch.sources.conversations.assemble import Message
from hunch.sources.conversations.base import Conversation, Cursor, Log, Reader, Reading
from hunch.sources.conversations.branches import Branches
from hunch.sources.conversations.claude_typed import (
    Typed,
    is_injected_origin,
    typed_content,
    typed_in,
)
from hunch.sources.conversations.jsonl import JsonLines, Record
from hunch.sources.conversations.places import Places, files_below, found
from hunch.sources.conversations.shapes import blocks_of, object_at, text_at
from hunch.sources.conversations.times import from_iso
from hunch.sources.conversations.transcript import derived_id, read_transcript
from hunch.sources.conversations.visible import summarize_call
from hunch.sources.paths import exists, real

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

AGENT = "claude-code"

_KNOWN = {
    *("user", "assistant", "system", "attachment"),
    *("summary", "ai-title", "custom-title", "last-prompt", "queue-operation", "progress", "mode"),
    *("file-history-snapshot", "file-history-delta", "permission-mode", "tag", "cost-state"),
    *("atis-latch", "tools-used", "pr-link", "bridge-session", "agent-name", "relocated"),
    *("continued-in", "content-replacement", "history-suppression", "worktree-state"),
    *("api-request", "api-request-blob", "api-request-shape", "agent-color", "agent-setting"),
}
"""Types of records; all but the first four are state of the program."""
_BLOCKS = {
    *("text", "thinking", "redacted_thinking", "tool_use", "tool_result", "image", "document"),
    *("server_tool_use", "web_search_tool_result", "web_fetch_tool_result", "mcp_tool_use"),
    *("mcp_tool_result", "tool_reference", "search_result", "container_upload", "fallback"),
}
_ERROR_MODEL = "<synthetic>"


def discover(places: Places) -> Iterator[Log]:
    """Yield the transcripts below the configuration folder and the folders that the user names."""
    home = places.variable("CLAUDE_CONFIG_DIR") or places.home / ".claude"
    yield from _transcripts(home / "projects")
    for folder in places.extra.get(AGENT, ()):
        inside = folder / "projects"
        yield from _transcripts(inside if exists(inside) else folder)


def read(log: Log, since: Mapping[str, Cursor]) -> Iterator[Reading]:
    """Yield what is new in one transcript."""

    def make(known: Conversation | None, state: Cursor | None) -> ClaudeCode:
        return ClaudeCode(log.path, known, state)

    return read_transcript(JsonLines.of_path(log.path), make, since)


CLAUDE_CODE = Reader(AGENT, "Claude Code", discover, read)


def _transcripts(root: Path) -> Iterator[Log]:
    top = real(root)
    for path in files_below(root):
        if path.suffix == ".jsonl" and _is_transcript(path.relative_to(top)):
            yield from found(AGENT, path)


def _is_transcript(inside: Path) -> bool:
    depth = len(inside.parts)
    return depth <= 2 or (inside.name.startswith("agent-") and "subagents" in inside.parts)


class ClaudeCode:
    """Understands the records of one transcript."""

    def __init__(self, path: Path, known: Conversation | None, state: Cursor | None) -> None:
        self._is_subagent = path.name.startswith("agent-")
        self._stem = path.stem
        self._branches = Branches(is_whole=state is None)
        self._visible = array("Q")
        """Of each visible record: its number in the tree and its position."""
        self._prompts: set[int] = set()
        self.conversation = known or Conversation(path.stem, is_subagent=self._is_subagent)

    def note(self, position: int, record: Record) -> str:
        """See `Format.note`."""
        kind = text_at(record, "type")
        if kind in ("ai-title", "custom-title"):
            self._title(record)
        if record.get("isSidechain") and not self._is_subagent:
            return ""
        if "uuid" in record:
            self._grow(position, kind, record)
        if kind == "assistant":
            return _unknown_block(record)
        return "" if kind in _KNOWN else kind or "untyped"

    def chosen(self) -> array[int] | None:
        """See `Format.chosen`."""
        flags = self._branches.on_path()
        if flags is None:
            return None
        kept = array("Q")
        for number, position in zip(*[iter(self._visible)] * 2, strict=True):
            end = self._reach(number, flags)
            if end < 0:
                return None
            if end:
                kept.append(position)
        return kept

    def messages(self, position: int, record: Record) -> Iterator[Message]:
        """See `Format.messages`."""
        if record.get("type") == "assistant":
            yield from _answers(position, record)
        elif typed := self._typed(record):
            yield Message(
                "user",
                typed.text,
                from_iso(record.get("timestamp")),
                _turn_id(record, typed.text),
                conversation="" if self._is_subagent else text_at(record, "sessionId"),
                directory=text_at(record, "cwd"),
                branch=text_at(record, "gitBranch"),
                needs_answer=typed.is_command,
                is_subagent=self._is_subagent,
                position=position,
            )

    def state(self) -> Cursor:
        """See `Format.state`; where the first record hangs needs not be known."""
        return {}

    def _grow(self, position: int, kind: str, record: Record) -> None:
        """Put a record into the tree; those of other kinds may be links between messages too."""
        self._know(record)
        typed = self._typed(record)
        number = self._branches.add(
            text_at(record, "uuid"),
            text_at(record, "parentUuid", "logicalParentUuid"),
            moves_leaf=kind in ("user", "assistant") or typed is not None,
        )
        if typed:
            self._prompts.add(number)
        if typed or (kind == "assistant" and _is_model(record)):
            self._visible.extend((number, position))

    def _typed(self, record: Record) -> Typed | None:
        if record.get("type") == "user":
            return typed_in(record)
        attachment = object_at(record, "attachment")
        if attachment.get("type") != "queued_command" or is_injected_origin(attachment):
            return None
        is_human = text_at(object_at(attachment, "origin"), "kind") == "human"
        return typed_content(attachment.get("prompt")) if is_human else None

    def _reach(self, number: int, flags: bytearray) -> int:
        """Return where a visible record hangs on the path: itself, or a record of the same turn.

        0 when it does not; less when what it hangs on stands before the first record.
        """
        while number > 0 and not flags[number]:
            if number in self._prompts:
                return 0
            number = self._branches.parent(number)
        return number

    def _title(self, record: Record) -> None:
        """Take a title; that of the person wins over that of the program."""
        given = text_at(record, "customTitle")
        if given or not self.conversation.title:
            title = given or text_at(record, "aiTitle")
            self.conversation = replace(self.conversation, title=title)

    def _know(self, record: Record) -> None:
        """Learn where and when the conversation began from its first record."""
        known = self.conversation
        if known.started:
            return
        session = text_at(record, "sessionId")
        self.conversation = replace(
            known,
            id=f"{session}/{self._stem}" if self._is_subagent else known.id,
            parent=session if self._is_subagent else known.parent,
            directory=known.directory or text_at(record, "cwd"),
            branch=known.branch or text_at(record, "gitBranch"),
            started=from_iso(record.get("timestamp")),
        )


def _turn_id(record: Record, text: str) -> str:
    """Return the uuid of the record, or of the one that it was copied from."""
    origin = object_at(record, "forkedFrom")
    known = text_at(origin, "messageUuid") or text_at(record, "uuid")
    return known or derived_id(text_at(record, "sessionId", "timestamp"), text)


def _is_model(record: Record) -> bool:
    model = text_at(object_at(record, "message"), "model")
    return not record.get("isApiErrorMessage") and model != _ERROR_MODEL


def _unknown_block(record: Record) -> str:
    for block in blocks_of(object_at(record, "message").get("content")):
        if (kind := text_at(block, "type")) not in _BLOCKS:
            return f"block:{kind}"
    return ""


def _answers(position: int, record: Record) -> Iterator[Message]:
    message = object_at(record, "message")
    at = from_iso(record.get("timestamp"))
    model, id_ = text_at(message, "model"), text_at(message, "id")
    for block in blocks_of(message.get("content")):
        match block.get("type"):
            case "text":
                text = text_at(block, "text")
                yield Message("assistant", text, at, id_ + text, model=model, position=position)
            case "tool_use":
                summary = summarize_call(text_at(block, "name"), block.get("input"))
                yield Message("tool", summary, at, text_at(block, "id"), position=position)
            case _:
                pass
