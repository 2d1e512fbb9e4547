"""Credentials in HTTP headers, wherever they are written: raw, in JSON, in code, after curl's `-H`."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING

from hunch.sources.redaction.base import Probe, Secret
from hunch.sources.redaction.values import is_filler, is_token

if TYPE_CHECKING:
    from collections.abc import Iterator

_SEPARATOR = r"\\?[\"'`]?\]?[ \t]{0,4}(?:=>|[:=,])[ \t]{0,4}[fbr]?\\?[\"'`]?"
# RFC 9110, section 11.6.2: a scheme and credentials, or a scheme and parameters.
_AUTHORIZATION = re.compile(
    rf"authorization{_SEPARATOR}(?:(?:digest|hawk|aws4-hmac-sha256)[ \t]{{1,4}}([^\n\"'`\\]{{8,4096}})"
    r"|(?:(basic|bearer|token|apikey|api-key|negotiate|bot|ntlm|key)[ \t]{1,4})?([^\s\"'`\\<>]{8,4096}))"
)
_BEARER = re.compile(r"\bbearer[ \t]{1,4}([a-z0-9._~+/=-]{16,4096})")
_COOKIE = re.compile(rf"\b(?:set-)?cookie{_SEPARATOR}([\w.-]{{1,64}}=[^\n\"'`\\]{{8,4096}})")
_COOKIE_VALUE = re.compile(r"=([^\s;,\"']{8,})")
_WORDS = ("authorization", "bearer", "cookie")


def find_headers(probe: Probe) -> Iterator[Secret]:
    """Find what follows `Authorization`, `Proxy-Authorization`, `Cookie` and `Set-Cookie`.

    Headers named for a key or a token, such as `X-Api-Key`, are assignments.
    """
    if not any(word in probe.lower for word in _WORDS):
        return
    yield from _authorizations(probe)
    yield from _bearers(probe)
    yield from _cookies(probe)


def _authorizations(probe: Probe) -> Iterator[Secret]:
    for match in _AUTHORIZATION.finditer(probe.lower):
        start, end = match.span(1) if match[1] else match.span(3)
        value = probe.text[start:end]
        if match[1]:
            is_real = "=" in value and not is_filler(value)
        else:
            is_real = _is_basic(value) if match[2] == "basic" else is_token(value)
        if is_real:
            yield Secret(start, end, "authorization")


def _is_basic(value: str) -> bool:
    """Tell whether `value` is a user and a password, in base64 (RFC 7617)."""
    try:
        pair = base64.b64decode(value, validate=True).decode("utf-8", "replace")
    except ValueError:
        return False
    return ":" in pair and not is_filler(pair.partition(":")[2])


def _bearers(probe: Probe) -> Iterator[Secret]:
    for match in _BEARER.finditer(probe.lower):
        if is_token(probe.text[slice(*match.span(1))]):
            yield Secret(*match.span(1), "authorization")


def _cookies(probe: Probe) -> Iterator[Secret]:
    for match in _COOKIE.finditer(probe.lower):
        start, end = match.span(1)
        value = probe.text[start:end]
        if any(is_token(each[1]) for each in _COOKIE_VALUE.finditer(value)):
            yield Secret(start, end, "cookie")
