"""From the visible messages of a conversation to its turns, by rules that all agents share.

A turn is a message of a person with everything that the agent says up to the next one. A *control*
message (a heartbeat, another agent, a reset) ends the turn, and what the agent answers to it is
dropped. A question that is asked again before anything was said is the same question: agents repeat
it when a model fails. Text outside of any turn is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from hunch.sources.conversations.base import Step, Turn
from hunch.sources.conversations.visible import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class Message:
    """One visible thing of a conversation, in the order of the active branch."""

    role: Literal["user", "assistant", "tool", "control"]
    """`tool` is a call, with its summary as text; `control` ends the turn and has no text."""
    text: str = ""
    at: datetime | None = None
    id: str = ""
    """Of a user message: the id of the turn it opens. Of others: two with one id are the same."""
    conversation: str = ""
    """Where the record belongs, if it says so."""
    model: str = ""
    directory: str = ""
    branch: str = ""
    needs_answer: bool = False
    """A user message that is a turn only if the agent says something, such as a slash command."""
    is_echo: bool = False
    """Assistant text that counts only if the turn does not hold the same text otherwise."""
    is_subagent: bool = False
    position: int = 0
    """Where the message stands in its log; ascending."""


@dataclass(slots=True)
class _Open:
    """The turn that is being made."""

    opening: Message
    steps: list[Step] = field(default_factory=list[Step])
    echoes: set[str] = field(default_factory=set[str])
    ids: set[str] = field(default_factory=set[str])
    model: str = ""
    ended: datetime | None = None

    def has_answer(self) -> bool:
        return any(not step.is_tool for step in self.steps)

    def repeats(self, message: Message, text: str) -> bool:
        if message.role == "tool":
            return False
        if message.is_echo:
            return any(step.text == text for step in self.steps)
        return text in self.echoes

    def add(self, message: Message, text: str) -> None:
        if message.id and (message.role + message.id) in self.ids:
            return
        self.ids.add(message.role + message.id)
        if self.repeats(message, text):
            return
        if message.is_echo:
            self.echoes.add(text)
        self.steps.append(Step(text, is_tool=message.role == "tool"))
        self.model = message.model or self.model
        self.ended = message.at or self.ended

    def turn(self, conversation: str) -> Turn | None:
        opening = self.opening
        if opening.role == "control" or (opening.needs_answer and not self.has_answer()):
            return None
        return Turn(
            id=opening.id,
            conversation=opening.conversation or conversation,
            question=opening.text,
            steps=tuple(self.steps),
            started=opening.at,
            ended=self.ended,
            model=self.model,
            directory=opening.directory,
            branch=opening.branch,
            is_subagent=opening.is_subagent,
        )


class Assembler:
    """Makes turns of messages that come one at a time."""

    def __init__(self, conversation: str) -> None:
        self.conversation = conversation
        """The id of the conversation, for messages that do not name another."""
        self._open: _Open | None = None

    @property
    def opening(self) -> Message | None:
        """The user or control message of the turn that may still go on: reading resumes here."""
        return self._open.opening if self._open else None

    def add(self, message: Message) -> Turn | None:
        """Take the next message; return the turn that it ends, if it ends one."""
        text = clean(message.text)
        if message.role in ("user", "control"):
            return self._begin(message, text)
        if self._open and text:
            self._open.add(message, text)
        return None

    def finish(self) -> Turn | None:
        """Return the turn that was open at the last message; it stays open."""
        return self._open.turn(self.conversation) if self._open else None

    def _begin(self, message: Message, text: str) -> Turn | None:
        if message.role == "user" and not text:
            return None
        before = self._open
        if before and _is_same_question(before, message, text):
            return None
        self._open = _Open(_with_text(message, text))
        return before.turn(self.conversation) if before else None


def assemble(messages: Iterable[Message], conversation: str) -> Iterator[Turn]:
    """Make turns of all messages of a conversation that is read as a whole."""
    assembler = Assembler(conversation)
    for message in messages:
        if turn := assembler.add(message):
            yield turn
    if turn := assembler.finish():
        yield turn


def _is_same_question(before: _Open, message: Message, text: str) -> bool:
    opening = before.opening
    if opening.role != "user" or message.role != "user":
        return False
    if opening.id and opening.id == message.id:
        return True
    return opening.text == text and not before.has_answer()


def _with_text(message: Message, text: str) -> Message:
    return message if message.text == text else replace(message, text=text)
