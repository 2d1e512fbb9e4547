"""Credentials in HTTP headers, wherever they are written: raw, in JSON, in code, after curl's `-H`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hunch.sources.redaction.base import Probe, Secret
from hunch.sources.redaction.values import is_filler, is_token

if TYPE_CHECKING:
    from collections.abc import Iterator

_SEPARATOR = r"\\?[\"'`]?\]?[ \t]{0,4}(?:=>|[:=,])[ \t]{0,4}[fbr]?\\?[\"'`]?"
# RFC 9110, section 11.6.2: a scheme and credentials.
_AUTHORIZATION = re.compile(
    rf"authorization{_SEPARATOR}(?:(basic|bearer|token|digest|apikey|api-key|negotiate|bot|hawk|ntlm|key|aws4-hmac-sha256)[ \t]{{1,4}})?"
    r"(?=([^\s\"'`\\<>]{8,4096}))"
)
_BEARER = re.compile(r"\bbearer[ \t]{1,4}(?=([a-z0-9._~+/=-]{16,4096}))")
_COOKIE = re.compile(rf"\b(?:set-)?cookie{_SEPARATOR}(?=([\w.-]{{1,64}}=[^\n\"'`\\]{{8,4096}}))")
_WHOLE_LINE = re.compile(r"[^\n\"'`\\]+")
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
        scheme, span = match[1], match.span(2)
        value = probe.text[slice(*span)]
        if scheme in ("digest", "hawk", "aws4-hmac-sha256"):
            line = _WHOLE_LINE.match(probe.text, span[0])
            if line and not is_filler(line[0]) and "=" in line[0]:
                yield Secret(*line.span(), "authorization")
        elif is_token(value) or (scheme == "basic" and _is_base64(value)):
            yield Secret(*span, "authorization")


def _is_base64(value: str) -> bool:
    """Tell whether `value` has what words lack: padding, or capitals inside."""
    return not is_filler(value) and (value.endswith("=") or value[1:].lower() != value[1:])


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
