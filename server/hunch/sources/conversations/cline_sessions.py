"""A session of the Cline SDK: its messages, and beside them what is known of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hunch.sources.conversations.assemble import Message
from hunch.sources.conversations.base import Conversation
from hunch.sources.conversations.cline_tasks import CONTEXT, answers_in, typed
from hunch.sources.conversations.documents import object_aside
from hunch.sources.conversations.identity import QuestionIds
from hunch.sources.conversations.shapes import as_object, blocks_of, object_at, objects_in, text_at
from hunch.sources.conversations.times import from_iso, from_milliseconds
from hunch.sources.conversations.visible import strip_blocks
from hunch.sources.conversations.whole import Tally, Whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hunch.sources.conversations.jsonl import Record

_PROMPT = re.compile(
    r"""<(user_input|user_command)\b(?:[^>]*\bslash="([^"]*)")?[^>]*>\s*(.*?)\s*</\1>""", re.DOTALL
)
"""What a person typed, as sessions since 2026 wrap it; a command has its name in the tag."""
_WRAPPERS = ("<user_input", "<user_command")
_CONTEXT = (*CONTEXT, "mode_notice", "hook_context")


def session_whole(path: Path, value: object) -> Whole:
    """Return what a file of messages says; the files of sub-agents lie in the folder of the session."""
    record = as_object(value)
    tally = Tally()
    name = path.name.removesuffix(".messages.json")
    session, manifest = _manifest(path, record)
    is_subagent = name != session
    started = manifest.get("started_at")
    conversation = Conversation(
        f"{session}/{name}" if is_subagent else session,
        directory=text_at(manifest, "cwd", "workspace_root"),
        parent=session if is_subagent else "",
        is_subagent=is_subagent,
        started=from_iso(started) or from_milliseconds(started),
    )
    messages = list(objects_in(record.get("messages")))
    return Whole(conversation, list(_messages(messages, conversation, tally)), tally)


def _manifest(path: Path, record: Record) -> tuple[str, Record]:
    """Return the id of the session and what its manifest says."""
    name = path.name.removesuffix(".messages.json")
    session = text_at(record, "sessionId")
    for id_ in filter(None, (name, session, path.parent.name)):
        if manifest := object_aside(path.parent / f"{id_}.json"):
            return id_, manifest
    return session or name, {}


def _messages(records: list[Record], conversation: Conversation, tally: Tally) -> Iterator[Message]:
    ids = QuestionIds(conversation.id)
    for record in records:
        at = from_milliseconds(record.get("ts"))
        about = object_at(record, "metadata")
        match record.get("role"):
            case "user" if not about.get("displayOnly") and not about.get("kind"):
                if text := _question(record):
                    yield Message(
                        "user",
                        text,
                        at or conversation.started,
                        ids.next(text),
                        directory=conversation.directory,
                        is_subagent=conversation.is_subagent,
                    )
            case "assistant" if not about.get("displayOnly"):
                yield from answers_in(record, at)
            case "user" | "assistant" | "system" | "tool":
                pass
            case role:
                tally.count(f"role:{role}")


def _question(record: Record) -> str:
    """Return what a person typed; the first sessions hold most of it without wrappers."""
    blocks = blocks_of(record.get("content"))
    whole = "\n\n".join(text_at(each, "text") for each in blocks if each.get("type") == "text")
    shown = strip_blocks(whole, _CONTEXT).strip()
    prompts = _PROMPT.findall(shown) if shown.startswith(_WRAPPERS) else []
    typed_here = (f"/{name} {text}".strip() if name else text for _, name, text in prompts)
    return "\n\n".join(typed_here) or typed(record) or shown
