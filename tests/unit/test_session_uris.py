"""The URIs under which conversations are opened."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hunch.session_uris import from_uri, to_uri

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)


@settings(deadline=None, max_examples=200)
@given(agent=NAMES, name=NAMES, title=st.text(st.characters(exclude_categories=["Cs"])))
def test_a_uri_leads_back(agent: str, name: str, title: str) -> None:
    """Agent and name are had back from a URI, whatever they and the title are."""
    assert from_uri(to_uri(agent, name, title)) == (agent, name)


@pytest.mark.parametrize(
    ("title", "uri"),
    [
        ("", "hunch-session:/zed/5.md"),
        ("Retries, and\n more", "hunch-session:/zed/5/Retries%2C%20and%20more.md"),
        ("a/b\\c", "hunch-session:/zed/5/a%20b%20c.md"),
        ("x" * 500, f"hunch-session:/zed/5/{'x' * 60}.md"),
    ],
)
def test_a_title_is_the_last_part(title: str, uri: str) -> None:
    """An editor calls a tab by the title; there is none where the conversation has none."""
    assert to_uri("zed", "5", title) == uri


@pytest.mark.parametrize(
    "uri",
    [
        "hunch-session:/zed",
        "hunch-session:/zed/5",
        "hunch-session://a/b/c/d.md",
        "file:///zed/5.md",
        "hunch-session://.md",
        "",
    ],
)
def test_what_names_no_conversation(uri: str) -> None:
    """Anything else leads nowhere."""
    assert from_uri(uri) is None


def test_an_empty_authority_is_the_same() -> None:
    """Editors may write the same URI with two slashes more."""
    assert from_uri("hunch-session:///zed/5/Retries.md") == ("zed", "5")
