"""The rules that all readers of conversations share: turns, passages, branches, visible text."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hunch.sources.conversations.assemble import Message, assemble
from hunch.sources.conversations.base import Step, Turn
from hunch.sources.conversations.branches import Branches
from hunch.sources.conversations.passages import cut, is_too_short
from hunch.sources.conversations.times import from_iso, from_milliseconds
from hunch.sources.conversations.visible import clean, strip_blocks, summarize_call

U, A, T, C = "user", "assistant", "tool", "control"


def turns_of(*messages: tuple[str, str] | Message) -> list[tuple[str, str]]:
    """Assemble messages; return questions and answers."""
    made = [each if isinstance(each, Message) else Message(*each) for each in messages]  # type: ignore[arg-type] -- roles of the table
    return [(turn.question, turn.answer) for turn in assemble(made, "c")]


TALKS = {
    "nothing": ([], []),
    "question and answer": ([(U, "q"), (A, "a")], [("q", "a")]),
    "no answer": ([(U, "q")], [("q", "")]),
    "pieces of an answer": ([(U, "q"), (A, "a"), (T, "Read x"), (A, "b")], [("q", "a\n\nb")]),
    "two turns": ([(U, "q"), (A, "a"), (U, "r"), (A, "b")], [("q", "a"), ("r", "b")]),
    "an answer to nobody": ([(A, "a"), (U, "q")], [("q", "")]),
    "control drops its reply": ([(U, "q"), (A, "a"), (C, ""), (A, "b"), (U, "r")], [("q", "a"), ("r", "")]),
    "the same question": ([(U, "q"), (U, "q"), (T, "x"), (U, "q"), (A, "a")], [("q", "a")]),
    "the same question later": ([(U, "q"), (A, "a"), (U, "q"), (A, "b")], [("q", "a"), ("q", "b")]),
    "a question without text": ([(U, "q"), (U, " \n"), (A, "a")], [("q", "a")]),
    "an answer without text": ([(U, "q"), (A, ""), (A, "\n")], [("q", "")]),
    "an echo of what was said": ([(U, "q"), (A, "a"), Message("assistant", "a", is_echo=True)], [("q", "a")]),
    "an echo of nothing": ([(U, "q"), Message("assistant", "a", is_echo=True)], [("q", "a")]),
    "an echo that came first": (
        [(U, "q"), Message("assistant", "a", is_echo=True), (A, "a"), (A, "b")],
        [("q", "a\n\nb")],
    ),
    "a command without answer": (
        [(U, "q"), (A, "a"), Message("user", "/model", needs_answer=True), (T, "x"), (U, "r")],
        [("q", "a"), ("r", "")],
    ),
    "a command with answer": ([Message("user", "/adr x", needs_answer=True), (A, "a")], [("/adr x", "a")]),
    "the same record twice": (
        [(U, "q"), Message("assistant", "a", id="1"), Message("assistant", "a", id="1")],
        [("q", "a")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TALKS)
def test_messages_become_turns(name: str) -> None:
    """A turn is what a person typed with all that was visibly said up to the next."""
    messages, expected = TALKS[name]
    assert turns_of(*messages) == expected


def test_a_turn_carries_what_its_messages_say() -> None:
    """Times, model, place and tool calls come from the records they stand in."""
    times = [datetime(2026, 1, 1, hour, tzinfo=UTC) for hour in range(4)]
    (turn,) = assemble(
        [
            Message("user", " q ", times[0], "id-1", directory="/d", branch="b", is_subagent=True),
            Message("assistant", "a", times[1], model="m-1"),
            Message("tool", "Read x", times[2]),
        ],
        "c",
    )
    assert turn == Turn(
        id="id-1",
        conversation="c",
        question="q",
        steps=(Step("a"), Step("Read x", is_tool=True)),
        started=times[0],
        ended=times[2],
        model="m-1",
        directory="/d",
        branch="b",
        is_subagent=True,
    )


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="ab \n.", max_size=400), st.integers(1, 50))
def test_cutting_keeps_every_character(text: str, limit: int) -> None:
    """The parts are within the limit, never empty, and joined they are the text."""
    parts = cut(text, limit)
    assert "".join(parts) == text
    assert all(0 < len(part) <= limit for part in parts)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("short", ["short"]),
        ("one two\n\nthree four", ["one two\n\n", "three four"]),
        ("aaaa\nbbbb\ncccc\ndddd", ["aaaa\nbbbb\n", "cccc\ndddd"]),
        ("word word word word word", ["word word ", "word word word"]),
        ("x" * 30, ["x" * 14, "x" * 14, "x" * 2]),
    ],
)
def test_cuts_are_at_paragraphs_then_lines_then_words(text: str, parts: list[str]) -> None:
    """The best boundary in the second half of a part wins."""
    assert cut(text, 14) == parts


@pytest.mark.parametrize(
    ("question", "answer", "short"), [("x" * 39, "", True), ("x" * 39, "y", False)]
)
def test_short_turns_are_told(question: str, answer: str, short: bool) -> None:
    """Under 40 characters of question and answer together say nothing on their own."""
    assert is_too_short(Turn("1", "c", question, (Step(answer),))) is short


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        (" a\r\nb\rc\n", "a\nb\nc"),
        ("a\x00b", "ab"),
        ("a\ud83db", "a\ufffdb"),
        ("pair \U0001f642", "pair \U0001f642"),
        ("before <hunch-results>found\nthis</hunch-results> after", "before  after"),
        ("what is <hunch-results> for?", "what is <hunch-results> for?"),
    ],
)
def test_clean_text_can_be_stored(raw: str, cleaned: str) -> None:
    """Half surrogate pairs, NUL, line ends and quoted results of Hunch are dealt with."""
    assert clean(raw) == cleaned
    assert clean(cleaned) == cleaned


def test_tagged_blocks_are_stripped() -> None:
    """A block goes with its tags; a tag without end is somebody writing about it."""
    assert strip_blocks("a <x>b\nc</x> d <x y='1'>e</x>", ["x"]) == "a  d "
    assert strip_blocks("the <x> tag", ["x"]) == "the <x> tag"


@pytest.mark.parametrize(
    ("name", "arguments", "line"),
    [
        ("Read", {"file_path": "a.py", "limit": 3}, "Read a.py"),
        ("Bash", {"command": "ls -l\nrm x", "description": "d"}, "Bash ls -l"),
        ("exec", None, "exec"),
        ("odd", {"path": 3, "content": "whole file"}, "odd"),
        ("x", {"query": "q" * 200}, "x " + "q" * 97 + "…"),
    ],
)
def test_calls_are_one_line(name: str, arguments: object, line: str) -> None:
    """A call is its name and one telling argument, never a whole file."""
    assert summarize_call(name, arguments) == line


@pytest.mark.parametrize(
    ("value", "hour"),
    [("2026-01-01T10:00:00Z", 10), ("2026-01-01T10:00:00", 10), ("2026-01-01T10:00:00.5+02:00", 8)],
)
def test_iso_times_become_utc(value: str, hour: int) -> None:
    """A time without offset is UTC."""
    moment = from_iso(value)
    assert moment
    assert (moment.hour, moment.tzinfo) == (hour, UTC)


@pytest.mark.parametrize(
    "value", [None, 3, "", "yesterday", "9999-12-31T23:59:59-23:00", True, 1e300]
)
def test_what_is_no_time_is_none(value: object) -> None:
    """Broken times never raise."""
    assert from_iso(value) is None
    assert from_milliseconds(value if value != 3 else "3") is None


def test_milliseconds_become_utc() -> None:
    """Milliseconds since 1970 keep their fraction."""
    assert from_milliseconds(1_500) == datetime(1970, 1, 1, 0, 0, 1, 500_000, tzinfo=UTC)


def _path_of(records: list[tuple[str, str]]) -> list[str]:
    """Walk a tree the plain way: latest record of an id before the child; broken links to the leaf."""
    parents: list[int] = []
    for number, (_, parent) in enumerate(records):
        known = [i for i in range(number) if records[i][0] == parent]
        parents.append(-1 if not parent else known[-1] if known else number - 1)
    path = []
    number = len(records) - 1
    while number >= 0:
        path.append(records[number][0])
        number = parents[number]
    return path[::-1]


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 12), st.integers(-1, 14)), max_size=25))
def test_the_active_path_is_that_of_a_plain_walk(links: list[tuple[int, int]]) -> None:
    """Forks, repeated ids and broken links give what a walk over a dictionary gives."""
    records = [(f"r{id_}", f"r{parent}" if parent >= 0 else "") for id_, parent in links]
    branches = Branches()
    numbers = [branches.add(id_, parent) for id_, parent in records]
    flags = branches.on_path()
    assert flags is not None
    assert [records[i][0] for i, number in enumerate(numbers) if flags[number]] == _path_of(records)


def test_a_path_to_before_the_start_is_lost() -> None:
    """Going on in the middle, a record that hangs on an earlier one asks for a full reading."""
    branches = Branches(is_whole=False)
    branches.add("a", "earlier")
    assert branches.on_path() == bytearray([0, 1])
    for parent in ("earlier", "nowhere", ""):
        branches.add("b", parent)
        assert branches.on_path() is None
    branches.add("c", "a")
    assert branches.on_path() == bytearray([0, 1, 0, 0, 0, 1])
