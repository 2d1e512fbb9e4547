"""The databases of Cursor's command line: one for each chat, of blobs named by their hashes.

A row tells which blob is the root; that is a protocol buffer whose field 1 lists the hashes of the
messages, which are JSON. Encrypted chats are left alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hunch.sources.conversations.assemble import Message
from hunch.sources.conversations.base import Conversation, Cursor, Log, Reading
from hunch.sources.conversations.cursor_text import answers_in, text_of, typed
from hunch.sources.conversations.documents import object_aside
from hunch.sources.conversations.foreign_sqlite import ForeignDatabase, open_foreign
from hunch.sources.conversations.identity import QuestionIds
from hunch.sources.conversations.jsonl import LONGEST_LINE, Record, parse
from hunch.sources.conversations.shapes import text_at
from hunch.sources.conversations.times import from_milliseconds
from hunch.sources.conversations.whole import Tally, Whole, is_known, read_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TABLES = frozenset({"blobs", "meta"})
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_HASH_BYTES = 32


def read_store(log: Log, since: Mapping[str, Cursor]) -> Iterator[Reading]:
    """Yield what is new in one chat."""
    with open_foreign(log.path, _TABLES) as database:
        if not database.columns("meta") or not database.columns("blobs"):
            return
        about = _about(database)
        root = text_at(about, "latestRootBlobId")
        if not root or is_known(since, "", root):
            return
        beside = object_aside(log.path.parent / "meta.json")
        created = about.get("createdAt") or beside.get("createdAtMs")
        conversation = Conversation(
            text_at(about, "agentId") or log.path.parent.name,
            text_at(about, "name"),
            text_at(beside, "cwd"),
            is_subagent=bool(beside.get("isSubagent")),
            started=from_milliseconds(created),
        )
        tally = Tally()
        if about.get("blobEncryptionKey"):
            tally.count("encrypted")
            hashes: list[str] = []
        else:
            hashes = list(hashes_in(_blob(database, root)))
        messages = _messages(database, hashes, conversation, tally)
        yield from read_whole(Whole(conversation, messages, tally), root, since)


def hashes_in(data: bytes) -> Iterator[str]:
    """Yield the hashes in field 1 of a protocol buffer, as hexadecimal, up to where it is broken."""
    position = 0
    while position < len(data):
        tag, position = _varint(data, position)
        kind = tag & 7
        if kind == _VARINT:
            _, position = _varint(data, position)
        elif kind == _BYTES:
            size, position = _varint(data, position)
            if tag >> 3 == 1 and size == _HASH_BYTES and position + size <= len(data):
                yield data[position : position + size].hex()
            position += size
        elif kind in (_FIXED32, _FIXED64):
            position += 4 if kind == _FIXED32 else 8
        else:
            return


def _varint(data: bytes, position: int) -> tuple[int, int]:
    """Return the number at a position, seven bits a byte from the lowest, and where it ends."""
    value = shift = 0
    while position < len(data):
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    return value, position


def _about(database: ForeignDatabase) -> Record:
    rows = database.rows("SELECT value FROM meta WHERE key = '0' AND length(value) < 1000000")
    value = rows[0][0] if rows else ""
    if not isinstance(value, str):
        return {}
    try:
        return parse(bytes.fromhex(value)) or {}
    except ValueError:
        return parse(value) or {}


def _blob(database: ForeignDatabase, id_: str) -> bytes:
    rows = database.rows(
        "SELECT data FROM blobs WHERE id = ? AND length(data) <= ?", (id_, LONGEST_LINE)
    )
    value = rows[0][0] if rows else b""
    return value if isinstance(value, bytes) else str(value).encode()


def _messages(
    database: ForeignDatabase, hashes: list[str], conversation: Conversation, tally: Tally
) -> Iterator[Message]:
    ids = QuestionIds(conversation.id)
    at = conversation.started
    for each in hashes:
        record = parse(_blob(database, each))
        if record is None:
            tally.broken += 1
            continue
        content = record.get("content")
        match record.get("role"):
            case "user":
                if question := typed(text_of(content)):
                    yield Message(
                        "user",
                        question,
                        at,
                        ids.next(question),
                        directory=conversation.directory,
                        is_subagent=conversation.is_subagent,
                    )
            case "assistant":
                yield from answers_in(content)
            case "system" | "tool":
                pass
            case role:
                tally.count(f"role:{role}")
