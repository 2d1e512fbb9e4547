"""A task of Cline, Roo Code or Kilo Code: what its panel shows, else what was sent to the model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hunch.sources.conversations.assemble import Message
from hunch.sources.conversations.base import Conversation
from hunch.sources.conversations.documents import aside, object_aside
from hunch.sources.conversations.identity import QuestionIds
from hunch.sources.conversations.jsonl import parse
from hunch.sources.conversations.shapes import as_object, blocks_of, objects_in, text_at
from hunch.sources.conversations.times import from_milliseconds
from hunch.sources.conversations.uris import path_of
from hunch.sources.conversations.visible import strip_blocks, summarize_call
from hunch.sources.conversations.whole import Tally, Whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from hunch.sources.conversations.jsonl import Record

UI_NAMES = ("ui_messages.json", "claude_messages.json")
"""What the panel shows, under its present and its first name; it has times."""
API_NAMES = ("api_conversation_history.json",)

_SAID_BY_AGENT = {"text", "completion_result"}
_SILENT = {
    *("api_req_started", "api_req_finished", "api_req_retried", "api_req_retry_delayed"),
    *("api_req_deleted", "api_req_failed", "api_req_rate_limit_wait", "deleted_api_reqs"),
    *("reasoning", "command", "command_output", "command_permission_denied", "error"),
    *("error_retry", "diff_error", "shell_integration_warning", "browser_action", "subagent"),
    *("browser_action_launch", "browser_action_result", "browser_session_status", "info"),
    *("mcp_server_request_started", "mcp_server_response", "mcp_notification", "use_mcp_server"),
    *("load_mcp_documentation", "checkpoint_created", "checkpoint_saved", "clineignore_error"),
    *("rooignore_error", "task_progress", "hook", "hook_status", "hook_output_stream", "image"),
    *("condense_context", "condense_context_error", "sliding_window_truncation", "condense"),
    *("codebase_search_result", "user_edit_todos", "subtask_result", "new_task", "idle"),
    *("generate_explanation", "use_subagents", "subagent_usage", "user_feedback_diff"),
    *("plan_mode_respond", "act_mode_respond", "completion_result", "resume_task"),
    *("resume_completed_task", "mistake_limit_reached", "auto_approval_max_req_reached"),
    *("summarize_task", "report_bug", "interactive_app", "invalid_model", "too_many_tools_warning"),
}
"""What else is said and asked, by the agent or by the program."""
_CHANGES = "HAS_CHANGES"
"""Stands behind a result when files were changed."""
_QUESTION = "followup"
CONTEXT = ("environment_details", "file_content", "explicit_instructions")
"""Tags around what the program adds to a message."""
_TYPED = re.compile(r"<(task|feedback|user_message|answer)>\s*(.*?)\s*</\1>", re.DOTALL)


def task_whole(path: Path, value: object) -> Whole:
    """Return what a file of a task says."""
    tally = Tally()
    records = list(objects_in(value))
    task = path.parent.name
    conversation = Conversation(
        task,
        directory=_directory(path.parent),
        started=from_milliseconds(int(task)) if task.isdecimal() else None,
    )
    if path.name in UI_NAMES:
        messages = _shown(records, conversation, tally)
    else:
        messages = _sent(records, conversation)
    return Whole(conversation, list(messages), tally)


def _directory(task: Path) -> str:
    """Return the folder of a task: Roo's and Kilo's files tell beside it, Cline's in its list."""
    if found := path_of(object_aside(task / "history_item.json").get("workspace")):
        return found
    storage = task.parent.parent
    listed = (
        *objects_in(object_aside(storage / "tasks" / "_index.json").get("entries")),
        *objects_in(aside(storage / "tasks" / "_index.json")),
        *objects_in(aside(storage / "state" / "taskHistory.json")),
    )
    for entry in listed:
        if str(entry.get("id")) == task.name:
            return path_of(text_at(entry, "cwdOnTaskInitialization", "workspace"))
    return ""


def _shown(records: list[Record], conversation: Conversation, tally: Tally) -> Iterator[Message]:
    ids = QuestionIds(conversation.id)
    is_first = True
    for record in records:
        kind = text_at(record, "type")
        said = text_at(record, "say") if kind == "say" else ""
        if record.get("partial") or kind not in ("say", "ask"):
            tally.count("" if record.get("partial") else f"type:{kind}")
            continue
        text, at = text_at(record, "text"), from_milliseconds(record.get("ts"))
        if said == "user_feedback" or (is_first and said in ("text", "task")):
            is_first = False
            yield Message(
                "user",
                text,
                at,
                f"{conversation.id}:{record['ts']}" if at else ids.next(text),
                directory=conversation.directory,
            )
        elif said in _SAID_BY_AGENT:
            yield Message("assistant", text.removesuffix(_CHANGES), at)
        elif said == "tool" or record.get("ask") == "tool":
            yield Message("tool", _call(text), at)
        elif record.get("ask") == _QUESTION:
            yield Message("assistant", _asked(text), at)
        else:
            name = said or text_at(record, "ask")
            tally.count("" if name in _SILENT else f"{kind}:{name}")


def _call(text: str) -> str:
    call = parse(text) or {}
    return summarize_call(text_at(call, "tool"), call)


def _asked(text: str) -> str:
    """Return the question in an `ask`, which is an object or, in old tasks, the text itself."""
    asked = parse(text)
    return text if asked is None else text_at(asked, "question")


def _sent(records: list[Record], conversation: Conversation) -> Iterator[Message]:
    ids = QuestionIds(conversation.id)
    for record in records:
        at = from_milliseconds(record.get("ts")) or conversation.started
        if record.get("isSummary"):
            continue
        if record.get("role") == "assistant":
            yield from answers_in(record, at)
        elif record.get("role") == "user" and (text := typed(record)):
            yield Message("user", text, at, ids.next(text), directory=conversation.directory)


def typed(record: Record) -> str:
    """Return what a person typed of a message that was sent; the wrappers tell."""
    blocks = blocks_of(record.get("content"))
    whole = "\n\n".join(text_at(each, "text") for each in blocks if each.get("type") == "text")
    return "\n\n".join(found[1] for found in _TYPED.findall(strip_blocks(whole, CONTEXT)))


def answers_in(record: Record, at: datetime | None) -> Iterator[Message]:
    """Yield the text and the calls of an answer."""
    for block in blocks_of(record.get("content")):
        match block.get("type"):
            case "text":
                yield Message("assistant", strip_blocks(text_at(block, "text"), ("thinking",)), at)
            case "tool_use":
                summary = summarize_call(text_at(block, "name"), as_object(block.get("input")))
                yield Message("tool", summary, at)
            case _:
                pass
