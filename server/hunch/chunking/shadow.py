"""A text as parsers like it: ASCII, one byte a character, ordinary line ends, no NUL.

Parsers count bytes, we count characters. Where every character is one byte the two are the same,
and no offset is ever converted. Names are read from the real text.
"""

from __future__ import annotations

import re

_STRANGE = re.compile("[^\x00-\x7f]+")
_MACRO_LINE = re.compile(
    rb"(?m)^[ \t]*[A-Z][A-Z0-9]*_[A-Z0-9_]*(?:\([\w, \t]*\))?[ \t]*$(?!\s*[{}|&,;+?:=.)\]-])"
)
_EXPORT_MACRO = re.compile(
    rb"(?<=class )[A-Z][A-Z0-9]*_[A-Z0-9_]*(?= [A-Za-z_])|(?<=struct )[A-Z][A-Z0-9]*_[A-Z0-9_]*(?= [A-Za-z_])"
)
_LONE_CR = re.compile(r"\r(?!\n)")


def shadow(text: str) -> bytes:
    """Return bytes that parse as `text` would, of the same length as `text`.

    A character outside ASCII becomes a letter: it stands in names, strings and comments, where one
    letter is as good as another. A byte order mark becomes an empty line.
    """
    plain = text
    if not plain.isascii():
        if plain.startswith("\ufeff"):
            plain = "\n" + plain[1:]
        plain = _STRANGE.sub(lambda match: "x" * len(match[0]), plain)
    if "\r" in plain:
        plain = _LONE_CR.sub("\n", plain)
    return plain.replace("\0", " ").encode("ascii")


def without_macros(source: bytes) -> bytes:
    """Blank what only the C preprocessor understands: macros before names or alone on a line."""
    for pattern in (_MACRO_LINE, _EXPORT_MACRO):
        source = pattern.sub(lambda match: b" " * len(match[0]), source)
    return source
