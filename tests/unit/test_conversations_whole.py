"""The rules for conversations that are read as a whole: marks, pieces, counts, ids, paths."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hunch.sources.conversations.assemble import Message
from hunch.sources.conversations.base import Conversation, Cursor, Reading
from hunch.sources.conversations.identity import QuestionIds
from hunch.sources.conversations.uris import base_name, path_of
from hunch.sources.conversations.whole import Tally, Whole, is_known, read_whole

Talk = list[tuple[str, str]]


def whole(talk: Talk, tally: Tally | None = None) -> Whole:
    """Make a conversation of ids and answers."""
    messages = [
        message
        for id_, answer in talk
        for message in (Message("user", f"Why {id_}?", id=id_), Message("assistant", answer))
    ]
    return Whole(Conversation("c"), messages, tally or Tally())


def read(
    talk: Talk, since: dict[str, Cursor], mark: str = "m", tally: Tally | None = None
) -> list[Reading]:
    """Read a conversation and remember its cursor."""
    readings = list(read_whole(whole(talk, tally), mark, since))
    for reading in readings:
        since[reading.key] = dict(reading.cursor)
    return readings


def given_in(readings: list[Reading]) -> list[str]:
    """Return the ids of the turns that were given."""
    return [turn.id for reading in readings for turn in reading.turns]


A, B, C = ("a", "1"), ("b", "2"), ("c", "3")
CHANGES: dict[str, tuple[Talk, Talk, list[str], bool]] = {
    "first": ([], [A], ["a"], False),
    "one more": ([A], [A, B], ["b"], False),
    "went on": ([A, B], [A, ("b", "2 and 3")], ["b"], False),
    "an earlier one changed": ([A, B], [("a", "x"), B], ["a"], False),
    "the last went": ([A, B], [A], ["a"], True),
    "another order": ([A, B], [B, A], ["b", "a"], True),
    "one between": ([A, C], [A, B, C], ["a", "b", "c"], True),
    "all others": ([A], [B], ["b"], True),
    "all went": ([A], [], [], True),
}


@pytest.mark.parametrize("name", CHANGES)
def test_only_what_changed_is_given(name: str) -> None:
    """Turns are replaced only when one went, or stands elsewhere."""
    before, after, ids, replace = CHANGES[name]
    since: dict[str, Cursor] = {}
    read(before, since)
    readings = read(after, since, "n")
    assert (given_in(readings), readings[0].replace) == (ids, replace)
    assert is_known(since, "", "n")
    assert not read(after, since, "n")


def test_a_new_mark_is_remembered_even_without_news() -> None:
    """A file that changed without a new turn gives one empty reading, so that it is seen."""
    since: dict[str, Cursor] = {}
    read([A], since)
    (reading,) = read([A], since, "n")
    assert (reading.turns, reading.replace) == ((), False)
    assert is_known(since, "", "n")
    assert not is_known(since, "", "m")


def test_counts_are_of_what_is_new() -> None:
    """What was not understood before is not counted again, unless all is read anew."""
    since: dict[str, Cursor] = {}

    def counts(talk: Talk, mark: str, odd: int, broken: int) -> tuple[dict[str, int], int]:
        tally = Tally(broken=broken)
        for _ in range(odd):
            tally.count("odd")
        (reading,) = read(talk, since, mark, tally)
        return dict(reading.unknown), reading.broken

    assert counts([A], "1", 2, 1) == ({"odd": 2}, 1)
    assert counts([A, B], "2", 3, 1) == ({"odd": 1}, 0)
    assert counts([A, B], "3", 1, 0) == ({}, 0)
    assert counts([A], "4", 3, 2) == ({"odd": 3}, 2)


def test_kinds_that_could_be_text_of_a_person_are_not_shown() -> None:
    """Only short names are counted by name."""
    tally = Tally()
    for kind in ("odd", "my private text", "x" * 100, ""):
        tally.count(kind)
    assert tally.unknown == {"odd": 1, "other": 2}


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 700), st.integers(0, 700), st.integers(0, 3))
def test_long_conversations_come_in_pieces(before: int, after: int, stop: int) -> None:
    """Pieces are bounded, and reading goes on after any of them as if it had not stopped."""
    since: dict[str, Cursor] = {}
    stored: dict[str, str] = {}

    def store(readings: list[Reading]) -> None:
        for reading in readings:
            if reading.replace:
                stored.clear()
            stored.update({turn.id: turn.answer for turn in reading.turns})
            since[""] = dict(reading.cursor)
            assert len(reading.turns) <= 200

    store(list(read_whole(whole([(str(n), "x") for n in range(before)]), "m", since)))
    talk = [(str(n), "x" if n % 7 else "y") for n in range(after)]
    store(list(read_whole(whole(talk), "n", since))[:stop])
    store(list(read_whole(whole(talk), "n", since)))
    assert stored == dict(talk)
    assert not list(read_whole(whole(talk), "n", since))


def test_large_turns_make_small_pieces() -> None:
    """A piece ends when it holds a megabyte of text."""
    since: dict[str, Cursor] = {}
    readings = read([(str(n), "x" * 400_000) for n in range(7)], since)
    assert [len(reading.turns) for reading in readings] == [3, 3, 1]


def test_ids_tell_repeated_questions_apart() -> None:
    """The id is made of the words and of how often they were asked, not of white space."""
    ids, others = QuestionIds("c"), QuestionIds("d")
    first = ids.next("go  on")
    assert ids.next("go\non ") == f"{first}~2"
    assert ids.next("stop") not in (first, f"{first}~2")
    assert others.next("go on") != first
    assert QuestionIds("c").next("go on") == first


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ("file:///home/a%20b", "/home/a b"),
        ("file:///c%3A/Users/x", "c:/Users/x"),
        ("file://server/share/x", "//server/share/x"),
        ("vscode-remote://ssh-remote%2Bhost/home/x", "/home/x"),
        ("/home/x", "/home/x"),
        ("c:\\x", "c:\\x"),
        ({"$mid": 1, "path": "/home/x", "scheme": "file"}, "/home/x"),
        ({"fsPath": "c:\\x", "path": "/c:/x"}, "c:\\x"),
        ({"external": "file:///x"}, "/x"),
        ("http://[broken", ""),
        ({"path": 3}, ""),
        (None, ""),
        (3, ""),
    ],
)
def test_paths_of_uris(value: object, path: str) -> None:
    """A URI, whole or taken apart, gives the path on its machine."""
    assert path_of(value) == path


@pytest.mark.parametrize(
    ("path", "name"), [("/a/b.py", "b.py"), ("c:\\a\\b.py", "b.py"), ("/a/b/", "b"), ("", "")]
)
def test_base_names(path: str, name: str) -> None:
    """The last part of a path of any platform."""
    assert base_name(path) == name
