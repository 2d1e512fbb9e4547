"""Logs of any content: readers skip what they do not understand and never fail on it."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hunch.sources.conversations.base import Log
from hunch.sources.conversations.claude_code import CLAUDE_CODE
from hunch.sources.conversations.codex import CODEX
from hunch.sources.conversations.openclaw import OPENCLAW
from support.conversations.claude import long_conversation
from support.conversations.codex import long_rollout
from support.conversations.openclaw import long_session
from support.conversations.shelf import Shelf

LOGS = {
    "claude": (CLAUDE_CODE, long_conversation().records),
    "codex events": (CODEX, long_rollout("events").records),
    "codex items": (CODEX, long_rollout("items").records),
    "openclaw": (OPENCLAW, long_session().records),
}
ODD = st.sampled_from(
    [None, True, 0, -1, 1e300, "", "x", "\ud800", [], {}, [None, "x", {}], {"type": 3}]
)


def paths_in(value: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """List the ways to every value inside of a JSON value."""
    children = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [before] + [path for key, child in children for path in paths_in(child, (*before, key))]


def changed(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    """Return a copy in which the value at the path is another."""
    if not path:
        return odd
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = changed(value[path[0]], path[1:], odd)
    return copy


@pytest.mark.parametrize("name", LOGS)
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_value_anywhere_stops_the_reading(name: str, data: st.DataObject) -> None:
    """Whatever stands where something else was expected, the rest of the log is read and stored."""
    reader, records = LOGS[name]
    records = list(records)
    for _ in range(data.draw(st.integers(1, 4))):
        number = data.draw(st.integers(0, len(records) - 1))
        path = data.draw(st.sampled_from(paths_in(records[number])))
        records[number] = changed(records[number], path, data.draw(ODD))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        shelf = Shelf(reader)
        shelf.read(Log(reader.agent, path, ()))
        for turn in shelf.turns:
            assert turn.id
            assert isinstance(turn.question, str)
            (turn.question + turn.answer + turn.model + turn.directory + turn.branch).encode()
            assert turn.started is None or turn.started.tzinfo


@pytest.mark.parametrize("name", LOGS)
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_odd_logs_read_in_steps_end_like_one_reading(name: str, data: st.DataObject) -> None:
    """Also when records are odd, or written again, growth by any steps gives what one reading gives."""
    reader, records = LOGS[name]
    records = list(records)
    number = data.draw(st.integers(0, len(records) - 1))
    way = data.draw(st.sampled_from(paths_in(records[number])))
    records[number] = changed(records[number], way, data.draw(ODD))
    start, end = sorted(data.draw(st.integers(0, len(records))) for _ in range(2))
    place = data.draw(st.integers(0, len(records)))
    records[place:place] = records[start:end]
    steps = data.draw(st.lists(st.integers(0, len(records)), max_size=6).map(sorted))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        log = Log(reader.agent, path, ())
        grown, fresh = Shelf(reader), Shelf(reader)
        for step in [*steps, len(records)]:
            path.write_text("".join(json.dumps(record) + "\n" for record in records[:step]))
            grown.read(log)
        fresh.read(log)
        assert {turn.id: turn for turn in grown.turns} == {turn.id: turn for turn in fresh.turns}


@pytest.mark.parametrize("reader", [CLAUDE_CODE, CODEX, OPENCLAW], ids=lambda reader: reader.agent)
@settings(max_examples=30, deadline=None)
@given(st.lists(st.binary(max_size=60), max_size=6).map(b"\n".join))
def test_no_bytes_stop_the_reading(reader: Any, content: bytes) -> None:
    """Garbage gives no turns and no errors."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        path.write_bytes(content + b"\n")
        shelf = Shelf(reader)
        shelf.read(Log(reader.agent, path, ()))
        assert shelf.turns == []
