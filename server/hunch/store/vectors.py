"""Vectors by content: saving them, knowing which are missing, and their sign blocks.

A vector of unit length lies in `vectors` as int16, each coordinate times 32,767, which costs a cosine
less than 1e-4 and is read four times as fast as float16; and it lies as sign bits in a
block. Blocks are immutable; the last one is replaced by a larger one until it is full.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hunch.store.ids import ids
from hunch.store.signs import SignCode, Signs, join, words_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

BLOCK = 2_048
"""Vectors in a full block."""

_CENTER_FROM = 256
"""A center is the mean of at least so many vectors, and is fixed once the first block is full."""


_SCALE = 32_767
"""What a coordinate of a stored vector is multiplied by."""


class PendingText(NamedTuple):
    """A text that has no vector yet, as its chunk gives it."""

    text_id: int
    title: str
    context: str
    text: str


class Block(NamedTuple):
    """One block of sign bits."""

    id: int
    text_ids: NDArray[np.int64]
    """Shape (n,)."""
    signs: Signs


def ensure_embedder(connection: sqlite3.Connection, fingerprint: str, dimensions: int) -> int:
    """Return the id under which an embedder's vectors are kept."""
    row = connection.execute(
        "INSERT INTO embedders (fingerprint, dimensions) VALUES (?, ?)"
        " ON CONFLICT (fingerprint) DO UPDATE SET dimensions = excluded.dimensions RETURNING id",
        (fingerprint, dimensions),
    ).fetchone()
    return int(row[0])


def find_embedder(connection: sqlite3.Connection, fingerprint: str | None) -> int | None:
    """Return the id under which an embedder's vectors are kept; None when it has none."""
    row = connection.execute(
        "SELECT id FROM embedders WHERE fingerprint = ?", (fingerprint,)
    ).fetchone()
    return row[0] if row else None


def pending_texts(
    connection: sqlite3.Connection, embedder_id: int, after: int, limit: int
) -> list[PendingText]:
    """Return texts of chunks that have neither a vector nor a failure, by id, those above `after`."""
    rows = connection.execute(
        "SELECT text_id, title, context, text FROM chunks WHERE text_id > ?1"
        " AND NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.id = (?2 << 40) + chunks.text_id)"
        " AND NOT EXISTS (SELECT 1 FROM vector_failures AS f"
        "                 WHERE f.embedder_id = ?2 AND f.text_id = chunks.text_id)"
        " GROUP BY text_id ORDER BY text_id LIMIT ?3",
        (after, embedder_id, limit),
    )
    return [PendingText(*row) for row in rows]


def save_vectors(
    connection: sqlite3.Connection,
    embedder_id: int,
    text_ids: Sequence[int],
    vectors: NDArray[np.float32],
    failures: Mapping[int, str],
) -> None:
    """Save one batch; what another process made of the same texts meanwhile is left as it is.

    Args:
        connection: in a transaction.
        embedder_id: whose vectors they are.
        text_ids: one for every row of `vectors`.
        vectors: shape (n, dimensions), unit length.
        failures: row → why that row is no vector.
    """
    present = _present(connection, embedder_id, text_ids)
    missing = [row for row, text_id in enumerate(text_ids) if text_id not in present]
    connection.executemany(
        "INSERT OR REPLACE INTO vector_failures VALUES (?, ?, ?)",
        ((embedder_id, text_ids[row], failures[row]) for row in missing if row in failures),
    )
    fresh = [row for row in missing if row not in failures]
    if not fresh:
        return
    connection.execute(
        "DELETE FROM vector_failures WHERE embedder_id = ?"
        " AND text_id IN (SELECT value FROM json_each(?))",
        (embedder_id, ids([text_ids[row] for row in fresh])),
    )
    fresh_ids = np.asarray([text_ids[row] for row in fresh], np.int64)
    connection.executemany(
        "INSERT INTO vectors VALUES (?, ?)",
        (
            (embedder_id << 40 | text_id, data.tobytes())
            for text_id, data in zip(fresh_ids.tolist(), _to_int16(vectors[fresh]), strict=True)
        ),
    )
    _append_to_blocks(connection, embedder_id, fresh_ids, vectors[fresh])


def _to_int16(vectors: NDArray[np.float32]) -> NDArray[np.int16]:
    scaled: NDArray[np.float32] = np.rint(vectors * _SCALE)
    return scaled.astype("<i2")


def _present(connection: sqlite3.Connection, embedder_id: int, text_ids: Sequence[int]) -> set[int]:
    rows = connection.execute(
        "SELECT id FROM vectors WHERE id IN (SELECT value + (? << 40) FROM json_each(?))",
        (embedder_id, ids(text_ids)),
    )
    return {row[0] - (embedder_id << 40) for row in rows}


def _append_to_blocks(
    connection: sqlite3.Connection,
    embedder_id: int,
    text_ids: NDArray[np.int64],
    vectors: NDArray[np.float32],
) -> None:
    dimensions = vectors.shape[1]
    blocks = block_ids(connection, embedder_id)
    last = read_block(connection, blocks[-1], dimensions) if blocks else None
    if last is not None and len(last.text_ids) >= BLOCK:
        last = None
    held = len(last.text_ids) if last else 0
    alone = len(blocks) == bool(last)
    if alone and _outgrew_center(held, held + len(text_ids)):
        if last is not None:
            old = read_vectors(connection, embedder_id, last.text_ids.tolist(), dimensions)
            text_ids, vectors = (
                np.concatenate([last.text_ids, text_ids]),
                np.concatenate([old, vectors]),
            )
            _drop_block(connection, last.id)
        last = None
        _write_center(connection, embedder_id, vectors[:BLOCK].mean(axis=0))
    signs = SignCode(read_center(connection, embedder_id, dimensions)).encode(vectors)
    if last is not None:
        text_ids = np.concatenate([last.text_ids, text_ids])
        signs = join([last.signs, signs], words_of(dimensions))
        _drop_block(connection, last.id)
    for start in range(0, len(text_ids), BLOCK):
        part = slice(start, start + BLOCK)
        _write_block(connection, embedder_id, text_ids[part], signs.take(part))


def _outgrew_center(before: int, after: int) -> bool:
    """Tell whether the first block doubled, so that its mean is worth taking anew."""
    return after >= _CENTER_FROM and before.bit_length() < min(after, BLOCK).bit_length()


def _write_center(
    connection: sqlite3.Connection, embedder_id: int, center: NDArray[np.float32]
) -> None:
    connection.execute(
        "UPDATE embedders SET center = ? WHERE id = ?",
        (center.astype("<f4").tobytes(), embedder_id),
    )


def _write_block(
    connection: sqlite3.Connection, embedder_id: int, text_ids: NDArray[np.int64], signs: Signs
) -> None:
    connection.execute(
        "INSERT INTO sign_blocks (embedder_id, text_ids, bits, scalars) VALUES (?, ?, ?, ?)",
        (
            embedder_id,
            text_ids.astype("<i8").tobytes(),
            signs.bits.astype("<u8").tobytes(),
            signs.scalars.astype("<f4").tobytes(),
        ),
    )


def _drop_block(connection: sqlite3.Connection, block_id: int) -> None:
    connection.execute("DELETE FROM sign_blocks WHERE id = ?", (block_id,))


def read_center(
    connection: sqlite3.Connection, embedder_id: int, dimensions: int
) -> NDArray[np.float32]:
    """Return the center of an embedder's sign code; zero when it has no vector yet."""
    row = connection.execute("SELECT center FROM embedders WHERE id = ?", (embedder_id,)).fetchone()
    if row is None or row[0] is None:
        return np.zeros(dimensions, np.float32)
    return np.frombuffer(row[0], "<f4").astype(np.float32)


def read_vectors(
    connection: sqlite3.Connection, embedder_id: int, text_ids: Sequence[int], dimensions: int
) -> NDArray[np.float32]:
    """Return the vectors of some texts, shape (n, dimensions); zero where there is none."""
    result = np.zeros((len(text_ids), dimensions), np.float32)
    rows = connection.execute(
        "SELECT t.key, data FROM json_each(?) AS t JOIN vectors ON vectors.id = t.value + (? << 40)",
        (ids(text_ids), embedder_id),
    ).fetchall()
    if rows:
        data = np.frombuffer(b"".join([row[1] for row in rows]), "<i2")
        scaled = data.reshape(len(rows), dimensions) * np.float32(1 / _SCALE)
        result[[row[0] for row in rows]] = scaled
    return result


def find_texts(
    connection: sqlite3.Connection,
    fingerprint: str | None,
    hashes: Iterable[bytes],
    dimensions: int,
) -> dict[bytes, tuple[int, NDArray[np.float32] | None]]:
    """Return the id of each text that is known, and its vector if it has one of this embedder."""
    embedder_id = find_embedder(connection, fingerprint)
    found: dict[bytes, tuple[int, NDArray[np.float32] | None]] = {}
    for text_hash in hashes:
        text = connection.execute("SELECT id FROM texts WHERE hash = ?", (text_hash,)).fetchone()
        if text is not None:
            read = read_vectors(connection, embedder_id or 0, [text[0]], dimensions)[0]
            found[text_hash] = text[0], read if read.any() else None
    return found


def block_ids(connection: sqlite3.Connection, embedder_id: int) -> list[int]:
    """Return the ids of an embedder's blocks, oldest first."""
    rows = connection.execute(
        "SELECT id FROM sign_blocks WHERE embedder_id = ? ORDER BY id", (embedder_id,)
    )
    return [row[0] for row in rows]


def read_block(connection: sqlite3.Connection, block_id: int, dimensions: int) -> Block:
    """Read one block."""
    text_ids, bits, scalars = connection.execute(
        "SELECT text_ids, bits, scalars FROM sign_blocks WHERE id = ?", (block_id,)
    ).fetchone()
    signs = Signs(
        np.frombuffer(bits, "<u8").reshape(words_of(dimensions), -1),
        np.frombuffer(scalars, "<f4").reshape(2, -1),
    )
    return Block(block_id, np.frombuffer(text_ids, "<i8"), signs)


def read_signs(blocks: Sequence[Block], dimensions: int) -> Signs:
    """Put the codes of several blocks side by side."""
    return join([block.signs for block in blocks], words_of(dimensions))


def clear_failures(connection: sqlite3.Connection, embedder_id: int) -> None:
    """Let the texts that could not be embedded be tried again."""
    connection.execute("DELETE FROM vector_failures WHERE embedder_id = ?", (embedder_id,))


def failed_texts(connection: sqlite3.Connection, embedder_id: int) -> list[int]:
    """Return the texts that could not be embedded."""
    rows = connection.execute(
        "SELECT text_id FROM vector_failures WHERE embedder_id = ?", (embedder_id,)
    )
    return [row[0] for row in rows]


def failures(connection: sqlite3.Connection, embedder_id: int) -> list[tuple[int, str, str]]:
    """Return (source id, path, reason) for every document with a text that could not be embedded."""
    rows = connection.execute(
        "SELECT d.source_id, d.path, f.reason FROM vector_failures AS f"
        " JOIN chunks AS c ON c.text_id = f.text_id JOIN documents AS d ON d.id = c.document_id"
        " WHERE f.embedder_id = ? GROUP BY d.id ORDER BY d.source_id, d.path",
        (embedder_id,),
    )
    return [(row[0], row[1], row[2]) for row in rows]


def drop_vectors(connection: sqlite3.Connection, embedder_id: int, source_id: int) -> None:
    """Take an embedder's vectors of a source away, so that all of it is embedded again."""
    rows = connection.execute(
        "SELECT text_ids FROM documents WHERE source_id = ?", (source_id,)
    ).fetchall()
    dropped = np.unique(np.frombuffer(b"".join(row[0] for row in rows), "<i8"))
    connection.executemany(
        "DELETE FROM vectors WHERE id = ?", ((embedder_id << 40 | i,) for i in dropped.tolist())
    )
    dimensions = connection.execute(
        "SELECT dimensions FROM embedders WHERE id = ?", (embedder_id,)
    ).fetchone()[0]
    for block_id in block_ids(connection, embedder_id):
        block = read_block(connection, block_id, dimensions)
        kept = np.flatnonzero(~np.isin(block.text_ids, dropped))
        if len(kept) < len(block.text_ids):
            _drop_block(connection, block_id)
            if len(kept):
                _write_block(connection, embedder_id, block.text_ids[kept], block.signs.take(kept))
    clear_failures(connection, embedder_id)
