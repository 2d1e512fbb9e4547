"""Logs that are rewritten or edited: in steps or at once, the same turns come out."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hunch.errors import LogUnavailable
from support.conversations.shelf import talk
from support.conversations.stories import STORIES, Library, Story

REWRITTEN = (
    *("chatgpt", "claude-ai", "cline", "cline sessions", "continue", "copilot object"),
    *("gemini object", "opencode files"),
)


def read_at_once(story: Story, home: Path) -> Library:
    """Read everything that is there."""
    library = Library(story.reader)
    library.look(story.places(home))
    return library


@pytest.mark.parametrize("name", STORIES)
def test_what_was_said_is_read_and_nothing_else(name: str, tmp_path: Path) -> None:
    """Each story gives its questions and answers, without anything hidden or abandoned."""
    story = STORIES[name]
    story.write(tmp_path)
    library = read_at_once(story, tmp_path)
    assert sorted(talk(list(library.turns.values()))) == sorted(story.told)
    assert not any(shelf.broken or shelf.unknown for _, shelf in library.shelves.values())
    assert "HIDDEN" not in str([turn.steps for turn in library.turns.values()])


@pytest.mark.parametrize("name", STORIES)
def test_reading_after_every_step_ends_like_one_reading(name: str, tmp_path: Path) -> None:
    """Reading at each state gives what a single reading of that state gives, and then nothing."""
    story = STORIES[name]
    library = Library(story.reader)
    places = story.places(tmp_path)
    for _ in story.steps(tmp_path):
        library.look(places)
        assert library.turns == read_at_once(story, tmp_path).turns
        assert not library.look(places)


@pytest.mark.parametrize("name", STORIES)
@settings(max_examples=4, deadline=None)
@given(st.sets(st.integers(0, 30)))
def test_reading_after_any_steps_ends_like_one_reading(name: str, seen: set[int]) -> None:
    """Whichever states are seen, the turns at the end are the same."""
    story = STORIES[name]
    with TemporaryDirectory() as folder:
        library = Library(story.reader)
        for number, _ in enumerate(story.steps(Path(folder))):
            if number in seen:
                library.look(story.places(Path(folder)))
        library.look(story.places(Path(folder)))
        assert sorted(talk(list(library.turns.values()))) == sorted(story.told)


@pytest.mark.parametrize("name", STORIES)
def test_logs_that_vanish_or_are_no_files_say_so(name: str, tmp_path: Path) -> None:
    """A log that is gone is told from one that cannot be read; what was read of it stays."""
    story = STORIES[name]
    story.write(tmp_path)
    library = read_at_once(story, tmp_path)
    before = library.turns
    for log, shelf in library.shelves.values():
        log.path.unlink()
        with pytest.raises(LogUnavailable) as caught:
            shelf.read(log)
        assert caught.value.reason == "gone"
        log.path.mkdir()
        with pytest.raises(LogUnavailable) as caught:
            shelf.read(log)
        assert caught.value.reason == "unreadable"
    assert library.turns == before


@pytest.mark.parametrize("name", STORIES)
def test_a_log_that_comes_back_loses_nothing(name: str, tmp_path: Path) -> None:
    """A log that is cut off or garbage for a moment is whole again at the next look."""
    story = STORIES[name]
    story.write(tmp_path)
    library = read_at_once(story, tmp_path)
    before = library.turns
    for log, shelf in library.shelves.values():
        content = log.path.read_bytes()
        for broken in (b"", content[: len(content) // 2], content[:-1], b"no log at all\n"):
            log.path.write_bytes(broken)
            try:
                shelf.read(log)
            except LogUnavailable as unavailable:
                assert unavailable.reason in ("busy", "damaged")  # noqa: PT017 -- many do not raise
        log.path.write_bytes(content)
        shelf.read(log)
    assert library.turns == before


@pytest.mark.parametrize("name", REWRITTEN)
def test_a_file_that_is_being_rewritten_is_busy(name: str, tmp_path: Path) -> None:
    """Half of a JSON file asks to come back later, wherever it ends; nothing is lost until then."""
    story = STORIES[name]
    story.write(tmp_path)
    library = read_at_once(story, tmp_path)
    before = library.turns
    for log, shelf in library.shelves.values():
        content = log.path.read_bytes()
        for end in range(0, len(content) - 1, max(1, len(content) // 40)):
            log.path.write_bytes(content[:end].rstrip(b"]}"))
            with pytest.raises(LogUnavailable, match="busy"):
                shelf.read(log)
        log.path.write_bytes(content)
        assert not shelf.read(log)
    assert library.turns == before


@pytest.mark.parametrize("name", ["cursor window", "cursor command line", "opencode", "zed"])
def test_a_locked_database_is_busy(name: str, tmp_path: Path) -> None:
    """While its owner writes, a database asks to come back later, and is read then."""
    story = STORIES[name]
    story.write(tmp_path)
    library = Library(story.reader)
    (log,) = story.reader.discover(story.places(tmp_path))
    with closing(sqlite3.connect(log.path, isolation_level=None)) as owner:
        owner.execute("BEGIN EXCLUSIVE")
        with pytest.raises(LogUnavailable, match="busy"):
            library.look(story.places(tmp_path))
        owner.execute("ROLLBACK")
    library.look(story.places(tmp_path))
    assert len(library.turns) == len(story.told)


@pytest.mark.parametrize("name", STORIES)
def test_reading_leaves_no_trace(name: str, tmp_path: Path) -> None:
    """Nothing of an agent's files is changed, made or removed."""
    story = STORIES[name]
    story.write(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    read_at_once(story, tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


@pytest.mark.parametrize("name", STORIES)
def test_turns_do_not_depend_on_where_the_log_lies(name: str, tmp_path: Path) -> None:
    """A home folder that moved holds the same turns; a history beside the code moves with it."""
    story = STORIES[name]
    (tmp_path / "a").mkdir()
    story.write(tmp_path / "a")
    first = read_at_once(story, tmp_path / "a").turns
    shutil.move(tmp_path / "a", tmp_path / "b")
    assert read_at_once(story, tmp_path / "b").turns.keys() == first.keys()


@pytest.mark.parametrize("name", STORIES)
def test_cursors_of_another_form_are_not_trusted(name: str, tmp_path: Path) -> None:
    """What another version of a reader remembers makes it read everything again."""
    story = STORIES[name]
    story.write(tmp_path)
    library = read_at_once(story, tmp_path)
    before = library.turns
    for log, shelf in library.shelves.values():
        shelf.cursors = {key: {"form": 0, "odd": True} for key in shelf.cursors}
        readings = shelf.read(log)
        assert all(reading.replace for reading in readings)
        assert {turn.id for reading in readings for turn in reading.turns} == {
            turn.id for turn in shelf.turns
        }
    assert library.turns == before


def test_cursors_are_plain_json(tmp_path: Path) -> None:
    """A cursor survives the way through a database unchanged."""
    story = STORIES["opencode"]
    story.write(tmp_path)
    (log,) = story.reader.discover(story.places(tmp_path))
    for reading in story.reader.read(log, {}):
        assert json.loads(json.dumps(reading.cursor)) == reading.cursor
