"""Rollouts as Codex writes them, in the three forms that its messages have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from support.conversations.lines import Records, stamp, write_lines

if TYPE_CHECKING:
    from pathlib import Path

THREAD = "019b1c2d-0000-7a10-8000-0000000000aa"
DIRECTORY = "/home/robin/src/ledger"

Mode = Literal["events", "items", "plain"]
"""`event_msg` messages, completed items, or response items alone."""


class CodexRollout:
    """Records of one thread in the order of the file."""

    def __init__(self, thread: str = THREAD, mode: Mode = "events", **header: Any) -> None:
        self.thread = thread
        self.mode = mode
        self.records: Records = []
        self._turns = 0
        git = {"branch": "main", "repository_url": "git@example.org:robin/ledger.git"}
        self.line(
            "session_meta",
            {"id": thread, "timestamp": stamp(0), "cwd": DIRECTORY, "git": git, **header},
        )

    def line(self, kind: str, payload: dict[str, Any]) -> None:
        """Any record."""
        record = {"timestamp": stamp(len(self.records)), "type": kind, "payload": payload}
        self.records.append(record)

    def person(self, text: str, turn: str = "") -> None:
        """A prompt, in a turn of its own."""
        self._turns += 1
        turn_id = turn or f"{self.thread[-4:]}-turn-{self._turns}"
        self.line("turn_context", {"turn_id": turn_id, "cwd": DIRECTORY, "model": "gpt-5.4-codex"})
        self.injects(text)
        if self.mode == "events":
            self.line("event_msg", {"type": "user_message", "message": text, "images": []})
        elif self.mode == "items":
            self._completed("UserMessage", "text", text)

    def injects(self, text: str) -> None:
        """A text in the person's name."""
        content = [{"type": "input_text", "text": text}]
        self.line("response_item", {"type": "message", "role": "user", "content": content})

    def says(self, text: str) -> None:
        """An answer."""
        if self.mode == "events":
            self.line("event_msg", {"type": "agent_message", "message": text})
        elif self.mode == "items":
            self._completed("AgentMessage", "Text", text)
        content = [{"type": "output_text", "text": text}]
        self.line("response_item", {"type": "message", "role": "assistant", "content": content})

    def calls(self, command: str) -> None:
        """A tool call and its result."""
        arguments = f'{{"command": "{command}"}}'
        call = {"type": "function_call", "name": "shell", "arguments": arguments, "call_id": "c"}
        self.line("response_item", call)
        output = {"type": "function_call_output", "call_id": "c", "output": "HIDDEN output"}
        self.line("response_item", output)

    def rolls_back(self, turns: int) -> None:
        """Undo the last turns."""
        self.line("event_msg", {"type": "thread_rolled_back", "num_turns": turns})

    def copies(self, parent: CodexRollout, count: int) -> None:
        """Take over the first records of another thread, with times of this one."""
        for record in parent.records[:count]:
            self.line(record["type"], record["payload"])

    def write(self, home: Path, folder: str = "sessions/2026/10/05", ending: str = "") -> Path:
        """Write the file into its place below the Codex folder."""
        name = f"rollout-2026-10-05T11-00-00-{self.thread}.jsonl{ending}"
        return write_lines(home / folder / name, self.records)

    def _completed(self, kind: str, block: str, text: str) -> None:
        item = {"type": kind, "id": "i", "content": [{"type": block, "text": text}]}
        self.line("event_msg", {"type": "item_completed", "item": item})


def long_rollout(mode: Mode = "events") -> CodexRollout:
    """Give a rollout with everything that changes what was said before."""
    log = CodexRollout(mode=mode)
    log.injects(
        f"<environment_context>\n  <cwd>{DIRECTORY}</cwd>\n  HIDDEN\n</environment_context>"
    )
    log.person("Store amounts as integer cents or as decimal text? — naïve floats are out. 日本円")
    log.says("I will look at the existing columns first.")
    log.calls("sqlite3 ledger.db .schema")
    log.says("Integer cents with a currency column.")
    log.person("Drop the audit table?")
    log.says("UNDONE yes.")
    log.person("And the index of it?")
    log.rolls_back(2)
    log.line("compacted", {"message": "HIDDEN", "replacement_history": [{"role": "user"}]})
    log.person("Keep the audit table but prune it?")
    log.says("Prune it after ninety days.")
    return log
