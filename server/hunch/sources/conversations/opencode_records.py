"""The messages of opencode, the same in its database and in its files.

A message is an object with its role and its time; what was said are its parts. A person's message
may hold parts that the program added, and an answer may be a summary that compaction made.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hunch.sources.conversations.assemble import Message
from hunch.sources.conversations.identity import digest_id
from hunch.sources.conversations.shapes import object_at, text_at
from hunch.sources.conversations.times import from_milliseconds
from hunch.sources.conversations.visible import summarize_call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hunch.sources.conversations.jsonl import Record
    from hunch.sources.conversations.whole import Tally

_SILENT_PARTS = {
    *("reasoning", "file", "step-start", "step-finish", "snapshot", "patch", "agent", "subtask"),
    *("retry", "compaction"),
}
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*\s(?:[^"\\]|\\.)*)"', re.DOTALL)
"""How the command line writes an argument with spaces."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message and its parts, in order."""

    id: str
    info: Record
    parts: list[Record]


@dataclass(frozen=True, slots=True)
class Revert:
    """From where on messages were taken back."""

    message: str
    part: str

    @classmethod
    def of(cls, value: Record) -> Revert:
        """Understand what a session says about it."""
        return cls(text_at(value, "messageID"), text_at(value, "partID"))

    def cut(self, said: Said) -> Said | None:
        """Return what is left of a message that was taken back, or `None` if it was not."""
        if not self.message or said.id != self.message:
            return None
        ids = [text_at(part, "id") for part in said.parts]
        end = ids.index(self.part) if self.part in ids else 0
        return Said(said.id, said.info, said.parts[:end])


def messages_of(
    said: Said, directory: str, tally: Tally, *, is_subagent: bool
) -> Iterator[Message]:
    """Yield what is visible of one message."""
    kinds = {text_at(part, "type") for part in said.parts}
    for kind in kinds - _SILENT_PARTS - {"text", "tool"}:
        tally.count(f"part:{kind or 'untyped'}")
    at = from_milliseconds(object_at(said.info, "time").get("created"))
    match said.info.get("role"):
        case "user" if "compaction" not in kinds:
            text = _typed(said.parts)
            yield Message(
                "user",
                text,
                at,
                # A fork copies messages under ids of its own, with their times.
                digest_id(at.isoformat(), text) if at else said.id,
                directory=directory,
                is_subagent=is_subagent,
            )
        case "assistant" if said.info.get("summary") is not True:
            yield from _answers(said)
        case "user" | "assistant":
            pass
        case _:
            tally.count("role")


def _typed(parts: list[Record]) -> str:
    whole = "\n\n".join(text_at(part, "text") for part in parts if _is_visible(part))
    quoted = _QUOTED.fullmatch(whole.strip())
    return re.sub(r"\\(.)", r"\1", quoted[1], flags=re.DOTALL) if quoted else whole


def _answers(said: Said) -> Iterator[Message]:
    time = object_at(said.info, "time")
    at = from_milliseconds(time.get("completed") or time.get("created"))
    model = text_at(said.info, "modelID")
    for part in said.parts:
        if part.get("type") == "tool":
            arguments = object_at(part, "state").get("input")
            yield Message("tool", summarize_call(text_at(part, "tool"), arguments), at)
        elif _is_visible(part):
            yield Message("assistant", text_at(part, "text"), at, model=model)


def _is_visible(part: Record) -> bool:
    return part.get("type") == "text" and not part.get("synthetic") and not part.get("ignored")
