"""Each signal by itself, and the order that all of them make."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hunch.model import Definition, SymbolKind
from hunch.ranking import signals
from hunch.ranking.candidates import Candidate
from hunch.ranking.fusion import rank
from hunch.ranking.question import Question
from hunch.ranking.terms import Terms

terms = Terms()
PLAIN = Candidate(
    document=0,
    text_id=0,
    path="src/thing.py",
    is_prose=False,
    title="",
    definitions=(),
    keyword=1.0,
    semantic=0.0,
)


def defining(*names: str) -> tuple[Definition, ...]:
    """Make definitions of some names."""
    return tuple(Definition(name, SymbolKind.FUNCTION, 0, name) for name in names)


def candidates(*changes: dict[str, Any]) -> list[Candidate]:
    """Make candidates of different files and texts that differ from a plain one as given."""
    return [
        replace(PLAIN, **{"document": n, "text_id": n, **change})
        for n, change in enumerate(changes)
    ]


def order(query: str, *changes: dict[str, Any]) -> list[int]:
    """Rank candidates and return their numbers, best first."""
    return [ranked.index for ranked in rank(Question(query), candidates(*changes), terms)]


@pytest.mark.parametrize(
    ("query", "names", "factor"),
    [
        ("send_with_retry", ("sendWithRetry",), signals.DEFINES),
        ("send_with_retry", ("Client", "send_with_retry"), signals.DEFINES_INSIDE),
        ("where is send_with_retry", ("send_with_retry",), signals.DEFINES_NAMED),
        ("where is send_with_retry", ("x", "send_with_retry"), signals.DEFINES_NAMED_INSIDE),
        ("where is retry", ("retry",), 1.0),
        ("send_with_retry", ("send",), 1.0),
        ("send_with_retry", (), 1.0),
    ],
)
def test_a_definition_of_what_is_asked(query: str, names: tuple[str, ...], factor: float) -> None:
    """A chunk that defines the symbol gains, most when it is the whole query."""
    candidate = replace(PLAIN, definitions=defining(*names))
    assert signals.definition(Question(query), candidate) == factor


@pytest.mark.parametrize(
    ("query", "path", "factor"),
    [
        ("retry", "src/retry.py", 1.0),
        ("retry", "tests/x.py", signals.TEST),
        ("retry", "src/test_retry.py", signals.TEST),
        ("retry", "src/retry.spec.ts", signals.TEST),
        ("retry", "src/RetryTest.java", signals.TEST),
        ("retry", "src/contest/latest.py", 1.0),
        ("retry", "src/attestation.py", 1.0),
        ("tests of retry", "tests/x.py", 1.0),
        ("retry", "examples/x.py", signals.SIDELINE),
        ("retry", "vendor/x.js", signals.SIDELINE),
        ("retry", "src/api_pb2.py", signals.SIDELINE),
        ("retry", "src/lib.min.js", signals.SIDELINE),
        ("example of retry", "examples/x.py", 1.0),
        ("retry", "examples/tests/x.py", signals.TEST * signals.SIDELINE),
    ],
)
def test_tests_and_sidelines_stand_aside(query: str, path: str, factor: float) -> None:
    """Tests, examples, copies and generated files are held back unless they are asked for."""
    assert signals.aside(Question(query), replace(PLAIN, path=path)) == factor


def test_names_count_by_the_share_of_the_query() -> None:
    """Words in the stem tell most, then the title, then the folder; none tells nothing."""
    none = frozenset[str]()
    words = frozenset({"retry", "request"})
    stem = signals.names(words, frozenset({"retry"}), none, none)
    title = signals.names(words, none, none, frozenset({"retry"}))
    folder = signals.names(words, none, frozenset({"retry"}), none)
    assert stem > title > folder > 1.0
    assert signals.names(words, words, none, none) > stem
    assert signals.names(words, none, none, none) == 1.0
    assert signals.names(none, words, words, words) == 1.0


def test_prose_and_preambles_stand_back_where_they_should() -> None:
    """Documents stand behind code in questions about code, imports where code is compared."""
    prose, header = replace(PLAIN, is_prose=True), replace(PLAIN, title=signals.PREAMBLE_TITLE)
    assert signals.prose(Question("retry requests"), prose) < 1
    assert signals.prose(Question("the guide to retries"), prose) == 1
    assert signals.preamble(Question(""), header) < 1
    assert signals.preamble(Question("imports"), header) == 1


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("find it", {"keyword": 2.0}, {}),
        ("find it", {"semantic": 0.9}, {"semantic": 0.1}),
        ("retry", {"definitions": defining("retry")}, {"keyword": 1.4}),
        ("retry requests", {"path": "src/retry.py"}, {}),
        ("retry", {}, {"path": "tests/x.py"}),
    ],
)
def test_one_reason_decides_between_equals(
    query: str, better: dict[str, Any], worse: dict[str, Any]
) -> None:
    """Whatever stands first in the list, the one with the reason comes first in the ranking."""
    assert order(query, better, worse) == [0, 1]
    assert order(query, worse, better) == [1, 0]


def test_equal_candidates_keep_their_order() -> None:
    """Ties are broken by the order in which candidates came."""
    assert order("anything", *[{}] * 10) == [*range(10)]


def test_a_file_does_not_fill_the_list() -> None:
    """Of two files with chunks of about the same worth, both are among the first."""
    changes = [{"document": 0, "keyword": 10.0 - n / 10} for n in range(8)]
    ranked = order("anything", *changes, {"document": 1, "keyword": 6.0})
    assert ranked.index(8) <= 2


def test_the_rest_of_a_file_speaks_for_its_best_chunk() -> None:
    """A file with several good chunks comes before one with a single one of equal worth."""
    assert order("anything", {"document": 0}, {"document": 1}, {"document": 1})[0] == 1


def test_copies_collapse_to_the_best() -> None:
    """Of chunks of one text only the best is kept, and it says how many there were."""
    found = rank(
        Question("retry"),
        candidates(
            {"text_id": 7, "path": "vendor/x.py"},
            {"text_id": 7, "path": "src/x.py"},
            {"text_id": 7, "path": "tests/x.py"},
            {"text_id": 8, "keyword": 0.1},
        ),
        terms,
    )
    assert [ranked.index for ranked in found] == [1, 3]
    assert found[0].signals["copies"] == 2
    assert "copies" not in found[1].signals


def test_signals_are_absent_when_they_say_nothing() -> None:
    """A hit tells why it is here, and nothing else."""
    [only] = rank(Question("find it"), candidates({"semantic": 0.5, "keyword": 0.0}), terms)
    assert only.signals == {"semantic": 0.5}
    [only] = rank(Question("thing"), candidates({"path": "tests/thing.py"}), terms)
    assert set(only.signals) == {"keyword", "name", "aside"}
    assert rank(Question("x"), [], terms) == []


TALK = {"age_days": 1e6}


def test_the_first_line_of_a_turn_counts_as_text_only() -> None:
    """A question's first line names nothing, however many of the query's words it has."""
    assert order("retry", {**TALK}, {**TALK, "title": "retry"}) == [0, 1]
    [turn] = rank(Question("retry"), candidates({**TALK, "title": "retry"}), terms)
    assert "name" not in turn.signals


@pytest.mark.parametrize(("one", "first"), [({}, 1), (TALK, 0)])
def test_words_count_for_more_in_conversations(one: dict[str, Any], first: int) -> None:
    """Where words and meaning disagree, meaning decides among files and words among turns."""
    said = {"keyword": 1.0, "semantic": 0.1, **one}
    meant = {"keyword": 0.2, "semantic": 0.9, **one}
    far = {"keyword": 0.0, "semantic": 0.0, **one}
    assert order("where to retry", said, meant, far)[0] == first


def test_a_question_about_what_was_said_favours_conversations() -> None:
    """Asked what was decided, a turn comes before a file of equal worth and with a fitting name."""
    file, turn = {"path": "src/retry_requests.py", "keyword": 0.9}, {**TALK, "keyword": 2.0}
    assert order("retry requests", file, turn) == [0, 1]
    assert order("what did we decide about the requests", file, turn) == [1, 0]


@pytest.mark.parametrize("retriever", ["keyword", "semantic"])
def test_turns_and_files_are_equals_when_one_retriever_is_asked(retriever: str) -> None:
    """Neither kind has an advantage by how much words and meaning weigh in it."""
    changes = [{"keyword": 0.0, retriever: 0.5 + n / 10} for n in (3, 2, 1, 0)]
    for n in (0, 1):
        kinds = [{**change, **(TALK if i % 2 == n else {})} for i, change in enumerate(changes)]
        assert order("where to retry", *kinds, {"keyword": 0.0}) == [0, 1, 2, 3, 4]


some = st.builds(
    lambda document, text_id, path, names, keyword, semantic: replace(
        PLAIN,
        document=document,
        text_id=text_id,
        path=path,
        definitions=defining(*names),
        keyword=keyword,
        semantic=semantic,
    ),
    st.integers(0, 3),
    st.integers(0, 9),
    st.sampled_from(["src/retry.py", "tests/x.py", "vendor/y.js", "README.md"]),
    st.lists(st.sampled_from(["retry", "send"]), max_size=2),
    st.floats(0, 50),
    st.floats(-1, 1),
)


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(["retry", "where to retry", "", "zz"]), st.lists(some, max_size=12))
def test_any_ranking_is_sorted_bounded_and_repeatable(query: str, found: list[Candidate]) -> None:
    """Scores fall, lie in 0..1, each text is there once, and the same input gives the same output."""
    ranked = rank(Question(query), found, terms)
    scores = [r.score for r in ranked]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert sorted(found[r.index].text_id for r in ranked) == sorted({c.text_id for c in found})
    assert ranked == rank(Question(query), found, terms)
