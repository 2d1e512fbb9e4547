"""What a query's words tell of what is wanted."""

from __future__ import annotations

import time

import pytest

from hunch.ranking.question import MAX_TOKENS, Question, fold


@pytest.mark.parametrize(
    ("text", "is_symbol", "symbols"),
    [
        ("retry", True, {"retry"}),
        ("send_with_retry", True, {"sendwithretry"}),
        ("sendWithRetry()", True, {"sendwithretry"}),
        ("  Client.send  ", True, {"send"}),
        ("std::vector::push_back", True, {"pushback"}),
        ("Foo#bar?", True, {"bar"}),
        ("ptr->next", True, {"next"}),
        ("$store", True, {"store"}),
        ("where is sendWithRetry defined", False, {"sendwithretry"}),
        ("what calls `Client.send`?", False, {"send"}),
        ("how does HTTPServer start", False, {"httpserver"}),
        ("the foo_bar and Baz::qux", False, {"foobar", "qux"}),
        ("where are failed requests retried", False, set()),
        ("DEC-0054", False, set()),
        ("", False, set()),
        ("...", False, set()),
        ("日本語", False, set()),
    ],
)
def test_symbols(text: str, is_symbol: bool, symbols: set[str]) -> None:
    """A bare identifier is a symbol; compound identifiers in a sentence name some."""
    question = Question(text)
    assert (question.is_symbol, question.symbols) == (is_symbol, symbols)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("where are failed requests retried", ("failed", "requests", "retried")),
        ("how is the cache used", ("cache",)),
        ("What is it?", ("What", "is", "it")),
        ("what did we decide about retries?", ("retries",)),
        ("how does it decide to retry", ("decide", "retry")),
        ("what did we say?", ("what", "did", "we", "say")),
        ("retry retry Retry", ("retry", "Retry")),
        ("", ()),
        ("😀 \0", ()),
    ],
)
def test_tokens(text: str, tokens: tuple[str, ...]) -> None:
    """Words that say nothing are left out, unless there are no others; each counts once."""
    assert Question(text).tokens == tokens


@pytest.mark.parametrize(
    ("text", "wants_talk"),
    [
        ("what did we decide about retries", True),
        ("Why did I drop the lock?", True),
        ("we agreed on a name for the branch", True),
        ("what we finally settled for the cache", True),
        ("the discussion of exit codes", True),
        ("where does it decide which adapter is used", False),
        ("how do we retry", False),
        ("who said", False),
        ("didWeRetry", False),
        ("", False),
    ],
)
def test_questions_about_what_was_said(text: str, *, wants_talk: bool) -> None:
    """A question asks for conversations when it speaks of people deciding or talking."""
    assert Question(text).wants_talk == wants_talk


def test_a_paste_is_cut() -> None:
    """Only the first words of a long query count."""
    question = Question(" ".join(f"word{n}" for n in range(1_000)))
    assert question.tokens == tuple(f"word{n}" for n in range(MAX_TOKENS))


@pytest.mark.parametrize(
    "text", ["we aa" * 3_000, "A" * 10_000, "a." * 5_000, "a" * 10_000, "Aa " * 3_000, "-" * 10_000]
)
def test_long_queries_take_no_time(text: str) -> None:
    """Whatever ten thousand characters are, they are understood in a moment."""
    question = Question(text)
    started = time.perf_counter()
    assert question.symbols is not None
    assert not question.wants_talk
    assert question.tokens is not None
    assert question.wants_tests is False
    assert time.perf_counter() - started < 0.2


@pytest.mark.parametrize(
    ("text", "tests", "examples"),
    [
        ("tests of the parser", True, False),
        ("pytest fixture for the client", True, False),
        ("mocks", True, False),
        ("the latest contest", False, False),
        ("an example of use", False, True),
        ("benchmark of the scan", False, True),
        ("retry", False, False),
    ],
)
def test_wishes(text: str, tests: bool, examples: bool) -> None:
    """Whole words say that tests or examples are wanted."""
    question = Question(text)
    assert (question.wants_tests, question.wants_examples) == (tests, examples)


def test_spellings_of_a_name_fold_to_one() -> None:
    """Case and separators do not tell names apart."""
    assert {fold(name) for name in ("sendWithRetry", "send_with_retry", "SEND-WITH.RETRY")} == {
        "sendwithretry"
    }
