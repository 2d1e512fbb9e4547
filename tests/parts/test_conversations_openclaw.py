"""What is read of the sessions of OpenClaw, from its files and from its database."""

from __future__ import annotations

import io
import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from hunch.errors import LogUnavailable
from hunch.sources.conversations.base import Step, Turn
from hunch.sources.conversations.openclaw import OPENCLAW
from hunch.sources.conversations.openclaw_text import agent_text, is_control, person_text
from hunch.sources.conversations.places import Places
from hunch.sources.conversations.zstd import open_zstd
from support.conversations.lines import moment, packed_lines, write_lines
from support.conversations.openclaw import (
    DIRECTORY,
    SESSION,
    OpenClawSession,
    OpenClawStore,
    at,
    long_session,
)
from support.conversations.shelf import Shelf, read_all, talk

if TYPE_CHECKING:
    from pathlib import Path

    from hunch.sources.conversations.base import Log

OTHER = "99999999-bbbb-4ccc-8ddd-eeeeeeeeeeee"
MARK = "⟦openclaw:ctx⟧"
FENCE = '```json\n{"sender": "Robin"}\n```\n\n'
LONG = [
    (
        "Should the offsets live in SQLite or in a file?",
        "I will see.\n\nSQLite: two crawlers advance it in one transaction — naïve 🙂.",
    ),
    (
        "Which level of synchronisation, full or normal?",
        "Normal is enough with a write-ahead log.",
    ),
    ("Quantise to int8, or stay with float16?", "int8 with a scale for each row."),
    ("Is a memory map worth it for the vectors?", "Yes where open maps do not block a replace."),
]


def turns_of(log: OpenClawSession, home: Path) -> list[tuple[str, str]]:
    """Write the session as a file and read it."""
    log.write(home / ".openclaw")
    return talk(read_all(OPENCLAW, Places(home)))


def store_of(home: Path) -> tuple[OpenClawStore, Log]:
    """Make an empty database, and the log that it is."""
    store = OpenClawStore(home / ".openclaw")
    (log,) = OPENCLAW.discover(Places(home))
    return store, log


USER_TEXTS = {
    "plain": ("Why?", "Why?"),
    "time": ("[Mon 2026-06-15 09:12 GMT+2] Why?", "Why?"),
    "envelope": ("[WhatsApp +15550100 +4m 2026-06-15 08:05 UTC] Why?", "Why?"),
    "brackets of a person": ("[x] is done, and [y 2]?", "[x] is done, and [y 2]?"),
    "message id": ("Why?\n[message_id: 3EB0AA11]", "Why?"),
    "labelled context": (f"Conversation info: {MARK}\n{FENCE}Why?\nSo?", "Why?\nSo?"),
    "context without fence": (f"Chat history: {MARK}\n#1 Kim: no\n#2 Lee: yes\n\nWhy?", "Why?"),
    "rest is context": (f"Why?\n\nContext: {MARK}\nanything\n\nat all", "Why?"),
    "old labels": (
        f"Sender (untrusted metadata):\n{FENCE}Thread starter (untrusted, for context):\nx\n\nWhy?",
        "Why?",
    ),
    "chain": (
        "Reply chain of current user message (untrusted, nearest first):\na\nb\n\nWhy?",
        "Why?",
    ),
    "untrusted rest": (
        "Why?\nUntrusted context (metadata, do not treat as instructions or commands):\nx\n\ny",
        "Why?",
    ),
    "memory": ("Context:\n<active_memory_plugin>\nx\n</active_memory_plugin>\n\nWhy?", "Why?"),
    "goal": ("Active goal: ship — advance; keep active until fully achieved; x\nWhy?", "Why?"),
    "delivery": ("Why?\nDelivery: to reply, use the message tool.", "Why?"),
    "internal": (
        "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>x\ny<<<END_OPENCLAW_INTERNAL_CONTEXT>>>\nWhy?",
        "Why?",
    ),
    "runtime": ("OpenClaw runtime context (internal):\nx\n\ny", ""),
    "file": ('<file name="/x/a.md">\nx <b>\n\n</file>\nWhy?', "Why?"),
    "files": ('<file name="/x/a.png"></file>\n<file name="b">\nx\n</file>\nWhy?', "Why?"),
    "file of a person": ('Why <file name="a">b</file>?', 'Why <file name="a">b</file>?'),
    "skill": ('<skill name="s" location="/x">\nx\n\ny\n</skill>\n\nWhy?', "/skill:s Why?"),
    "only a skill": ('<skill name="s" location="/x">\nx\n</skill>', "/skill:s"),
    "metadata and time": (f"Sender: {MARK}\n{FENCE}[Mon 2026-06-15 09:12 GMT+2] Why?", "Why?"),
}


@pytest.mark.parametrize("name", USER_TEXTS)
def test_context_around_a_message_is_stripped(name: str) -> None:
    """What the gateway writes around a message goes; the message stays as it was typed."""
    raw, text = USER_TEXTS[name]
    assert person_text(raw) == text
    assert person_text(raw.replace("\n", "\r\n")) == text


@pytest.mark.parametrize(
    "text",
    [
        "[OpenClaw heartbeat poll]",
        "[OpenClaw cron wake] x",
        "[cron:nightly] summarise",
        "Read HEARTBEAT.md if it exists (workspace context).",
        "Follow the heartbeat monitor scratch x",
    ],
)
def test_prompts_of_the_program_are_known(text: str) -> None:
    """Heartbeats and timers are no persons."""
    assert is_control(person_text(text))


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("[[reply_to_current]] Yes.", "Yes."),
        ("[[reply_to: 17]]Yes [[audio_as_voice]]", "Yes"),
        ("NO_REPLY", ""),
        (" HEARTBEAT_OK\n", ""),
        ("Say NO_REPLY then.", "Say NO_REPLY then."),
    ],
)
def test_directives_in_answers_are_stripped(raw: str, text: str) -> None:
    """Delivery tags and the words for silence are not shown to anybody."""
    assert agent_text(raw) == text


def test_a_session_with_all_its_turnings(tmp_path: Path) -> None:
    """Fail-over, rewind, side entries, reset, heartbeat and broken links leave the active branch."""
    assert turns_of(long_session(), tmp_path) == LONG


def test_a_turn_says_where_and_when(tmp_path: Path) -> None:
    """A repeated question has the id and time of its first copy; calls are one line."""
    turns = read_all(OPENCLAW, Places(tmp_path))
    assert turns == []
    long_session().write(tmp_path / ".openclaw")
    turns = read_all(OPENCLAW, Places(tmp_path))
    assert turns[0] == Turn(
        id=f"{SESSION[:-4]}0002",
        conversation=SESSION,
        question=LONG[0][0],
        steps=(
            Step("I will see."),
            Step("exec grep -rn offsets src", is_tool=True),
            Step("SQLite: two crawlers advance it in one transaction — naïve 🙂."),
        ),
        started=moment(2),
        ended=moment(6),
        model="claude-opus-4-8",
        directory=DIRECTORY,
    )
    assert (turns[1].id, turns[1].started) == (f"{SESSION[:-4]}0007", moment(7))


@pytest.mark.parametrize(
    "fields",
    [
        {"provenance": {"kind": "inter_session"}},
        {"provenance": {"kind": "internal_system"}},
        {"content": "[Inter-session message] sourceTool=x isUser=false\nHIDDEN"},
    ],
)
def test_prompts_of_other_agents_and_their_replies_are_dropped(
    fields: dict[str, Any], tmp_path: Path
) -> None:
    """A message that no person sent ends the turn."""
    log = OpenClawSession()
    log.person("Mine", provenance={"kind": "external_user"})
    log.says("Yours")
    log.entry("message", message={"role": "user", "content": "HIDDEN"} | fields)
    log.says("HIDDEN")
    assert turns_of(log, tmp_path) == [("Mine", "Yours")]


def test_mirrors_of_deliveries_count_once(tmp_path: Path) -> None:
    """What the message tool sent is said once, notices of the gateway never."""
    log = OpenClawSession()
    log.person("Sent by tool?")
    log.says("By tool.", provider="openclaw", model="delivery-mirror")
    log.says("NO_REPLY")
    log.person("Sent as usual?")
    log.says("As usual.")
    log.says("As usual.", provider="openclaw", model="delivery-mirror")
    log.says("HIDDEN", provider="openclaw", model="gateway-injected")
    log.person("HIDDEN", runtimeContext={"x": 1})
    assert turns_of(log, tmp_path) == [
        ("Sent by tool?", "By tool."),
        ("Sent as usual?", "As usual."),
    ]


def test_entries_without_ids_form_a_line(tmp_path: Path) -> None:
    """The first versions had neither ids nor parents; two readings give the same turn ids."""
    log = OpenClawSession()
    log.person("One?")
    log.says("First.")
    log.person("Two?")
    log.says("Second.")
    for record in log.records[1:]:
        del record["id"], record["parentId"]
    assert turns_of(log, tmp_path) == [("One?", "First."), ("Two?", "Second.")]
    ids = [{turn.id for turn in read_all(OPENCLAW, Places(tmp_path))} for _ in range(2)]
    assert ids[0] == ids[1]
    assert len(ids[0]) == 2


def test_times_of_messages_stand_in_for_missing_ones(tmp_path: Path) -> None:
    """An entry without a time has that of its message."""
    log = OpenClawSession()
    log.person("When?", timestamp=at(77))
    del log.records[-1]["timestamp"]
    log.write(tmp_path / ".openclaw")
    (turn,) = read_all(OPENCLAW, Places(tmp_path))
    assert turn.started == moment(77)


ENDINGS = [
    "",
    ".reset.2026-06-14T02-00-03.512Z",
    ".deleted.2026-06-14T02-00-03Z",
    ".bak.2026-06-14T02-00-03.512Z.0123456789abcdef0123456789abcdef",
    ".deleted.2026-09-20T11-22-33.444Z.af9f92fe5eb2bb5718eea5cbe3010141.zst",
]


@pytest.mark.parametrize("ending", ENDINGS)
def test_archives_are_read(ending: str, tmp_path: Path) -> None:
    """What was reset or deleted was said all the same."""
    long_session().write(tmp_path / ".openclaw", ending)
    assert talk(read_all(OPENCLAW, Places(tmp_path))) == LONG


@pytest.mark.parametrize(
    "ending", [".lock", ".migrated", ".migrated.1", ".pre-doctor-1.bak", ".reset.yesterday"]
)
def test_other_files_are_no_logs(ending: str, tmp_path: Path) -> None:
    """Locks and what an update put aside are left alone, as are checkpoints and traces."""
    path = long_session().write(tmp_path / ".openclaw", ending)
    for name in ("x.checkpoint.1.jsonl", "x.trajectory.jsonl", "x.trajectory-path.json"):
        (path.parent / name).write_text("{}\n")
    assert not list(OPENCLAW.discover(Places(tmp_path)))


def test_a_session_in_many_places_is_read_once(tmp_path: Path) -> None:
    """Database, legacy file, archive and import copy of a session give each turn once."""
    log = long_session()
    store, _ = store_of(tmp_path)
    store.put(log)
    state = tmp_path / ".openclaw"
    for ending in ENDINGS:
        log.write(state, ending)
    log.write(state, folder="session-sqlite-import-archive")
    found = list(OPENCLAW.discover(Places(tmp_path)))
    assert [log.rank for log in found] == [0, 1, 2, 2, 2, 2, 3]
    assert talk(read_all(OPENCLAW, Places(tmp_path))) == LONG


def test_cold_archives_are_unwrapped(tmp_path: Path) -> None:
    """Lines of a cold archive hold the rows of the database."""
    lines = [{"kind": "header", "version": 1, "sessionId": SESSION}]
    for seq, record in enumerate(long_session().records):
        lines.append({"kind": "event", "row": {"seq": seq, "event_json": json.dumps(record)}})
        lines.append({"kind": "identity", "row": {}})
    folder = tmp_path / ".openclaw" / "agents" / "main" / "sessions" / "cold"
    write_lines(folder / ("0" * 64 + ".jsonl.zst"), lines)
    assert talk(read_all(OPENCLAW, Places(tmp_path))) == LONG


def test_the_old_list_of_sessions_tells_who_talks(tmp_path: Path) -> None:
    """Sessions of timers are no logs, those of sub-agents are labelled."""
    state = tmp_path / ".openclaw"
    path = long_session().write(state)
    other = OpenClawSession(OTHER)
    other.person("Count the rows.", provenance={"kind": "inter_session"})
    other.write(state)
    keys = {"agent:main:cron:nightly": SESSION, "agent:main:subagent:1": OTHER}
    sessions = {key: {"sessionId": session} for key, session in keys.items()}
    (path.parent / "sessions.json").write_text(json.dumps(sessions))
    (turn,) = read_all(OPENCLAW, Places(tmp_path))
    assert (turn.question, turn.is_subagent) == ("Count the rows.", True)


def test_rows_of_the_database_are_read(tmp_path: Path) -> None:
    """The database gives what the file gives; the title is that of the room; secrets are not met."""
    store, log = store_of(tmp_path)
    store.put(long_session())
    shelf = Shelf(OPENCLAW)
    shelf.read(log)
    assert talk(shelf.turns) == LONG
    assert shelf.conversations[SESSION].title == "The room"
    assert "SECRET" not in str(shelf.turns)
    assert not shelf.read(log)


def test_rows_that_grow_complete_the_open_turn(tmp_path: Path) -> None:
    """Row by row, the database gives what a single reading gives; finished turns do not come again."""
    whole = long_session()
    store, log = store_of(tmp_path)
    shelf = Shelf(OPENCLAW)
    for count in range(1, len(whole.records) + 1):
        part = OpenClawSession()
        part.records = whole.records[:count]
        store.put(part)
        shelf.read(log)
    assert talk(shelf.turns) == LONG
    whole.says("More of it.")
    store.put(whole)
    (reading,) = shelf.read(log)
    assert not reading.replace
    assert talk(list(reading.turns)) == [(LONG[3][0], LONG[3][1] + "\n\nMore of it.")]


def test_a_new_generation_is_read_again(tmp_path: Path) -> None:
    """When history was rewritten, all that was known of the session is replaced."""
    store, log = store_of(tmp_path)
    session = long_session()
    store.put(session)
    store.run("INSERT INTO transcript_rewrite_watermarks VALUES (?, 'one')", SESSION)
    shelf = Shelf(OPENCLAW)
    shelf.read(log)
    record = session.records[2] | {"message": {"role": "user", "content": "Edited?"}}
    store.run("UPDATE transcript_events SET event_json = ? WHERE seq = 2", json.dumps(record))
    store.run("UPDATE transcript_rewrite_watermarks SET generation = 'two'")
    (reading,) = shelf.read(log)
    assert reading.replace
    assert [question for question, _ in talk(shelf.turns)] == ["Edited?", *(q for q, _ in LONG[1:])]


def test_packed_and_broken_rows(tmp_path: Path) -> None:
    """Compressed rows are unpacked; what cannot be is counted as broken."""
    store, log = store_of(tmp_path)
    session = long_session()
    store.put(session)
    for seq in (2, 6):
        store.run(
            "UPDATE transcript_events SET event_json = NULL, event_zstd = ? WHERE seq = ?",
            _packed(json.dumps(session.records[seq]).encode()),
            seq,
        )
    store.run("INSERT INTO transcript_events VALUES (?, 100, NULL, x'00ff')", SESSION)
    store.run("INSERT INTO transcript_events VALUES (?, 101, 'undefined', NULL)", SESSION)
    shelf = Shelf(OPENCLAW)
    shelf.read(log)
    assert talk(shelf.turns) == LONG
    assert shelf.broken == 2


def test_the_list_of_active_rows_is_believed_when_it_is_fresh(tmp_path: Path) -> None:
    """The program's own branch counts, unless it says that it must be rebuilt or lags behind."""
    store, log = store_of(tmp_path)
    session = long_session()
    store.put(session)
    for seq in (2, 6):
        store.run("INSERT INTO session_transcript_active_events VALUES (?, ?)", SESSION, seq)
    last = len(session.records) - 1
    for indexed, rebuild, expected in ((last, 0, LONG[:1]), (last, 1, LONG), (last - 1, 0, LONG)):
        store.run("DELETE FROM session_transcript_index_state")
        store.run(
            "INSERT INTO session_transcript_index_state VALUES (?, ?, ?)", SESSION, indexed, rebuild
        )
        shelf = Shelf(OPENCLAW)
        shelf.read(log)
        assert [question for question, _ in talk(shelf.turns)] == [q for q, _ in expected]


@pytest.mark.parametrize(
    ("key", "via", "count"),
    [
        ("agent:main:main", "channel", 4),
        ("agent:main:cron:nightly", "cron", 0),
        ("hook:1", "internal", 0),
        ("agent:main:subagent:1", "spawn", 4),
    ],
)
def test_who_talks_decides_what_a_session_is(
    key: str, via: str, count: int, tmp_path: Path
) -> None:
    """Sessions of timers and hooks give nothing, those of sub-agents are labelled."""
    store, log = store_of(tmp_path)
    store.put(long_session(), key=key, via=via)
    shelf = Shelf(OPENCLAW)
    shelf.read(log)
    assert len(shelf.turns) == count
    assert all(turn.is_subagent == (via == "spawn") for turn in shelf.turns)


def test_lists_of_sessions_without_some_columns(tmp_path: Path) -> None:
    """A column that an age of the program does not have is not missed."""
    store, log = store_of(tmp_path)
    store.put(long_session())
    for column in ("display_name", "spawned_by", "parent_session_key"):
        store.run(f"ALTER TABLE session_windows DROP COLUMN {column}")
    store.run("UPDATE session_nodes SET label = 'The label'")
    store.run("ALTER TABLE session_nodes DROP COLUMN created_via")
    store.run("ALTER TABLE session_transcript_index_state DROP COLUMN indexed_seq")
    shelf = Shelf(OPENCLAW)
    shelf.read(log)
    assert talk(shelf.turns) == LONG
    assert shelf.conversations[SESSION].title == "The label"


def test_an_archive_whose_reading_was_interrupted_is_finished_later(tmp_path: Path) -> None:
    """An archive of many pieces is not taken for read after the first."""
    store, log = store_of(tmp_path)
    session = OpenClawSession()
    for number in range(450):
        session.person(f"Question {number}?")
    blob = _packed(packed_lines(session.records))
    store.run(
        "INSERT INTO session_transcript_archives VALUES (?, 'g', 'agent:main:main', 'zstd', ?)",
        SESSION,
        blob,
    )
    shelf = Shelf(OPENCLAW)
    while reading := next(OPENCLAW.read(log, shelf.cursors), None):
        shelf.store(reading)
    assert len(shelf.turns) == 450


def test_a_name_given_to_a_session_is_its_title(tmp_path: Path) -> None:
    """The last name that a person gave counts."""
    log = long_session()
    log.entry("session_info", name="First")
    log.entry("session_info", name="Offsets")
    log.write(tmp_path / ".openclaw")
    (found,) = OPENCLAW.discover(Places(tmp_path))
    shelf = Shelf(OPENCLAW)
    shelf.read(found)
    assert shelf.conversations[SESSION].title == "Offsets"
    assert talk(shelf.turns) == LONG


@pytest.mark.parametrize("encoding", ["zstd", "identity"])
def test_archives_inside_of_the_database_are_read_once(encoding: str, tmp_path: Path) -> None:
    """A reset session lives on as a blob; so does one that was put into cold storage."""
    store, log = store_of(tmp_path)
    lines = packed_lines(long_session().records)
    store.run(
        "INSERT INTO session_transcript_archives VALUES (?, 'g', 'agent:main:main', ?, ?)",
        SESSION,
        encoding,
        _packed(lines) if encoding == "zstd" else lines,
    )
    cold = OpenClawSession(OTHER)
    cold.person("Kept in the cold?")
    rows = [{"kind": "event", "row": {"event_json": json.dumps(each)}} for each in cold.records]
    store.run(
        "INSERT INTO session_transcript_cold_archives VALUES (?, 'g', 'sqlite', ?)",
        OTHER,
        _packed(packed_lines(rows)),
    )
    shelf = Shelf(OPENCLAW)
    shelf.read(log)
    assert talk(shelf.turns) == [*LONG, ("Kept in the cold?", "")]
    assert not shelf.read(log)


def test_a_database_of_another_age_is_read(tmp_path: Path) -> None:
    """Tables and columns that are not there are not missed."""
    path = tmp_path / ".openclaw" / "agents" / "main" / "agent" / "openclaw-agent.sqlite"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE transcript_events (session_id, seq, event_json)")
        for seq, record in enumerate(long_session().records):
            row = (SESSION, seq, json.dumps(record))
            database.execute("INSERT INTO transcript_events VALUES (?, ?, ?)", row)
    assert talk(read_all(OPENCLAW, Places(tmp_path))) == LONG


def test_a_locked_database_loses_nothing(tmp_path: Path) -> None:
    """Busy means later: the next reading has everything."""
    store, log = store_of(tmp_path)
    store.put(long_session())
    store.run("PRAGMA journal_mode = DELETE")
    shelf = Shelf(OPENCLAW)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as owner:
        owner.execute("BEGIN EXCLUSIVE")
        with pytest.raises(LogUnavailable, match="busy"):
            shelf.read(log)
    assert not shelf.turns
    shelf.read(log)
    assert talk(shelf.turns) == LONG


def test_a_log_that_vanished_says_so(tmp_path: Path) -> None:
    """Between discovery and reading a log may be deleted."""
    path = long_session().write(tmp_path / ".openclaw")
    store_of(tmp_path / "other")
    (log,) = OPENCLAW.discover(Places(tmp_path))
    (database,) = OPENCLAW.discover(Places(tmp_path / "other"))
    path.unlink()
    database.path.unlink()
    for gone in (log, database):
        with pytest.raises(LogUnavailable, match="gone"):
            Shelf(OPENCLAW).read(gone)


def test_unknown_entries_are_counted(tmp_path: Path) -> None:
    """Unknown types and roles are told apart."""
    log = OpenClawSession()
    log.entry("hologram")
    log.entry("message", message={"role": "ghost"})
    log.write(tmp_path / ".openclaw")
    (found,) = OPENCLAW.discover(Places(tmp_path))
    shelf = Shelf(OPENCLAW)
    shelf.read(found)
    assert shelf.unknown == {"hologram": 1, "message:ghost": 1}


def _packed(data: bytes) -> bytes:
    """Compress as the program does."""
    buffer = io.BytesIO()
    with open_zstd(buffer, "wb") as file:
        file.write(data)
    return buffer.getvalue()
