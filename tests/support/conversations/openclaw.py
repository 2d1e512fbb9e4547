"""Sessions as OpenClaw writes them, into JSON lines and into its database."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

from support.conversations.lines import Records, moment, stamp, write_lines

if TYPE_CHECKING:
    from pathlib import Path

SESSION = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"
DIRECTORY = "/home/robin/.openclaw/workspace"

_TABLES = """
CREATE TABLE transcript_events (
  session_id TEXT, seq INTEGER, event_json TEXT, event_zstd BLOB, PRIMARY KEY (session_id, seq));
CREATE TABLE session_windows (
  session_id TEXT PRIMARY KEY, session_key TEXT, display_name TEXT, parent_session_key TEXT,
  spawned_by TEXT);
CREATE TABLE session_nodes (
  session_key TEXT PRIMARY KEY, created_via TEXT, label TEXT, display_name TEXT);
CREATE TABLE session_transcript_active_events (session_id TEXT, event_seq INTEGER);
CREATE TABLE session_transcript_index_state (
  session_id TEXT PRIMARY KEY, indexed_seq INTEGER, needs_rebuild INTEGER);
CREATE TABLE transcript_rewrite_watermarks (session_id TEXT PRIMARY KEY, generation TEXT);
CREATE TABLE session_transcript_archives (
  session_id TEXT, generation TEXT, session_key TEXT, encoding TEXT, archive_blob BLOB);
CREATE TABLE session_transcript_cold_archives (
  session_id TEXT, generation TEXT, storage TEXT, archive_blob BLOB);
CREATE TABLE auth_profile_store (secret TEXT);
INSERT INTO auth_profile_store VALUES ('SECRET token');
"""


class OpenClawSession:
    """Records of one session in order; each method returns the entry's id."""

    def __init__(self, session: str = SESSION, *, short_ids: bool = False) -> None:
        self.session = session
        self.leaf: str | None = None
        self._short_ids = short_ids
        self.records: Records = [
            {
                "type": "session",
                "version": 4,
                "id": session,
                "timestamp": stamp(0),
                "cwd": DIRECTORY,
            }
        ]

    def entry(self, kind: str, **fields: Any) -> str:
        """Any entry; a `parentId` in the fields replaces the leaf."""
        number = len(self.records)
        id_ = f"{number:08x}" if self._short_ids else f"{self.session[:-4]}{number:04}"
        record = {"type": kind, "id": id_, "parentId": self.leaf, "timestamp": stamp(number)}
        self.records.append(record | fields)
        if fields.get("appendMode") != "side":
            self.leaf = id_
        return id_

    def person(self, content: Any, **fields: Any) -> str:
        """A message of a user; fields of the message, but for `parentId`."""
        parent = {"parentId": fields.pop("parentId")} if "parentId" in fields else {}
        return self.entry(
            "message", message={"role": "user", "content": content, **fields}, **parent
        )

    def says(self, content: Any, **fields: Any) -> str:
        """An answer: a text, or blocks."""
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        message = {"role": "assistant", "provider": "anthropic", "model": "claude-opus-4-8"}
        return self.entry("message", message=message | {"content": blocks} | fields)

    def calls(self, tool: str, **arguments: Any) -> str:
        """A tool call and its result."""
        self.says([{"type": "toolCall", "id": "c", "name": tool, "arguments": arguments}])
        content = [{"type": "text", "text": "HIDDEN output"}]
        return self.entry("message", message={"role": "toolResult", "content": content})

    def rewinds(self, target: str | None) -> None:
        """Go back to an earlier entry."""
        self.entry("leaf", targetId=target)
        self.leaf = target

    def write(self, state: Path, ending: str = "", folder: str = "") -> Path:
        """Write the file of the session into its place below the state folder."""
        place = state / "agents" / "main" / "sessions" / folder
        return write_lines(place / f"{self.session}.jsonl{ending}", self.records)


class OpenClawStore:
    """The database of an agent."""

    def __init__(self, state: Path) -> None:
        self.path = state / "agents" / "main" / "agent" / "openclaw-agent.sqlite"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self.path)) as database:
            database.executescript(_TABLES)
            database.execute("PRAGMA journal_mode = WAL")

    def run(self, statement: str, *parameters: Any) -> None:
        """Change something."""
        with closing(sqlite3.connect(self.path)) as database, database:
            database.execute(statement, parameters)

    def put(
        self, log: OpenClawSession, *, key: str = "agent:main:main", via: str = "channel"
    ) -> None:
        """Write the rows of a session that are not there yet, as plain JSON."""
        with closing(sqlite3.connect(self.path)) as database, database:
            rows = [
                (log.session, seq, json.dumps(record, ensure_ascii=False))
                for seq, record in enumerate(log.records)
            ]
            database.executemany(
                "INSERT OR IGNORE INTO transcript_events VALUES (?, ?, ?, NULL)", rows
            )
            database.execute(
                "INSERT OR IGNORE INTO session_windows VALUES (?, ?, 'The room', NULL, NULL)",
                (log.session, key),
            )
            database.execute(
                "INSERT OR IGNORE INTO session_nodes VALUES (?, ?, NULL, NULL)", (key, via)
            )


def long_session(*, short_ids: bool = False) -> OpenClawSession:
    """Give a session in which everything happens that changes what was said before."""
    log = OpenClawSession(short_ids=short_ids)
    log.entry("model_change", provider="anthropic", modelId="claude-opus-4-8")
    log.person("[Mon 2026-10-05 11:00 GMT+2] Should the offsets live in SQLite or in a file?")
    log.says([{"type": "thinking", "thinking": "HIDDEN"}, {"type": "text", "text": "I will see."}])
    log.calls("exec", command="grep -rn offsets src")
    log.says("[[reply_to_current]] SQLite: two crawlers advance it in one transaction — naïve 🙂.")
    for _ in range(2):
        log.person("Which level of synchronisation, full or normal?")
        log.says([], stopReason="error", errorMessage="HIDDEN")
    kept = log.says("Normal is enough with a write-ahead log.")
    log.person("Quantise to int4?")
    log.says("ABANDONED int4 would do.")
    log.rewinds(kept)
    log.person("Quantise to int8, or stay with float16?")
    log.says("int8 with a scale for each row.")
    log.entry("custom_message", content="HIDDEN", appendMode="side")
    log.entry("reset", reason="new")
    log.person("[OpenClaw heartbeat poll]")
    log.says("HIDDEN heartbeat answer")
    log.person("Is a memory map worth it for the vectors?", parentId="deadbeef")
    log.says("Yes where open maps do not block a replace.")
    return log


def at(second: int) -> int:
    """Return a time in the milliseconds that OpenClaw counts."""
    return int(moment(second).timestamp() * 1000)
