"""Conversations with agents: their logs, their turns, and what was read of them so far.

A turn is a document like any other, so that it is cut, counted, embedded and found like one; what a
person reads of it lies beside it as JSON. Functions that write expect to be called through
`Database.write`.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from hunch.store.documents import remove_documents, write_documents
from hunch.store.ids import ids

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

    from hunch.store.documents import NewDocument
    from hunch.store.postings import Postings


class StoredLog(NamedTuple):
    """A log as it was when it was last read."""

    id: int
    stamp: tuple[int, ...]
    """Empty when it was not read to its end."""
    cursors: dict[str, dict[str, Any]]
    """What the reader wants to remember, by key."""
    is_gone: bool


@dataclass(frozen=True, slots=True)
class ConversationHead:
    """What a conversation is called and where it belongs."""

    name: str
    """The agent's own id."""
    title: str = ""
    directory: str = ""
    """A path of the machine that wrote the log."""
    remote: str = ""
    branch: str = ""
    parent: str = ""
    is_subagent: bool = False
    started: datetime | None = None


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A turn that is to be written, in place of the one with the same id."""

    document: NewDocument
    """Its path is the turn's id."""
    started: datetime | None
    height: int
    """Lines of the turn as a person reads it."""
    body: Mapping[str, Any]
    """Plain JSON: what a person reads."""


@dataclass(frozen=True, slots=True)
class NewReading:
    """Some turns of a conversation, as they came from a log."""

    log_id: int
    rank: int
    """Of the log."""
    head: ConversationHead
    turns: Sequence[NewTurn]
    """Those that are new or changed, and that no better log holds."""
    key: str
    """Which of the log's cursors was read on from."""
    cursor: Mapping[str, Any]
    """To be remembered under the key."""
    replace: bool
    """Whether what came with this key before is to be taken away."""


@dataclass(frozen=True, slots=True)
class TurnPlace:
    """Where a turn stands."""

    conversation_id: int
    head: ConversationHead
    started: datetime | None
    first_line: int
    """Lines of the turns before it in its conversation."""
    is_gone: bool
    """Whether its log is not there any more."""


def list_logs(
    connection: sqlite3.Connection, source_id: int, paths: Sequence[str] | None = None
) -> dict[str, StoredLog]:
    """Return the logs of a source by path: all of them, or those at some paths."""
    rows = connection.execute(
        "SELECT path, id, stamp, cursors, gone_since FROM logs WHERE source_id = ?1"
        " AND (?2 IS NULL OR path IN (SELECT value FROM json_each(?2)))",
        (source_id, None if paths is None else json.dumps([*paths])),
    )
    return {
        path: StoredLog(log_id, tuple(json.loads(stamp)), json.loads(cursors), gone is not None)
        for path, log_id, stamp, cursors, gone in rows
    }


def open_logs(
    connection: sqlite3.Connection, source_id: int, paths: Iterable[str]
) -> dict[str, int]:
    """Return the ids of some logs, made where they are not there, by path.

    They count as not read to their end from then on.
    """
    opened: dict[str, int] = {}
    for path in paths:
        [opened[path]] = connection.execute(
            "INSERT INTO logs (source_id, path, stamp, cursors) VALUES (?, ?, '[]', '{}')"
            " ON CONFLICT (source_id, path) DO UPDATE SET stamp = '[]', gone_since = NULL"
            " RETURNING id",
            (source_id, path),
        ).fetchone()
    return opened


def mark_gone(connection: sqlite3.Connection, log_ids: Iterable[int]) -> None:
    """Note that some logs are not there any more; their turns stay."""
    connection.executemany(
        "UPDATE logs SET gone_since = ? WHERE id = ?", ((time.time(), i) for i in log_ids)
    )


def forget_log(connection: sqlite3.Connection, source_id: int, log_id: int) -> None:
    """Take a log and its turns away."""
    rows = connection.execute(
        "SELECT path FROM documents JOIN turns ON document_id = id WHERE log_id = ?", (log_id,)
    )
    remove_documents(connection, source_id, [row[0] for row in rows.fetchall()])
    connection.execute("DELETE FROM logs WHERE id = ?", (log_id,))
    _drop_empty(connection, source_id)


def write_readings(
    connection: sqlite3.Connection,
    source_id: int,
    readings: Sequence[NewReading],
    terms: Postings,
    closed: Iterable[tuple[int, Sequence[int]]],
) -> None:
    """Write the turns of some readings and what is to be remembered of them.

    Args:
        connection: in a transaction.
        source_id: whose conversations they are.
        readings: in the order in which they were read; no two have a turn in common.
        terms: the postings of all their chunks, numbered from 0 through all turns in order.
        closed: logs that were read to their end, by id, with the stamps that they had then.
    """
    for reading in readings:
        if reading.replace:
            _drop_read(connection, source_id, reading.log_id, reading.key)
    documents = [turn.document for reading in readings for turn in reading.turns]
    write_documents(connection, source_id, documents, terms)
    for reading in readings:
        _write_turns(connection, source_id, reading)
        _remember(connection, reading)
    if any(reading.replace for reading in readings):
        _drop_empty(connection, source_id)
    connection.executemany(
        "UPDATE logs SET stamp = ? WHERE id = ?",
        ((json.dumps(list(stamp)), log_id) for log_id, stamp in closed),
    )


def _write_turns(connection: sqlite3.Connection, source_id: int, reading: NewReading) -> None:
    """Write what makes documents turns; the documents are there."""
    if not reading.turns:
        return
    conversation_id = _ensure_conversation(connection, source_id, reading.head)
    connection.executemany(
        "INSERT INTO turns VALUES ((SELECT id FROM documents WHERE source_id = ? AND path = ?),"
        " ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                source_id,
                turn.document.path,
                conversation_id,
                reading.log_id,
                reading.key,
                reading.rank,
                turn.started.timestamp() if turn.started else 0.0,
                turn.height,
                json.dumps(turn.body),
            )
            for turn in reading.turns
        ),
    )


def _remember(connection: sqlite3.Connection, reading: NewReading) -> None:
    [cursors] = connection.execute(
        "SELECT cursors FROM logs WHERE id = ?", (reading.log_id,)
    ).fetchone()
    remembered = json.dumps(json.loads(cursors) | {reading.key: reading.cursor})
    connection.execute("UPDATE logs SET cursors = ? WHERE id = ?", (remembered, reading.log_id))


class KnownTurn(NamedTuple):
    """A turn as it is stored."""

    hash: bytes
    log_id: int
    key: str
    """Which of the log's cursors it came with."""
    rank: int
    """Of the log; a log that is gone counts as the last of all."""
    conversation_started: float
    """Seconds since 1970; 0 when that is not known."""
    log_path: str


def known_turns(
    connection: sqlite3.Connection, source_id: int, conversation: str, turn_ids: Sequence[str]
) -> dict[str, KnownTurn] | None:
    """Return those of some turns of a conversation that are stored, by id.

    None when the conversation said that it is not to be indexed.
    """
    if _is_excluded(connection, source_id, conversation):
        return None
    found: dict[str, KnownTurn] = {}
    for turn_id in turn_ids:
        row = connection.execute(
            "SELECT d.hash, t.log_id, t.log_key, CASE WHEN l.gone_since IS NULL THEN t.rank ELSE 1 << 30 END,"
            " ifnull(c.started, 0.0), l.path FROM documents AS d"
            " JOIN turns AS t ON t.document_id = d.id JOIN logs AS l ON l.id = t.log_id"
            " JOIN conversations AS c ON c.id = t.conversation_id"
            " WHERE d.source_id = ? AND d.path = ?",
            (source_id, turn_id),
        ).fetchone()
        if row is not None:
            found[turn_id] = KnownTurn(*row)
    return found


def read_again(connection: sqlite3.Connection, source_id: int) -> None:
    """Let all logs that are there be read from their start at the next look."""
    connection.execute(
        "UPDATE logs SET stamp = '[]', cursors = '{}' WHERE source_id = ? AND gone_since IS NULL",
        (source_id,),
    )


def drop_conversation(connection: sqlite3.Connection, source_id: int, name: str) -> None:
    """Take a conversation's turns away; does nothing when it is not there."""
    rows = connection.execute(
        "SELECT d.path FROM documents AS d JOIN turns AS t ON t.document_id = d.id"
        " JOIN conversations AS c ON c.id = t.conversation_id WHERE c.source_id = ? AND c.name = ?",
        (source_id, name),
    )
    remove_documents(connection, source_id, [row[0] for row in rows.fetchall()])
    _drop_empty(connection, source_id)


def exclude_conversation(
    connection: sqlite3.Connection, source_id: int, head: ConversationHead
) -> None:
    """Take a conversation's turns away and remember that none are to come back."""
    conversation_id = _ensure_conversation(connection, source_id, head)
    connection.execute("UPDATE conversations SET is_excluded = 1 WHERE id = ?", (conversation_id,))
    drop_conversation(connection, source_id, head.name)


def _is_excluded(connection: sqlite3.Connection, source_id: int, name: str) -> bool:
    return bool(
        connection.execute(
            "SELECT 1 FROM conversations WHERE source_id = ? AND name = ? AND is_excluded",
            (source_id, name),
        ).fetchone()
    )


def heads_of(
    connection: sqlite3.Connection, document_ids: Sequence[int]
) -> dict[int, tuple[int, ConversationHead]]:
    """Return the conversations of some turns, by document id: id and head."""
    rows = connection.execute(
        "SELECT t.document_id, c.id, c.name, c.title, c.directory, c.remote, c.branch, c.parent,"
        " c.is_subagent, c.started FROM turns AS t"
        " JOIN conversations AS c ON c.id = t.conversation_id"
        " WHERE t.document_id IN (SELECT value FROM json_each(?))",
        (ids(document_ids),),
    )
    return {document_id: (conversation, _head(head)) for document_id, conversation, *head in rows}


def places_of(connection: sqlite3.Connection, document_ids: Sequence[int]) -> dict[int, TurnPlace]:
    """Return where some turns stand, by document id; documents that are no turns are left out."""
    rows = connection.execute(
        "SELECT t.document_id, t.conversation_id, t.started, l.gone_since, c.name, c.title,"
        " c.directory, c.remote, c.branch, c.parent, c.is_subagent, c.started,"
        " (SELECT ifnull(sum(o.height), 0) FROM turns AS o WHERE"
        "  o.conversation_id = t.conversation_id"
        "  AND (o.started, o.document_id) < (t.started, t.document_id))"
        " FROM turns AS t JOIN conversations AS c ON c.id = t.conversation_id"
        " JOIN logs AS l ON l.id = t.log_id"
        " WHERE t.document_id IN (SELECT value FROM json_each(?))",
        (ids(document_ids),),
    )
    return {
        document_id: TurnPlace(
            conversation_id, _head(head), _moment(started), first_line, gone is not None
        )
        for document_id, conversation_id, started, gone, *head, first_line in rows
    }


def read_conversation(
    connection: sqlite3.Connection, source_id: int, name: str
) -> tuple[ConversationHead, list[tuple[dict[str, Any], datetime | None]]] | None:
    """Return a conversation with the bodies and times of its turns in order; None if unknown."""
    row = connection.execute(
        "SELECT id, name, title, directory, remote, branch, parent, is_subagent, started"
        " FROM conversations WHERE source_id = ? AND name = ?",
        (source_id, name),
    ).fetchone()
    if row is None:
        return None
    bodies = connection.execute(
        "SELECT body, started FROM turns WHERE conversation_id = ? ORDER BY started, document_id",
        (row[0],),
    )
    return _head(row[1:]), [(json.loads(body), _moment(started)) for body, started in bodies]


def find_conversations(connection: sqlite3.Connection, name: str) -> list[tuple[int, str]]:
    """Return source id and name of the conversations whose name starts with `name`, newest first."""
    rows = connection.execute(
        "SELECT source_id, name FROM conversations WHERE substr(name, 1, ?) = ?"
        " ORDER BY started DESC",
        (len(name), name),
    )
    return rows.fetchall()


def log_folders(connection: sqlite3.Connection) -> dict[int, str]:
    """Return the folder that all logs of each source lie below, as far as they are there."""
    folders: dict[int, list[str]] = {}
    rows = connection.execute("SELECT source_id, path FROM logs WHERE gone_since IS NULL")
    for source_id, path in rows:
        folders.setdefault(source_id, []).append(os.path.dirname(path))  # noqa: PTH120 - thousands of them
    return {source_id: os.path.commonpath(found) for source_id, found in folders.items()}


def count_conversations(connection: sqlite3.Connection) -> dict[int, int]:
    """Return how many conversations each source has."""
    return dict(
        connection.execute("SELECT source_id, count(*) FROM conversations GROUP BY source_id")
    )


def _head(row: Sequence[Any]) -> ConversationHead:
    name, title, directory, remote, branch, parent, is_subagent, started = row
    return ConversationHead(
        name, title, directory, remote, branch, parent, bool(is_subagent), _moment(started)
    )


def _moment(seconds: float | None) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if seconds else None


def _ensure_conversation(
    connection: sqlite3.Connection, source_id: int, head: ConversationHead
) -> int:
    """Return the id of a conversation; what the head does not say is left as it was."""
    row = connection.execute(
        "INSERT INTO conversations (source_id, name, title, directory, remote, branch, parent,"
        " is_subagent, started) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (source_id, name) DO UPDATE SET"
        " title = ifnull(nullif(excluded.title, ''), title),"
        " directory = ifnull(nullif(excluded.directory, ''), directory),"
        " remote = ifnull(nullif(excluded.remote, ''), remote),"
        " branch = ifnull(nullif(excluded.branch, ''), branch),"
        " parent = ifnull(nullif(excluded.parent, ''), parent),"
        " is_subagent = excluded.is_subagent,"
        " started = ifnull(excluded.started, started) RETURNING id",
        (
            source_id,
            head.name,
            head.title,
            head.directory,
            head.remote,
            head.branch,
            head.parent,
            head.is_subagent,
            head.started.timestamp() if head.started else None,
        ),
    ).fetchone()
    return int(row[0])


def _drop_read(connection: sqlite3.Connection, source_id: int, log_id: int, key: str) -> None:
    rows = connection.execute(
        "SELECT path FROM documents JOIN turns ON document_id = id"
        " WHERE log_id = ? AND log_key = ?",
        (log_id, key),
    )
    remove_documents(connection, source_id, [row[0] for row in rows.fetchall()])


def _drop_empty(connection: sqlite3.Connection, source_id: int) -> None:
    connection.execute(
        "DELETE FROM conversations WHERE source_id = ? AND NOT is_excluded"
        " AND NOT EXISTS (SELECT 1 FROM turns WHERE conversation_id = conversations.id)",
        (source_id,),
    )
