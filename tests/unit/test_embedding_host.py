"""Reading `OLLAMA_HOST` as Ollama does."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hunch.config import Settings
from hunch.embedding.host import base_url, endpoint, is_loopback


@pytest.mark.parametrize(
    ("value", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("1.2.3.4", "http://1.2.3.4:11434"),
        (":1234", "http://127.0.0.1:1234"),
        ("1.2.3.4:1234", "http://1.2.3.4:1234"),
        ("example.com", "http://example.com:11434"),
        ("example.com:1234", "http://example.com:1234"),
        ("ollama.com", "https://ollama.com:443"),
        (":0", "http://127.0.0.1:0"),
        (":66000", "http://127.0.0.1:11434"),
        (":-1", "http://127.0.0.1:11434"),
        ("host:", "http://host:11434"),
        ("host:x", "http://host:11434"),
        ("[::1]", "http://[::1]:11434"),
        ("::1", "http://[::1]:11434"),
        ("[::1]:1337", "http://[::1]:1337"),
        ("[::]", "http://[::1]:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080"),
        (" 1.2.3.4 ", "http://1.2.3.4:11434"),
        ('"1.2.3.4"', "http://1.2.3.4:11434"),
        (' " 1.2.3.4 " ', "http://1.2.3.4:11434"),
        ("'1.2.3.4'", "http://1.2.3.4:11434"),
        ("http://1.2.3.4", "http://1.2.3.4:80"),
        ("http://1.2.3.4:4321/", "http://1.2.3.4:4321"),
        ("https://1.2.3.4", "https://1.2.3.4:443"),
        ("https://1.2.3.4:4321", "https://1.2.3.4:4321"),
        ("https://example.com/ollama/", "https://example.com:443/ollama"),
        ("example.com/a/b", "http://example.com:11434/a/b"),
    ],
)
def test_a_value_means_the_url_that_ollama_takes_it_for(value: str, url: str) -> None:
    """Scheme, host and port may be missing; an address to listen on becomes one to connect to."""
    assert base_url(value) == url


@settings(deadline=None, max_examples=200)
@given(st.text(alphabet="ab1:/[]. \"'-", max_size=20))
def test_any_value_gives_a_url(value: str) -> None:
    """No value of the variable raises, and none yields a URL that ends with a slash."""
    url = base_url(value)
    assert "://" in url
    assert not url.endswith("/")


def test_the_setting_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """`ollama.url` is taken first and read by the same rules; without it the variable counts."""
    monkeypatch.setenv("OLLAMA_HOST", "from-environment")
    assert endpoint(Settings()) == "http://from-environment:11434"
    assert endpoint(Settings(ollama_url="localhost:99")) == "http://localhost:99"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:1", True),
        ("http://127.9.9.9:1", True),
        ("http://localhost:1", True),
        ("http://[::1]:1", True),
        ("http://10.0.0.1:1", False),
        ("https://localhost.example.com:1", False),
    ],
)
def test_loopback_addresses_are_known(url: str, expected: bool) -> None:
    """Only names and addresses of this machine count as loopback."""
    assert is_loopback(url) is expected
