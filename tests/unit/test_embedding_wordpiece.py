"""Cutting text into the built-in embedder's tokens."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hunch.embedding.wordpiece import MAX_WORDS, Tokenizer

VOCABULARY = ["http", "server", "get", "retry", "##ing", "re", "##s", "u", "##t", "429", "4"]

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_RUN = re.compile(r"[A-Za-z]+|[0-9]+")


def tokens(text: str) -> list[str]:
    """Name the tokens that `text` is cut into."""
    return [VOCABULARY[number] for number in Tokenizer(VOCABULARY).ids(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("retry", ["retry"]),
        ("RETRY", ["retry"]),
        ("HTTPServer", ["http", "server"]),
        ("get_http2server", ["get", "http", "server"]),
        ("retrying retrys", ["retry", "##ing", "retry", "##s"]),
        ("retrything", ["retry", "##t", "##ing"]),
        ("429 == 42", ["429", "4"]),
        ("日本語 — é", []),
        ("zzz", []),
    ],
)
def test_text_is_cut_into_words_and_words_into_pieces(text: str, expected: list[str]) -> None:
    """Words split at camelCase, lose their case, and fall into the longest known pieces."""
    assert tokens(text) == expected


@settings(deadline=None, max_examples=200)
@given(st.text(alphabet="aAbBzZ09_ .é", max_size=60))
def test_one_pattern_splits_as_camel_case_rules_do(text: str) -> None:
    """The single pattern finds the words that splitting at camelCase first would find."""
    vocabulary = sorted({word.lower() for word in _RUN.findall(_CAMEL.sub(" ", text))})
    found = [vocabulary[number] for number in Tokenizer(vocabulary).ids(text)]
    assert found == [word.lower() for word in _RUN.findall(_CAMEL.sub(" ", text))]


def test_only_the_first_words_count() -> None:
    """Words past the limit change nothing."""
    assert tokens("get " * (MAX_WORDS + 50)) == ["get"] * MAX_WORDS


def test_a_word_of_a_million_letters_is_cut() -> None:
    """An endless word yields as many tokens as a long one."""
    assert tokens("retry" + "ing" * 300_000) == ["retry"] + ["##ing"] * 19
