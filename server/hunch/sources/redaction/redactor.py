"""The door of redaction: finds the secrets of every family and writes placeholders over them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hunch.errors import InvalidSetting
from hunch.sources.redaction.assignments import find_assignments
from hunch.sources.redaction.base import PLACEHOLDER, Probe, Secret
from hunch.sources.redaction.headers import find_headers
from hunch.sources.redaction.private_keys import find_private_keys
from hunch.sources.redaction.tokens import find_tokens
from hunch.sources.redaction.urls import find_urls

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FINDERS = (find_private_keys, find_tokens, find_urls, find_headers, find_assignments)
"""Where two find the same place, the first one names it."""
_ROUNDS = 8
"""How often a text is looked at while a placeholder makes something else beside it a match."""
_MARKER = "hunch: do not index"


def is_excluded(text: str) -> bool:
    """Tell whether a line of `text` is the marker that keeps its session out of the index."""
    return _MARKER in text and any(_is_marker(line) for line in text.splitlines())


def _is_marker(line: str) -> bool:
    # It may stand in a comment, a quote or a list of the language at hand.
    return line.strip(" \t<>!-/*#`'\"_;%.") == _MARKER


class Redactor:
    """Replaces secrets by `[redacted: kind]`; safe to use from several threads at once."""

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        """Take further regular expressions, whose whole matches are redacted as `custom`.

        Raises:
            InvalidSetting: one of `patterns` is no regular expression; names its index.
        """
        self._custom = [_compiled(index, pattern) for index, pattern in enumerate(patterns)]

    def redact(self, text: str) -> str:
        """Return `text` without its secrets; doing it again changes nothing."""
        for _ in range(_ROUNDS):
            secrets = list(_outside_placeholders(text, self._found(text)))
            if not secrets:
                break
            text = _written_over(text, secrets)
        return text

    def _found(self, text: str) -> list[Secret]:
        probe = Probe(text)
        found = [secret for find in _FINDERS for secret in find(probe)]
        for pattern in self._custom:
            found += (Secret(*match.span(), "custom") for match in pattern.finditer(text))
        return _merged(found)


def _compiled(index: int, pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        key = f"conversations.redact[{index}]"
        raise InvalidSetting(key, f"is not a regular expression: {error.msg}") from None


def _merged(found: list[Secret]) -> list[Secret]:
    """Join what overlaps; the rule that comes first in `found` gives the name."""
    merged: list[tuple[int, Secret]] = []
    for order, secret in sorted(enumerate(found), key=lambda each: each[1].start):
        if merged and secret.start < merged[-1][1].end:
            best, last = merged[-1]
            kind = last.kind if best < order else secret.kind
            end = max(last.end, secret.end)
            merged[-1] = (min(best, order), Secret(last.start, end, kind))
        elif secret.start < secret.end:
            merged.append((order, secret))
    return [secret for _, secret in merged]


def _outside_placeholders(text: str, secrets: list[Secret]) -> Iterator[Secret]:
    """Cut what is already a placeholder out of `secrets`, which are in order."""
    if "[redacted: " not in text:
        yield from secrets
        return
    for start, end, kind in secrets:
        # A placeholder may begin before the secret, but not further than its own length.
        at = start
        for match in PLACEHOLDER.finditer(text, max(0, start - 48), min(len(text), end + 48)):
            if match.end() > at and match.start() < end:
                if at < match.start():
                    yield Secret(at, match.start(), kind)
                at = match.end()
        if at < end:
            yield Secret(at, end, kind)


def _written_over(text: str, secrets: list[Secret]) -> str:
    parts: list[str] = []
    at = 0
    for start, end, kind in secrets:
        parts += (text[at:start], f"[redacted: {kind}]")
        at = end
    return "".join((*parts, text[at:]))
