"""What the records of a Codex rollout say, over the years in which their form changed.

Since late 2025 a line is `{timestamp, type, payload}`; before that the first line was a bare header
and the others bare response items. A message stands in a file several times: as an event
(`user_message`, `agent_message`, or since 2026 `item_completed`), and as a response item, where
injected text stands in the person's name too.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from hunch.sources.conversations.shapes import as_object, object_at, objects_in, text_at
from hunch.sources.conversations.visible import summarize_call

if TYPE_CHECKING:
    from hunch.sources.conversations.jsonl import Record


class Role(IntEnum):
    """What a record is to the conversation."""

    CONTEXT = 0
    """Says in which directory, with which model, in which turn the next records are."""
    USER = 1
    ASSISTANT = 2
    TOOL = 3
    ROLLBACK = 4
    """The last turns are undone."""


class Channel(IntEnum):
    """Where a file says who said what: items are copies where the same role has events."""

    BOTH = 0
    EVENTS = 1
    ITEMS = 2


@dataclass(frozen=True, slots=True)
class Entry:
    """A record that matters."""

    channel: Channel
    role: Role
    text: str = ""


_IDE = re.compile(r"# Context from my IDE setup:.*?\n## My request for Codex:\s*", re.DOTALL)
"""What the editor extension writes before the prompt, in the same message."""

_INJECTED = (
    *("# AGENTS.md instructions for", "<user_instructions>", "<environment_context>", "<skill"),
    *("<user_shell_command>", "<turn_aborted>", "<subagent_notification>", "<hook_prompt"),
    *("<INSTRUCTIONS>", "<permissions instructions>", "<image name="),
)
_DIRECTORY = re.compile(r"<cwd>\s*(.*?)\s*</cwd>|Current working directory:[ \t]*(.+)")

_TYPES = {
    *("session_meta", "turn_context", "compacted", "world_state", "token_usage_record", "state"),
    *("inter_agent_communication", "inter_agent_communication_metadata", "retained_context"),
    *("realtime_item", "ghost_snapshot"),
}
_EVENTS = (
    *("agent_", "background_event", "collab_", "context_compacted", "deprecation_notice"),
    *("dynamic_tool", "elicitation", "entered_review", "error", "exec_", "exited_review"),
    *("get_history", "guardian_", "hook_", "image_generation", "item_", "list_", "mcp_", "model_"),
    *("patch_apply", "apply_patch", "plan_", "raw_response", "realtime_", "request_", "review"),
    *("session_configured", "shutdown", "skills_", "stream_error", "sub_agent", "task_"),
    *("terminal_", "thread_", "token_count", "turn_", "undo_", "user_message", "view_image"),
    *("warning", "web_search"),
)
"""How the names of known events begin."""
_ITEMS = {
    *("message", "reasoning", "function_call", "function_call_output", "custom_tool_call"),
    *("custom_tool_call_output", "local_shell_call", "web_search_call", "image_generation_call"),
    *("compaction", "compaction_summary", "ghost_snapshot", "tool_search_call", "other"),
    *("tool_search_output", "local_shell_call_output", "context_compaction"),
}


def unwrap(record: Record) -> tuple[str, Record]:
    """Return the type and the payload of a record of any age."""
    if isinstance(record.get("payload"), dict):
        return text_at(record, "type"), record["payload"]
    if record.get("record_type"):
        return "state", record
    if "type" in record:
        return "response_item", record
    return ("session_meta" if "id" in record else "", record)


def entry_of(kind: str, payload: Record) -> Entry | None:
    """Return what a record says to the conversation, or `None` if it says nothing."""
    match kind:
        case "turn_context":
            return Entry(Channel.BOTH, Role.CONTEXT)
        case "event_msg":
            return _event(payload)
        case "response_item":
            return _item(payload)
        case _:
            return None


def unknown_kind(kind: str, payload: Record) -> str:
    """Return the name of a kind of record that is not known; empty for known ones."""
    inner = text_at(payload, "type")
    match kind:
        case "event_msg":
            return "" if inner.startswith(_EVENTS) else f"event:{inner}"
        case "response_item":
            return "" if inner in _ITEMS else f"item:{inner}"
        case _:
            return "" if kind in _TYPES else kind or "untyped"


def directory_in(text: str) -> str:
    """Return the working directory that an injected environment context names, else empty."""
    found = _DIRECTORY.search(text) if text.startswith("<environment_context>") else None
    return (found[1] or found[2] or "").strip() if found else ""


def injected_text(payload: Record) -> str:
    """Return the first text of a response item, whoever wrote it."""
    return next(iter(_texts(payload, "input_text")), "")


def rolled_back(payload: Record) -> int:
    """Return how many turns of the person a roll-back undoes."""
    turns = payload.get("num_turns")
    return max(turns, 0) if isinstance(turns, int) else 0


def _event(payload: Record) -> Entry | None:
    match payload.get("type"):
        case "user_message":
            text = _IDE.sub("", text_at(payload, "message"))
            return Entry(Channel.EVENTS, Role.USER, text) if text.strip() else None
        case "agent_message":
            return Entry(Channel.EVENTS, Role.ASSISTANT, text_at(payload, "message"))
        case "item_completed":
            return _completed(object_at(payload, "item"))
        case "thread_rolled_back":
            return Entry(Channel.BOTH, Role.ROLLBACK)
        case _:
            return None


def _completed(item: Record) -> Entry | None:
    text = "\n\n".join(_texts(item, "text", "Text"))
    match item.get("type"):
        case "UserMessage":
            text = _IDE.sub("", text)
            return Entry(Channel.EVENTS, Role.USER, text) if text.strip() else None
        case "AgentMessage":
            return Entry(Channel.EVENTS, Role.ASSISTANT, text)
        case _:
            return None


def _item(payload: Record) -> Entry | None:
    match payload.get("type"):
        case "message":
            return _message(payload)
        case "function_call" | "custom_tool_call" | "local_shell_call" | "web_search_call":
            return Entry(Channel.BOTH, Role.TOOL, _call(payload))
        case _:
            return None


def _message(payload: Record) -> Entry | None:
    if payload.get("role") == "assistant":
        text = "\n\n".join(_texts(payload, "output_text"))
        return Entry(Channel.ITEMS, Role.ASSISTANT, text)
    if payload.get("role") != "user":
        return None
    texts = [text for text in _texts(payload, "input_text") if not text.startswith(_INJECTED)]
    text = _IDE.sub("", "\n\n".join(texts))
    if text.strip():
        return Entry(Channel.ITEMS, Role.USER, text)
    return Entry(Channel.BOTH, Role.CONTEXT) if directory_in(injected_text(payload)) else None


def _texts(holder: Record, *kinds: str) -> list[str]:
    blocks = objects_in(holder.get("content"))
    return [text_at(block, "text") for block in blocks if block.get("type") in kinds]


def _call(payload: Record) -> str:
    name = text_at(payload, "name") or text_at(payload, "type").removesuffix("_call")
    return summarize_call(name, _arguments(payload))


def _arguments(payload: Record) -> dict[str, Any]:
    arguments = object_at(payload, "action")
    try:
        arguments = arguments or as_object(json.loads(text_at(payload, "arguments") or "{}"))
    except (ValueError, RecursionError):
        return {}
    command = arguments.get("command")
    if isinstance(command, list):
        # A shell call is a list of words, the last of which is the script.
        return {"command": str(command[-1])} if command else {}  # pyright: ignore[reportUnknownArgumentType] -- JSON
    return arguments
