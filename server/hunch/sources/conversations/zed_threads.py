"""A thread of Zed's agent, in its present form and that of its first versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hunch.sources.conversations.assemble import Message
from hunch.sources.conversations.identity import QuestionIds
from hunch.sources.conversations.shapes import as_object, object_at, objects_in, text_at
from hunch.sources.conversations.visible import summarize_call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hunch.sources.conversations.base import Conversation
    from hunch.sources.conversations.jsonl import Record
    from hunch.sources.conversations.whole import Tally

_SILENT = {"Compaction", "Resume"}
_SILENT_CONTENT = {"Thinking", "RedactedThinking", "Mention", "Image", "ToolResult"}


def directory_in(thread: Record) -> str:
    """Return the first folder that was open when the thread began."""
    snapshot = object_at(thread, "initial_project_snapshot")
    trees = objects_in(snapshot.get("worktree_snapshots"))
    return next((path for tree in trees if (path := text_at(tree, "worktree_path"))), "")


def messages_of(thread: Record, conversation: Conversation, tally: Tally) -> Iterator[Message]:
    """Yield what is visible of a thread."""
    ids = QuestionIds(conversation.id)
    for record in objects_in(thread.get("messages")):
        if "role" in record:
            yield from _of_segments(record, conversation, ids)
        elif "User" in record:
            said = as_object(record["User"])
            text = _text(said, tally)
            yield _question(text, text_at(said, "id") or _id(ids, text), conversation)
        elif "Agent" in record:
            yield from _answers(as_object(record["Agent"]), tally)
        else:
            kind = next(iter(record), "empty")
            tally.count("" if kind in _SILENT else f"message:{kind}")


def _question(text: str, id_: str, conversation: Conversation) -> Message:
    return Message(
        "user",
        text,
        conversation.started,
        id_,
        directory=conversation.directory,
        is_subagent=conversation.is_subagent,
    )


def _id(ids: QuestionIds, text: str) -> str:
    return ids.next(text) if text.strip() else ""


def _text(said: Record, tally: Tally) -> str:
    texts: list[str] = []
    for block in objects_in(said.get("content")):
        for kind, value in block.items():
            if kind == "Text" and isinstance(value, str):
                texts.append(value)
            else:
                tally.count("" if kind in _SILENT_CONTENT else f"content:{kind}")
    return "".join(texts)


def _answers(said: Record, tally: Tally) -> Iterator[Message]:
    for block in objects_in(said.get("content")):
        for kind, value in block.items():
            if kind == "Text" and isinstance(value, str):
                yield Message("assistant", value)
            elif kind == "ToolUse":
                call = as_object(value)
                yield Message("tool", summarize_call(text_at(call, "name"), call.get("input")))
            else:
                tally.count("" if kind in _SILENT_CONTENT else f"content:{kind}")


def _of_segments(record: Record, conversation: Conversation, ids: QuestionIds) -> Iterator[Message]:
    segments = objects_in(record.get("segments"))
    text = "".join(text_at(each, "text") for each in segments if each.get("type") == "text")
    if record.get("role") == "user":
        yield _question(text, _id(ids, text), conversation)
    elif record.get("role") == "assistant":
        yield Message("assistant", text)
