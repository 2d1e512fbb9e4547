"""Passwords where a user and a host are named together; both of them stay."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hunch.sources.redaction.base import Probe, Secret
from hunch.sources.redaction.values import is_filler

if TYPE_CHECKING:
    from collections.abc import Iterator

# RFC 3986, section 3.2.1. People forget to escape an @ in a password, so the last one counts.
_IN_URL = re.compile(r"://[^\s/:@\"'`<>?#]{0,128}:([^\s/\"'`<>?#]{1,256})@(?=[\w\[{$.-])")
# The data source names of Go's MySQL driver: user:password@protocol(address).
_IN_DSN = re.compile(r"(?<![\w:])\w[\w.-]{0,63}:([^\s/\"'`<>:@]{1,128})@(?:tcp|unix)\(")
# The manual of curl, option -u.
_OF_CURL = re.compile(
    r"\bcurl\b[^\n|;]{0,512}?\s(?:-u|--user|--proxy-user)[ =]?[\"']?[^\s:\"'$<]{1,64}:([^\s\"']{1,128})"
)


def find_urls(probe: Probe) -> Iterator[Secret]:
    """Find the passwords in `scheme://user:password@host`, in data source names and curl's `-u`."""
    text = probe.text
    if "@" in text:
        if "://" in text:
            yield from _passwords(_IN_URL, text)
        if "@tcp(" in text or "@unix(" in text:
            yield from _passwords(_IN_DSN, text)
    if "curl" in text and ("-u" in text or "user" in text):
        yield from _passwords(_OF_CURL, text)


def _passwords(pattern: re.Pattern[str], text: str) -> Iterator[Secret]:
    for match in pattern.finditer(text):
        if not is_filler(match[1]):
            yield Secret(*match.span(1), "password")
