"""Sessions as opencode and Kilo Code keep them: rows of a database, of old one file for each thing."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

from support.conversations.databases import connect
from support.conversations.lines import moment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SESSION = "ses_robin"
DIRECTORY = "/home/robin/notes"
TOLD = [
    ("CRDT or last write wins?", "Checking.\n\nLast write wins — ünïcode 日本."),
    ("Encrypt before upload?", "Yes, with age."),
]

_TABLES = """
CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, revert TEXT,
  time_created INTEGER, time_updated INTEGER);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER,
  time_updated INTEGER, data TEXT);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,
  time_updated INTEGER, data TEXT);
CREATE TABLE account (token TEXT);
INSERT INTO account VALUES ('HIDDEN token');
"""


def at(second: int) -> int:
    """Return a time in milliseconds."""
    return int(moment(second).timestamp() * 1000)


class OpencodeDatabase:
    """The database of all sessions."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(connect(path)) as database:
            database.executescript(_TABLES)
        self._rows = 0

    def run(self, statement: str, *parameters: Any) -> None:
        """Change something."""
        with closing(connect(self.path)) as database, database:
            database.execute(statement, parameters)

    def session(self, id_: str = SESSION, parent: str | None = None, revert: Any = None) -> None:
        """Write the row of a session."""
        revert = json.dumps(revert) if revert else None
        row = (id_, parent, DIRECTORY, "Sync", revert, at(0), at(0))
        self.run("INSERT OR REPLACE INTO session VALUES (?, ?, ?, ?, ?, ?, ?)", *row)

    def message(
        self, role: str, *parts: dict[str, Any], session: str = SESSION, **extra: Any
    ) -> str:
        """Write a message and its parts; return its id."""
        self._rows += 1
        now = at(self._rows)
        id_ = f"msg_{session}_{self._rows:03}"
        info = {"role": role, "time": {"created": now, "completed": now + 500}, **extra}
        row = (id_, session, now, now, json.dumps(info))
        self.run("INSERT INTO message VALUES (?, ?, ?, ?, ?)", *row)
        for part in parts:
            self.part(id_, part, session)
        return id_

    def part(self, message: str, part: dict[str, Any], session: str = SESSION) -> str:
        """Write one part; return its id."""
        self._rows += 1
        now = at(self._rows)
        id_ = f"prt_{self._rows:03}"
        row = (id_, message, session, now, now, json.dumps(part, ensure_ascii=False))
        self.run("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", *row)
        return id_

    def update(self, part: str, value: dict[str, Any]) -> None:
        """Change a part in place, as happens while an answer is written."""
        self._rows += 1
        statement = "UPDATE part SET data = ?, time_updated = ? WHERE id = ?"
        self.run(statement, json.dumps(value, ensure_ascii=False), at(self._rows), part)


def text(value: str, **extra: Any) -> dict[str, Any]:
    """A part that is text."""
    return {"type": "text", "text": value, **extra}


CALL = {
    "type": "tool",
    "tool": "read",
    "callID": "c1",
    "state": {"status": "completed", "input": {"filePath": "sync.md"}, "output": "HIDDEN"},
}
REASONING = {"type": "reasoning", "text": "HIDDEN"}


def database_steps(home: Path, agent: str = "opencode") -> Iterator[None]:
    """Write a session row by row, with a compaction, a revert and a sub-agent."""
    database = OpencodeDatabase(home / ".local" / "share" / agent / f"{agent}.db")
    database.session()
    yield
    database.message(
        "user", text(TOLD[0][0]), text("HIDDEN", synthetic=True), summary={"diffs": []}
    )
    yield
    answer = database.message("assistant", REASONING, text("Checking."), CALL, modelID="m-5")
    yield
    part = database.part(answer, text("Last"))
    yield
    database.update(part, text("Last write wins — ünïcode 日本."))
    yield
    database.message("user", {"type": "compaction", "auto": True})
    database.message("assistant", text("HIDDEN summary"), summary=True)
    database.message("user", text("HIDDEN continue", synthetic=True))
    yield
    taken_back = database.message("user", text("ABANDONED?"))
    database.message("assistant", text("ABANDONED."))
    yield
    database.session(revert={"messageID": taken_back})
    yield
    database.run("DELETE FROM message WHERE id >= ?", taken_back)
    database.session()
    database.message("user", text(f'"{TOLD[1][0]}"'))
    yield
    database.message("assistant", text("Yes, with age."), text("HIDDEN", ignored=True))
    yield


def kilo_steps(home: Path) -> Iterator[None]:
    """Write the same into the database of Kilo Code."""
    yield from database_steps(home, "kilo")


def write(path: Path, value: object) -> None:
    """Write a file of JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), "utf-8")


class OpencodeFiles:
    """The files of one session."""

    def __init__(self, data: Path, session: str = SESSION) -> None:
        self.root = data / "storage"
        self._session = session
        self._count = 0
        self.info: dict[str, Any] = {
            "id": session,
            "directory": DIRECTORY,
            "title": "Sync",
            "time": {"created": at(0), "updated": at(0)},
        }

    def message(self, role: str, *parts: dict[str, Any], **extra: Any) -> str:
        """Write a message, its parts and the file of the session."""
        self._count += 1
        id_ = f"msg_{self._session}_{self._count:03}"
        info = {"id": id_, "role": role, "time": {"created": at(self._count)}, **extra}
        write(self.root / "message" / self._session / f"{id_}.json", info)
        for number, part in enumerate(parts):
            name = f"prt_{number}"
            write(self.root / "part" / id_ / f"{name}.json", {"id": name, **part})
        self.info["time"]["updated"] = at(self._count)
        write(self.root / "session" / "project" / f"{self._session}.json", self.info)
        return id_


def file_steps(home: Path) -> Iterator[None]:
    """Write a session file by file."""
    files = OpencodeFiles(home / ".local" / "share" / "opencode")
    files.message("user", text(TOLD[0][0]))
    yield
    files.message("assistant", REASONING, text("Checking."), CALL)
    yield
    files.message("assistant", text("Last write wins — ünïcode 日本."))
    yield
    files.message("user", text(TOLD[1][0]))
    yield
    files.message("assistant", text("Yes, with age."))
    files.info["revert"] = {"messageID": "msg_ses_robin_006"}
    files.message("user", text("ABANDONED?"))
    yield
