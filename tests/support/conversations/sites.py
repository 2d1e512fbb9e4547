"""Every JSON value in the files of an agent, to be replaced by another one."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from support.conversations.databases import connect

if TYPE_CHECKING:
    from pathlib import Path

ODD = st.sampled_from(
    [
        *(None, True, 0, -1, 5, 1e300, float("nan"), 10**400, "", "x", "\ud800", "9" * 5000),
        *([], {}, [None, "x", {}], [[]], {"type": 3}, {"text": "x", "role": []}, "/", "a\x00b"),
    ]
)
"""What may stand where something else was expected."""


@dataclass(frozen=True, slots=True)
class Site:
    """One JSON value in a file: all of it, one of its lines, or the value of one of its rows."""

    path: Path
    line: int = -1
    table: str = ""
    column: str = ""
    row: int = 0

    def value(self) -> Any:
        """Return the value that is there."""
        if self.table:
            with closing(connect(self.path)) as database:
                statement = f"SELECT {self.column} FROM {self.table} WHERE rowid = ?"
                return json.loads(database.execute(statement, (self.row,)).fetchone()[0])
        text = self.path.read_text("utf-8")
        return json.loads(text if self.line < 0 else text.splitlines()[self.line])

    def put(self, value: Any) -> None:
        """Replace it."""
        text = json.dumps(value)
        if self.table:
            with closing(connect(self.path)) as database, database:
                statement = f"UPDATE {self.table} SET {self.column} = ? WHERE rowid = ?"
                database.execute(statement, (text, self.row))
        elif self.line < 0:
            self.path.write_text(text)
        else:
            lines = self.path.read_text("utf-8").splitlines(keepends=True)
            lines[self.line] = text + "\n"
            self.path.write_text("".join(lines), "utf-8")


def sites_below(home: Path) -> list[Site]:
    """List all JSON values in the files of a folder."""
    found: list[Site] = []
    for path in sorted(home.rglob("*")):
        if path.suffix == ".json":
            found.append(Site(path))
        elif path.suffix == ".jsonl":
            complete = path.read_text("utf-8").count("\n")
            found.extend(Site(path, line) for line in range(complete))
        elif path.suffix in (".db", ".vscdb"):
            found.extend(_rows(path))
    return found


def _rows(path: Path) -> list[Site]:
    found: list[Site] = []
    with closing(connect(path)) as database:
        tables = [
            row[0]
            for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        for table in tables:
            columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            for column in columns:
                for row, value in database.execute(f"SELECT rowid, {column} FROM {table}"):
                    if isinstance(value, str | bytes) and value[:1] in ("{", "[", b"{", b"["):
                        found.append(Site(path, table=table, column=column, row=row))
    return found


def ways_in(value: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """List the ways to every value inside of a JSON value."""
    children: Any = ()
    if isinstance(value, dict):
        children = value.items()
    elif isinstance(value, list):
        children = enumerate(value)
    return [before] + [way for key, child in children for way in ways_in(child, (*before, key))]


def changed(value: Any, way: tuple[Any, ...], odd: Any) -> Any:
    """Return a copy in which the value at the end of the way is another."""
    if not way:
        return odd
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[way[0]] = changed(value[way[0]], way[1:], odd)
    return copy
