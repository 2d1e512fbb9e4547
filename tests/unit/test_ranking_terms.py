"""Terms: which spellings find each other, and how they are counted."""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hunch.ranking.terms import Terms, count_terms, term_id

terms = Terms()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("send", ["send"]),
        ("sendWithRetry", ["send", "with", "retri", "sendwithretry"]),
        ("send_with_retry", ["send", "with", "retri", "sendwithretry"]),
        ("SendWithRetry", ["send", "with", "retri", "sendwithretry"]),
        ("SEND_WITH_RETRY", ["send", "with", "retri", "sendwithretry"]),
        ("send-with-retry", ["send", "with", "retri"]),
        ("HTTPServer", ["http", "server", "httpserver"]),
        ("parseHTTP2Frame", ["pars", "http", "2", "frame", "parsehttp2frame"]),
        ("__init__", ["init"]),
        ("_", []),
        ("Retries retried retry", ["retri", "retri", "retri"]),
        ("42", ["42"]),
        ("DEC-0054", ["dec", "0054"]),
        ("a.b", ["a", "b"]),
        ("utf8", ["utf", "8", "utf8"]),
        ("x1y2", ["x", "1", "y", "2", "x1y2"]),
        ("日本語", ["日本", "本語"]),
        ("語", ["語"]),
        ("ひらがな", ["ひら", "らが", "がな"]),
        ("get日本Value", ["get", "日本", "valu"]),
        ("한국어", ["한국어"]),
        ("Größe", ["grösse"]),
        ("ＦＵＬＬ", ["full"]),
        ("Привет", ["привет"]),
        ("😀", []),
        ("→ … ©", []),
        ("\ud800", []),
        ("\0", []),
        ("a\0b", ["a", "b"]),
        ("0a1b2c3d4e5f6a7b", ["0a1b2c3d4e5f6a7b"]),
        ("x" * 100, ["x" * 64]),
        ("1f" * 100, []),
    ],
)
def test_words_of_a_text(text: str, words: list[str]) -> None:
    """An identifier gives its stemmed words and itself; spaceless scripts give pairs."""
    assert terms.words(text) == words
    assert terms.of(text) == [term_id(word) for word in words]


@pytest.mark.parametrize(
    "text", ["A" * 10_000, "aB" * 5_000, "日" * 10_000, "é" * 10_000, "_" * 10_000]
)
def test_long_tokens_take_no_time(text: str) -> None:
    """One token of ten thousand characters is done in a moment."""
    started = time.perf_counter()
    terms.of(text)
    assert time.perf_counter() - started < 0.5


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=60))
def test_any_text_has_terms_of_63_bits(text: str) -> None:
    """Nothing raises, the same text always has the same terms, and they fit SQLite's integers."""
    found = terms.of(text)
    assert found == terms.of(text) == Terms().of(text)
    assert all(0 <= term < 1 << 63 for term in found)


def test_the_hash_of_a_term_never_changes() -> None:
    """Term ids are stored, so they are part of the format."""
    assert term_id("retri") == 8031023457698775732


def test_threads_may_share_terms() -> None:
    """Words learned in many threads at once are the words learned in one."""
    texts = [f"someName{n} other_name{n}" for n in range(300)]
    shared = Terms()
    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(shared.of, texts * 4)] == [Terms().of(text) for text in texts] * 4


def test_letters_and_marks_may_be_apart() -> None:
    """A letter followed by its mark, as macOS writes file names, is the letter that has it."""
    assert Terms().of("cafe\u0301 re\u0301sume\u0301") == Terms().of("caf\u00e9 r\u00e9sum\u00e9")


def test_words_of_a_name_are_a_set() -> None:
    """Each word of a name counts once."""
    assert terms.words_of_name("retry_RetryPolicy") >= {"retri", "polici"}


fields = st.lists(st.integers(0, 5), max_size=6)


@settings(deadline=None, max_examples=150)
@given(st.lists(st.tuples(fields, fields, fields), max_size=6))
def test_terms_are_counted_like_a_counter_counts(chunks: list[tuple[list[int], ...]]) -> None:
    """Postings are sorted by term and chunk, hold every occurrence, and lengths are field sizes."""
    counts, lengths = count_terms(chunks)
    expected: dict[int, dict[int, list[int]]] = {}
    for number, chunk in enumerate(chunks):
        for at, field in enumerate(chunk):
            for term, count in Counter(field).items():
                expected.setdefault(term, {}).setdefault(number, [0, 0, 0])[at] = count
    assert counts.terms.tolist() == sorted(expected)
    assert counts.offsets[0] == 0
    for i, term in enumerate(counts.terms.tolist()):
        rows = slice(counts.offsets[i], counts.offsets[i + 1])
        found = dict(zip(counts.chunks[rows].tolist(), counts.counts[rows].tolist(), strict=True))
        assert list(found) == sorted(found)
        assert found == expected[term]
    assert lengths.tolist() == [[len(field) for field in chunk] for chunk in chunks]


def test_counts_and_lengths_stop_at_what_they_can_hold() -> None:
    """More than 255 of a term, and more than 65,535 terms, are cut and not wrapped around."""
    counts, lengths = count_terms([([7] * 70_000, [7] * 256, [7] * 255)])
    assert counts.counts.tolist() == [[255, 255, 255]]
    assert lengths.tolist() == [[65_535, 256, 255]]
    assert counts.counts.dtype == np.uint8
    assert lengths.dtype == np.uint16
