"""Transcripts as Claude Code writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from support.conversations.lines import Records, stamp, write_lines

if TYPE_CHECKING:
    from pathlib import Path

SESSION = "11111111-2222-4333-8444-555555555555"
DIRECTORY = "/home/robin/src/walker"


class ClaudeTranscript:
    """Records of one session in the order of the file; each method returns the record's uuid."""

    def __init__(self, session: str = SESSION, agent: str = "") -> None:
        self.records: Records = []
        self.session = session
        self._agent = agent
        self.leaf: str | None = None

    def person(self, content: Any, **extra: Any) -> str:
        """A message in the person's name; a `parent` in `extra` replaces the leaf."""
        return self._tree("user", {"message": {"role": "user", "content": content}}, extra)

    def says(self, text: str, message: str = "", **extra: Any) -> str:
        """An answer of one text block."""
        return self.block({"type": "text", "text": text}, message, **extra)

    def calls(self, tool: str, **arguments: Any) -> str:
        """A tool call and its result."""
        self.block(
            {"type": "tool_use", "id": f"t{len(self.records)}", "name": tool, "input": arguments}
        )
        result = {"type": "tool_result", "tool_use_id": "t", "content": "HIDDEN tool output"}
        return self.person([result])

    def block(self, block: dict[str, Any], message: str = "", **extra: Any) -> str:
        """An answer that is one block of any kind."""
        body = {
            "id": message or f"msg_{len(self.records)}",
            "role": "assistant",
            "model": extra.pop("model", "claude-opus-4-8"),
            "content": [block],
        }
        return self._tree("assistant", {"message": body}, extra)

    def system(self, subtype: str, **extra: Any) -> str:
        """A record of the program."""
        return self._tree("system", {"subtype": subtype}, extra)

    def attachment(self, attachment: dict[str, Any]) -> str:
        """Something put beside the conversation."""
        return self._tree("attachment", {"attachment": attachment}, {})

    def state(self, kind: str, **fields: Any) -> None:
        """A record that is no part of the tree."""
        self.records.append({"type": kind, "sessionId": self.session, **fields})

    def compacts(self) -> None:
        """Summarise what was said; the tree goes on from a new root."""
        logical = self.leaf
        self.system("compact_boundary", parent=None, logicalParentUuid=logical)
        self.person("HIDDEN summary", isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def write(self, projects: Path, slug: str = "-home-robin-src-walker") -> Path:
        """Write the file of the session, or of the sub-agent, into its place."""
        folder = projects / slug
        if self._agent:
            name = f"{self.session}/subagents/agent-{self._agent}.jsonl"
        else:
            name = f"{self.session}.jsonl"
        return write_lines(folder / name, self.records)

    def _tree(self, kind: str, body: dict[str, Any], extra: dict[str, Any]) -> str:
        uuid = f"{self.session[:8]}{self._agent}-{len(self.records):04}"
        record = {
            "parentUuid": extra.pop("parent", self.leaf),
            "isSidechain": bool(self._agent),
            "uuid": uuid,
            "timestamp": stamp(len(self.records)),
            "cwd": DIRECTORY,
            "sessionId": self.session,
            "gitBranch": "main",
            "type": kind,
        }
        self.records.append(record | body | extra)
        self.leaf = uuid
        return uuid


def long_conversation() -> ClaudeTranscript:
    """Give a transcript in which everything happens that changes what was said before."""
    log = ClaudeTranscript()
    log.state("summary", summary="HIDDEN", leafUuid="elsewhere")
    log.person("Where should the ignore rules live, at the root or in every directory?")
    log.says("Let me look at the walker first — naïve « one file » might do.")
    log.calls("Read", file_path="walk.py")
    log.says("One file per directory, as git does it. 日本語 🙂")
    fork = log.leaf
    log.person("Rename the module to scanner?")
    log.says("ABANDONED yes.")
    log.person("Keep the name of the module, or rename it?", parent=fork)
    log.says("Keep it: a rename breaks imports for no gain.")
    log.records.extend(log.records[-2:])
    log.compacts()
    log.person("Should the watcher use inotify itself?")
    log.says("Through a library; other systems differ.", parent="nowhere")
    log.person("And on network shares?")
    log.says("Poll every thirty seconds there.")
    log.state("custom-title", customTitle="Ignore rules")
    return log
