"""What is known about Ollama's embedding models."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hunch.embedding.models import Profile, cut_to_tokens, full_name, profile_of


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("nomic-embed-text", "nomic-embed-text:latest"),
        ("nomic-embed-text:v1.5", "nomic-embed-text:v1.5"),
        (" bge-m3 ", "bge-m3:latest"),
        ("localhost:5000/me/model", "localhost:5000/me/model:latest"),
        ("hf.co/me/model:Q8_0", "hf.co/me/model:Q8_0"),
    ],
)
def test_a_name_without_a_tag_means_the_latest(model: str, expected: str) -> None:
    """Only a colon in the last part of the name starts a tag."""
    assert full_name(model) == expected


@pytest.mark.parametrize(
    ("model", "document", "query"),
    [
        ("nomic-embed-text", "search_document: ", "search_query: "),
        ("hf.co/nomic-ai/Nomic-Embed-Text-v1.5-GGUF:Q8_0", "search_document: ", "search_query: "),
        ("snowflake-arctic-embed2:568m", "", "query: "),
        ("bge-m3:latest", "", ""),
        ("all-minilm:33m", "", ""),
        ("embeddinggemma", "title: none | text: ", "task: search result | query: "),
        ("never-heard-of", "", ""),
    ],
)
def test_prefixes_follow_the_family(model: str, document: str, query: str) -> None:
    """A registry, an owner, a version and a tag do not hide a family; unknown ones get nothing."""
    profile = profile_of(model)
    assert (profile.document_prefix, profile.query_prefix) == (document, query)


def test_the_longest_family_name_wins() -> None:
    """The second version of a family is not taken for the first."""
    assert profile_of("nomic-embed-text-v2-moe").max_tokens == 512
    assert profile_of("nomic-embed-text:v1.5").max_tokens == 2_048
    assert profile_of("never-heard-of") == Profile()


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("short", 5, "short"),
        ("abcd efgh ijkl", 2, "abcd efgh "),
        ("abcdefgh", 1, "abcd"),
        ("{{{{{{", 3, "{{{"),
        ("     x     ", 3, "     x     "),
        ("123456", 2, "1234"),
        ("日本語です", 2, "日本"),
    ],
)
def test_text_is_cut_at_an_estimated_token(text: str, limit: int, expected: str) -> None:
    """Four letters, two digits or one other sign make a token; blanks make none."""
    assert cut_to_tokens(text, limit) == expected


@settings(deadline=None, max_examples=100)
@given(st.text(), st.integers(0, 50))
def test_cutting_keeps_a_beginning(text: str, limit: int) -> None:
    """What is left is a prefix, and cutting again changes nothing."""
    cut = cut_to_tokens(text, limit)
    assert text.startswith(cut)
    assert cut_to_tokens(cut, limit) == cut
