"""Reading logs while they grow: in steps or at once, the same turns come out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hunch.sources.conversations.base import Log
from hunch.sources.conversations.claude_code import CLAUDE_CODE
from hunch.sources.conversations.codex import CODEX
from hunch.sources.conversations.openclaw import OPENCLAW
from support.conversations.claude import long_conversation
from support.conversations.codex import long_rollout
from support.conversations.lines import packed_lines
from support.conversations.openclaw import long_session
from support.conversations.shelf import Shelf, talk

if TYPE_CHECKING:
    from hunch.sources.conversations.base import Reader, Turn

LOGS = {
    "claude": (CLAUDE_CODE, packed_lines(long_conversation().records)),
    "codex events": (CODEX, packed_lines(long_rollout("events").records)),
    "codex items": (CODEX, packed_lines(long_rollout("items").records)),
    "codex plain": (CODEX, packed_lines(long_rollout("plain").records)),
    "openclaw": (OPENCLAW, packed_lines(long_session().records)),
    "openclaw short ids": (OPENCLAW, packed_lines(long_session(short_ids=True).records)),
}


def log_at(reader: Reader, path: Path) -> Log:
    """Describe a file as discovery would."""
    return Log(reader.agent, path, (path.stat().st_size,))


def fresh(reader: Reader, path: Path) -> list[Turn]:
    """Read the whole file."""
    shelf = Shelf(reader)
    shelf.read(log_at(reader, path))
    return shelf.turns


def in_order(turns: list[Turn]) -> list[Turn]:
    """Sort turns by their questions, for comparison."""
    return sorted(turns, key=lambda turn: (str(turn.started), turn.question))


@pytest.mark.parametrize("name", LOGS)
@settings(max_examples=25, deadline=None)
@given(st.data())
def test_growth_by_any_steps_ends_like_one_reading(name: str, data: st.DataObject) -> None:
    """Whatever bytes are there at each reading, the end result is that of a single reading."""
    reader, content = LOGS[name]
    cuts = data.draw(st.lists(st.integers(0, len(content)), max_size=6).map(sorted))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        shelf = Shelf(reader)
        for cut in [*cuts, len(content)]:
            path.write_bytes(content[:cut])
            shelf.read(log_at(reader, path))
        assert in_order(shelf.turns) == in_order(fresh(reader, path))


@pytest.mark.parametrize("name", LOGS)
def test_growth_line_by_line_ends_like_one_reading(name: str, tmp_path: Path) -> None:
    """Reading after every line, and in the middle of it, gives what a single reading gives."""
    reader, content = LOGS[name]
    path = tmp_path / "log.jsonl"
    shelf = Shelf(reader)
    start = 0
    while start < len(content):
        end = content.index(b"\n", start) + 1
        for cut in (start + 1, end - 1, end):
            path.write_bytes(content[:cut])
            shelf.read(log_at(reader, path))
            assert in_order(shelf.turns) == in_order(fresh(reader, path))
        start = end
    assert "ABANDONED" not in str(shelf.turns)
    assert "UNDONE" not in str(shelf.turns)
    assert "HIDDEN" not in str(shelf.turns)


@pytest.mark.parametrize("name", LOGS)
def test_nothing_new_gives_nothing(name: str, tmp_path: Path) -> None:
    """A log that did not change, or only grew by half a line, gives no reading."""
    reader, content = LOGS[name]
    path = tmp_path / "log.jsonl"
    path.write_bytes(content)
    shelf = Shelf(reader)
    assert shelf.read(log_at(reader, path))
    assert not shelf.read(log_at(reader, path))
    path.write_bytes(content + b'{"type": "us')
    assert not shelf.read(log_at(reader, path))


@pytest.mark.parametrize("name", LOGS)
@settings(max_examples=15, deadline=None)
@given(st.data())
def test_cutting_off_is_noticed(name: str, data: st.DataObject) -> None:
    """A log that lost its end gives what a single reading of the rest gives."""
    reader, content = LOGS[name]
    cut = data.draw(st.integers(0, len(content)))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        path.write_bytes(content)
        shelf = Shelf(reader)
        shelf.read(log_at(reader, path))
        path.write_bytes(content[:cut])
        shelf.read(log_at(reader, path))
        assert in_order(shelf.turns) == in_order(fresh(reader, path))


def test_an_open_turn_comes_again_completed_and_alone(tmp_path: Path) -> None:
    """When an answer goes on, its turn comes again with the same id, and no other does."""
    log = long_conversation()
    path = log.write(tmp_path)
    shelf = Shelf(CLAUDE_CODE)
    shelf.read(log_at(CLAUDE_CODE, path))
    before = len(shelf.turns)
    log.says("And say so in the log.")
    log.write(tmp_path)
    (reading,) = shelf.read(log_at(CLAUDE_CODE, path))
    assert not reading.replace
    assert talk(list(reading.turns)) == [
        ("And on network shares?", "Poll every thirty seconds there.\n\nAnd say so in the log.")
    ]
    assert len(shelf.turns) == before


def test_another_log_at_the_same_path_replaces_everything(tmp_path: Path) -> None:
    """A rewritten file of the same length is read anew, and what was known must go."""
    reader, content = LOGS["claude"]
    path = tmp_path / "log.jsonl"
    path.write_bytes(content)
    shelf = Shelf(reader)
    shelf.read(log_at(reader, path))
    other = content.replace(b"ignore rules", b"cached rules")
    assert len(other) == len(content)
    path.write_bytes(other + packed_lines([long_conversation().records[-1]]))
    (reading,) = shelf.read(log_at(reader, path))
    assert reading.replace
    assert shelf.turns[0].question.startswith("Where should the cached rules live")


def test_a_long_log_comes_in_pieces_that_can_be_resumed(tmp_path: Path) -> None:
    """Stopping after any piece and going on from its cursor loses and repeats nothing."""
    log = long_conversation()
    for number in range(450):
        log.person(f"Question number {number} of a long evening?")
        log.says(f"Answer number {number}.")
    path = log.write(tmp_path)
    whole = fresh(CLAUDE_CODE, path)
    shelf = Shelf(CLAUDE_CODE)
    pieces = 0
    while reading := next(CLAUDE_CODE.read(log_at(CLAUDE_CODE, path), shelf.cursors), None):
        shelf.store(reading)
        pieces += 1
    assert pieces == 3
    assert in_order(shelf.turns) == in_order(whole)
    assert len(whole) == 455 - 1


def test_cursors_of_another_form_are_not_trusted(tmp_path: Path) -> None:
    """A cursor that another version of the reader left makes the log be read anew."""
    reader, content = LOGS["codex events"]
    path = tmp_path / "log.jsonl"
    path.write_bytes(content)
    log = log_at(reader, path)
    (reading,) = reader.read(log, {"": {"form": 0, "anything": True}})
    assert reading.replace
    assert reading.turns == tuple(fresh(reader, path))


def test_unknown_records_and_broken_lines_are_counted_once(tmp_path: Path) -> None:
    """Counts are of what is new: reading an open turn again does not count its oddities again."""
    log = long_conversation()
    log.state("quantum-state")
    path = log.write(tmp_path)
    path.write_bytes(path.read_bytes() + b"undefined\n")
    shelf = Shelf(CLAUDE_CODE)
    shelf.read(log_at(CLAUDE_CODE, path))
    assert (shelf.unknown, shelf.broken) == ({"quantum-state": 1}, 1)
    path.write_bytes(path.read_bytes() + packed_lines([{"type": "has spaces: private text"}]))
    shelf.read(log_at(CLAUDE_CODE, path))
    assert (shelf.unknown, shelf.broken) == ({"quantum-state": 1, "other": 1}, 1)


def test_turns_are_the_same_values_after_a_move(tmp_path: Path) -> None:
    """Nothing of a turn depends on where its log lies."""
    reader, content = LOGS["openclaw"]
    turns = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        path = tmp_path / name / "log.jsonl"
        path.write_bytes(content)
        turns.append([replace(turn) for turn in fresh(reader, path)])
    assert turns[0] == turns[1]
