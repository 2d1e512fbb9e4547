"""Files of any content: readers skip what they do not understand and fail in one way only."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hunch.errors import LogUnavailable
from support.conversations.sites import ODD, changed, sites_below, ways_in
from support.conversations.stories import STORIES, Library

if TYPE_CHECKING:
    from hunch.sources.conversations.base import Turn

WITH_VALUES = [name for name in STORIES if name not in ("aider", "zed")]


def check(turn: Turn) -> None:
    """Say that a turn can be stored."""
    texts = (turn.id, turn.conversation, turn.question, turn.answer, turn.model)
    for text in (*texts, turn.directory, turn.branch, *(step.text for step in turn.steps)):
        assert isinstance(text, str)
        assert "\x00" not in turn.question
        text.encode()
    assert turn.id
    assert turn.question
    assert turn.started is None or turn.started.tzinfo


@pytest.mark.parametrize("name", WITH_VALUES)
@settings(max_examples=12, deadline=None)
@given(st.data())
def test_no_value_anywhere_stops_the_reading(name: str, data: st.DataObject) -> None:
    """Whatever stands where something else was expected, what is read can be stored."""
    story = STORIES[name]
    with TemporaryDirectory() as folder:
        home = Path(folder)
        story.write(home)
        sites = sites_below(home)
        for _ in range(data.draw(st.integers(1, 3))):
            site = data.draw(st.sampled_from(sites))
            value = site.value()
            site.put(changed(value, data.draw(st.sampled_from(ways_in(value))), data.draw(ODD)))
        library = Library(story.reader)
        with suppress(LogUnavailable):
            for reading in library.look(story.places(home)):
                json.dumps(reading.cursor).encode()
                assert isinstance(reading.conversation.title, str)
                (reading.conversation.title + reading.conversation.parent).encode()
        for turn in library.turns.values():
            check(turn)
        with suppress(LogUnavailable):
            assert not library.look(story.places(home))


@pytest.mark.parametrize("name", STORIES)
@settings(max_examples=5, deadline=None)
@given(st.lists(st.binary(max_size=60), max_size=6).map(b"\n".join))
def test_no_bytes_stop_the_reading(name: str, content: bytes) -> None:
    """Garbage gives no turns, and no error but that the log cannot be read."""
    story = STORIES[name]
    with TemporaryDirectory() as folder:
        home = Path(folder)
        story.write(home)
        logs = list(story.reader.discover(story.places(home)))
        for log in logs:
            log.path.write_bytes(content)
            with suppress(LogUnavailable):
                for reading in story.reader.read(log, {}):
                    assert not reading.turns
