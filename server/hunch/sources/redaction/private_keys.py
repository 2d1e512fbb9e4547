"""Private keys: whole ones, those of which a part was pasted, and those inside a JSON string.

The armour is that of RFC 7468 (PEM), RFC 4880 section 6.2 (OpenPGP) and OpenSSH's PROTOCOL.key.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hunch.sources.redaction.base import Probe, Secret

if TYPE_CHECKING:
    from collections.abc import Iterator

_KIND = "private key"
_NAME = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?"
_BEGIN = re.compile(rf"(?:-{{4,5}}|\b)BEGIN {_NAME}-{{3,5}}|PuTTY-User-Key-File-[23]:[^\n]{{0,80}}")
_END = re.compile(rf"-{{3,5}}END {_NAME}(?:-{{4,5}}|\b)")
# Quotes of mails, diffs and code stand between the lines of a pasted key; so do escaped line ends.
# Quantifiers are possessive: what has been read is not read again in another way.
_BETWEEN = r"(?:\\[rn]|[\s>|#\"',;\\]|\+(?=[\s\"]))"
_HEADER = (
    rf"(?:{_BETWEEN}*+(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|Encryption|Public-Lines)"
    r": [^\n\\]{0,200}+)"
)
_LINE = r"[A-Za-z0-9+/]{16,}+={0,2}+"
# A short last line is told from the prose that follows by its padding or its digits; OpenPGP ends
# with a checksum.
_LAST = (
    rf"(?:{_BETWEEN}{{1,8}}+(?:[A-Za-z0-9+/]{{1,72}}={{1,2}}"
    r"|(?=[A-Za-z+/]{0,15}[0-9+/])[A-Za-z0-9+/]{4,72}(?![\w:])))?+"
    rf"(?:{_BETWEEN}{{1,8}}+=[A-Za-z0-9+/]{{4}}(?!\w))?+"
)
_BODY = re.compile(
    rf"{_HEADER}{{0,8}}+(?:{_BETWEEN}{{0,40}}+{_LINE})++{_LAST}(?:{_BETWEEN}{{0,40}}+{_END.pattern})?+"
)
# The DER of RFC 5208, RFC 8017 and RFC 5915 begins alike in every key, and so does OpenSSH's magic.
_NAKED = re.compile(
    r"(?<![A-Za-z0-9+/])(?:MII[A-Za-z0-9+/]{2}[AQgw]IBA[A-Za-z0-9+/]{20,}|MHcCAQEEI[A-Za-z0-9+/]{20,}"
    r"|MI[GH][A-Za-z0-9+/]AgEAMBMGByqGSM49|MC4CAQAwBQYDK2Vw|b3BlbnNzaC1rZXktdjE)"
)
_TAIL = re.compile(rf"[A-Za-z0-9+/]*+={{0,2}}+(?:{_BETWEEN}{{1,40}}+{_LINE})*+{_LAST}")
_NAKED_LITERALS = ("IBA", "MHcCAQEEI", "MBMGByqGSM49", "MC4CAQAwBQYDK2Vw", "b3BlbnNzaC1rZXktdjE")
_BASE64_LINE = re.compile(
    r"(?:[\s>|#\"',;]|\+(?=[\s\"]))*+[A-Za-z0-9+/]{1,100}+={0,2}+(?:\\[rn])?+[\s\"',;+]*+\Z"
)


def find_private_keys(probe: Probe) -> Iterator[Secret]:
    """Find private keys by their first line, by their last line, or by how their content begins."""
    text = probe.text
    if "PRIVATE KEY" in text or "PuTTY-User-Key" in text:
        yield from _with_a_first_line(text)
        yield from _with_a_last_line(text)
    if any(literal in text for literal in _NAKED_LITERALS):
        for match in _NAKED.finditer(text):
            end = _TAIL.match(text, match.end())
            yield Secret(match.start(), end.end() if end else match.end(), _KIND)


def _with_a_first_line(text: str) -> Iterator[Secret]:
    for begin in _BEGIN.finditer(text):
        body = _BODY.match(text, begin.end())
        if body:
            yield Secret(begin.start(), body.end(), _KIND)


def _with_a_last_line(text: str) -> Iterator[Secret]:
    done = 0
    for end in _END.finditer(text):
        lines = text[done : end.start()].splitlines(keepends=True)
        start = end.start()
        while lines and (_BASE64_LINE.match(lines[-1]) or not lines[-1].strip()):
            start -= len(lines.pop())
        # The last line of a key may be short; a single short one is a word.
        if len(text[start : end.start()].strip()) >= 32:
            yield Secret(start, end.end(), _KIND)
        done = end.end()
