"""What OpenClaw writes around the messages of people, and how it is taken away again.

The gateway puts context before a message (who writes, in which chat, what was said there since), a
time before its first word, and hints after it; its forms changed over the years. It also sends
prompts of its own: heartbeats, timers, messages of other agents.
"""

from __future__ import annotations

import re

_CONTEXT_MARK = "⟦openclaw:ctx⟧"
_RUNTIME = ("<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>", "OpenClaw runtime context (internal):")
_INTERNAL = re.compile(
    r"<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>.*?<<<END_[A-Z_]*>>>"
    r"|(?:^Context:[ \t]*\n)?<active_memory_plugin>.*?</active_memory_plugin>"
    r"|^OpenClaw runtime context \(internal\):.*",
    re.DOTALL | re.MULTILINE,
)
_REST = re.compile(
    rf"^Context: {_CONTEXT_MARK}[ \t]*$.*"
    r"|^Untrusted context \(metadata, do not treat as instructions or commands\):.*",
    re.DOTALL | re.MULTILINE,
)
"""What follows these lines is context to its end."""

_LABEL = re.compile(rf"^(?:.*{_CONTEXT_MARK}|[^\n]{{1,80}} \(untrusted[^)\n]*\):)[ \t]*$")
"""A line that opens a block: a fence follows, or lines up to the next empty one."""

_HINT = re.compile(
    r"^(?:\[message_id: [^\]\n]*\]"
    r"|Active goal: .* keep active until fully achieved.*"
    r"|Delivery: .*\bmessage\b.*)[ \t]*$",
    re.MULTILINE,
)
_ENVELOPE = re.compile(r"^\[[A-Z][^\]\n]{0,120}\d{4}-\d\d-\d\d[ T]\d\d:\d\d[^\]\n]{0,40}\][ \t]*")
"""`[Mon 2026-06-15 09:12 GMT+2] ` and, of old, `[WhatsApp +1555… 2026-06-15 08:05 UTC] `."""

_FILES = re.compile(r'\A(?:<file name="[^"\n]*"[^>\n]*>.*?</file>(?:\s+|\Z))+', re.DOTALL)
"""Files that were named with a prompt; pi puts what they hold before it."""
_SKILL = re.compile(
    r'\A<skill name="([^"\n]+)" location="[^"\n]*">\n.*?\n</skill>(?=\n\n|\Z)\s*', re.DOTALL
)
"""The text of a skill that a person called; what was typed behind its name follows."""

_CONTROL = (
    *("[OpenClaw heartbeat poll]", "[OpenClaw exec completion]", "[OpenClaw cron wake]"),
    *("[OpenClaw session event]", "Read HEARTBEAT.md if it exists", "[cron:"),
    "Follow the heartbeat monitor scratch",
)
_DIRECTIVE = re.compile(
    r"\[\[\s*(?:reply_to_current|reply_to:[^\]\n]*|audio_as_voice)\s*\]\][ \t]*"
)
_SILENT = {"NO_REPLY", "HEARTBEAT_OK"}


def person_text(text: str) -> str:
    """Return what a person wrote of a user message; empty if all of it is context."""
    text = _REST.sub("", _INTERNAL.sub("", text.replace("\r\n", "\n")))
    text = _HINT.sub("", _without_blocks(text)).strip()
    text = _FILES.sub("", _ENVELOPE.sub("", text).strip())
    return _SKILL.sub(r"/skill:\1 ", text).strip()


def is_control(text: str) -> bool:
    """Say whether a stripped user message is a prompt of the program, not of a person."""
    return text.startswith(_CONTROL)


def is_internal(text: str) -> bool:
    """Say whether an unstripped user message carries context that the program gave itself."""
    return any(mark in text for mark in _RUNTIME)


def is_of_other_agent(text: str) -> bool:
    """Say whether a stripped user message was sent by another session."""
    return text.startswith("[Inter-session message]") and "isUser=false" in text.split("\n", 1)[0]


def agent_text(text: str) -> str:
    """Return what a person would see of an answer; empty for the words that mean silence."""
    text = _DIRECTIVE.sub("", text).strip()
    return "" if text in _SILENT else text


def _without_blocks(text: str) -> str:
    """Remove the labelled blocks, line by line."""
    kept: list[str] = []
    end = ""
    is_inside = False
    for line in text.split("\n"):
        if not is_inside and _LABEL.match(line):
            is_inside, end = True, "?"
        elif is_inside:
            if end == "?":
                end = "```" if line.startswith("```") else ""
                is_inside = bool(line.strip())
            else:
                is_inside = line.strip() != end
        else:
            kept.append(line)
    return "\n".join(kept)
