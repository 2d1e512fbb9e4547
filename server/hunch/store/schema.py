"""The tables, and the steps that bring an older database up to date.

The database's version is `PRAGMA user_version`. Version N+1 is reached from N by `MIGRATIONS[N]`;
an empty file has version 0, so a fresh database walks through all of them and old and fresh ones
end up equal.
"""

from __future__ import annotations

_V1 = """
CREATE TABLE generation (value INTEGER NOT NULL) STRICT;  -- counts the transactions
INSERT INTO generation VALUES (0);

CREATE TABLE sources (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  label TEXT NOT NULL,
  root TEXT NOT NULL UNIQUE,
  chunker INTEGER NOT NULL DEFAULT 0,   -- version of the chunker that cut its documents
  indexed_at REAL                       -- seconds since 1970 of the last complete look
) STRICT;

-- text_ids and lengths repeat what chunks hold, packed, so that a snapshot of all chunks is read
-- with one row a document: little-endian int64 (chunks,) and uint16 (chunks, fields).
CREATE TABLE documents (
  id INTEGER PRIMARY KEY,
  source_id INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
  path TEXT NOT NULL,                   -- relative to the source's root, forward slashes
  hash BLOB NOT NULL,                   -- blake2b-16 of the file's bytes
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  language TEXT NOT NULL,
  kind TEXT NOT NULL,
  first_chunk INTEGER NOT NULL,
  text_ids BLOB NOT NULL,
  lengths BLOB NOT NULL,
  UNIQUE (source_id, path)
) STRICT;

-- Ids are never used twice: postings name chunks by id, and one that is gone is simply not found.
CREATE TABLE chunks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  document_id INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
  text_id INTEGER NOT NULL REFERENCES texts,
  start_line INTEGER NOT NULL,
  start_character INTEGER NOT NULL,     -- UTF-16 code units
  end_line INTEGER NOT NULL,
  end_character INTEGER NOT NULL,
  title TEXT NOT NULL,
  context TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX chunks_of_document ON chunks (document_id);
CREATE INDEX chunks_of_text ON chunks (text_id);

CREATE TABLE definitions (
  chunk_id INTEGER NOT NULL REFERENCES chunks ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  name TEXT NOT NULL,
  path TEXT NOT NULL,
  kind INTEGER NOT NULL,
  line INTEGER NOT NULL,
  PRIMARY KEY (chunk_id, ordinal)
) STRICT, WITHOUT ROWID;

-- What is embedded, by content. Ids are never used twice.
CREATE TABLE texts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hash BLOB NOT NULL UNIQUE,            -- blake2b-16 of the embedding text
  unused_since REAL                     -- seconds since 1970; NULL while a chunk has this text
) STRICT;

CREATE TABLE embedders (
  id INTEGER PRIMARY KEY,
  fingerprint TEXT NOT NULL UNIQUE,
  dimensions INTEGER NOT NULL,
  center BLOB                           -- little-endian float32 (dimensions,): see signs.py
) STRICT;

-- id = embedder_id << 40 | text_id, so that the rows of one embedder lie together.
CREATE TABLE vectors (
  id INTEGER PRIMARY KEY,
  data BLOB NOT NULL                    -- little-endian int16 (dimensions,), see vectors.py
) STRICT;

CREATE TABLE vector_failures (
  embedder_id INTEGER NOT NULL REFERENCES embedders ON DELETE CASCADE,
  text_id INTEGER NOT NULL REFERENCES texts ON DELETE CASCADE,
  reason TEXT NOT NULL,
  PRIMARY KEY (embedder_id, text_id)
) STRICT, WITHOUT ROWID;

-- Sign bits of the vectors in blocks, see signs.py.
CREATE TABLE sign_blocks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  embedder_id INTEGER NOT NULL REFERENCES embedders ON DELETE CASCADE,
  text_ids BLOB NOT NULL,               -- little-endian int64 (n,)
  bits BLOB NOT NULL,                   -- little-endian uint64 (words, n)
  scalars BLOB NOT NULL                 -- little-endian float32 (2, n)
) STRICT;

-- The inverted index, see postings.py.
CREATE TABLE segments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  chunks INTEGER NOT NULL
) STRICT;
CREATE TABLE postings (
  segment_id INTEGER NOT NULL REFERENCES segments ON DELETE CASCADE,
  term INTEGER NOT NULL,
  count INTEGER NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (segment_id, term)
) STRICT, WITHOUT ROWID;

CREATE TABLE problems (
  source_id INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
  path TEXT NOT NULL,
  reason TEXT NOT NULL,
  state TEXT NOT NULL,
  since REAL NOT NULL,                  -- seconds since 1970
  hash BLOB,                            -- of the file when it was read, else NULL
  size INTEGER,
  mtime_ns INTEGER,
  PRIMARY KEY (source_id, path)
) STRICT, WITHOUT ROWID;
"""

_V2 = """
-- What other processes ask of the one that keeps the source in line, see sources.py.
ALTER TABLE sources ADD COLUMN asked INTEGER NOT NULL DEFAULT 0;
"""

_V3 = """
-- Conversations with agents, see conversations.py. A log is a file that an agent writes.
CREATE TABLE logs (
  id INTEGER PRIMARY KEY,
  source_id INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
  path TEXT NOT NULL,                   -- absolute
  stamp TEXT NOT NULL,                  -- JSON; empty while it was not read to its end
  cursors TEXT NOT NULL,                -- JSON: key → what the reader wants to remember
  gone_since REAL,                      -- seconds since 1970; NULL while the file is there
  UNIQUE (source_id, path)
) STRICT;

CREATE TABLE conversations (
  id INTEGER PRIMARY KEY,
  source_id INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
  name TEXT NOT NULL,                   -- the agent's own id
  title TEXT NOT NULL,
  directory TEXT NOT NULL,              -- a path of the machine that wrote the log
  remote TEXT NOT NULL,
  branch TEXT NOT NULL,
  parent TEXT NOT NULL,
  is_subagent INTEGER NOT NULL,
  started REAL,                         -- seconds since 1970
  is_excluded INTEGER NOT NULL DEFAULT 0,  -- a marker in it says that it is not to be indexed
  UNIQUE (source_id, name)
) STRICT;

-- Each turn is a document; its path is the turn's id.
CREATE TABLE turns (
  document_id INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
  conversation_id INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
  log_id INTEGER NOT NULL REFERENCES logs ON DELETE CASCADE,
  log_key TEXT NOT NULL,                -- which of the log's cursors it came with
  rank INTEGER NOT NULL,                -- of the log: a turn in several is that of the lowest
  started REAL NOT NULL,                -- seconds since 1970; 0 when the log does not say
  height INTEGER NOT NULL,              -- lines of the turn as a person reads it
  body TEXT NOT NULL                    -- JSON, see conversations.py
) STRICT;
CREATE INDEX turns_of_conversation ON turns (conversation_id, started, document_id);
CREATE INDEX turns_of_log ON turns (log_id, log_key);
"""

MIGRATIONS = (_V1, _V2, _V3)
"""Scripts; number N leads from version N to N+1."""

VERSION = len(MIGRATIONS)
"""The version that this program reads and writes."""
