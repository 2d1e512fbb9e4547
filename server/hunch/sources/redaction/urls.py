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
# The manual of curl, option -u; the command is looked for in front of it.
_OF_CURL = re.compile(
    r"(?<=\s)(?:-u|--user|--proxy-user)[ =]?[\"']?[^\s:\"'$<]{1,64}:([^\s\"']{1,128})"
)
_COMMAND_LENGTH = 512
_SHORTEST = 3


def find_urls(probe: Probe) -> Iterator[Secret]:
    """Find the passwords in `scheme://user:password@host`, in data source names and curl's `-u`."""
    text = probe.text
    if "@" in text:
        if "://" in text:
            yield from _passwords(_IN_URL, text)
        if "@tcp(" in text or "@unix(" in text:
            yield from _passwords(_IN_DSN, text)
    if "curl" in text:
        yield from _passwords_of_curl(text)


def _passwords(pattern: re.Pattern[str], text: str) -> Iterator[Secret]:
    for match in pattern.finditer(text):
        if len(match[1]) >= _SHORTEST and not is_filler(match[1]):
            yield Secret(*match.span(1), "password")


def _passwords_of_curl(text: str) -> Iterator[Secret]:
    for match in _OF_CURL.finditer(text):
        start = match.start()
        is_command = text.rfind("curl", max(0, start - _COMMAND_LENGTH), start) >= 0
        if is_command and not is_filler(match[1]):
            yield Secret(*match.span(1), "password")
