"""Judging a file by its content: is it text, in which encoding, and did a person write it?"""

from __future__ import annotations

import codecs
import re

from hunch.languages import kind_of, language_of
from hunch.model import Kind
from hunch.sources.rules import SECRET

_LOOKED_AT = 8_192
"""Bytes at the start that must hold no NUL; git judges by as many."""
_MAX_LINE = 2_000
_MAX_SECRET_CHARS = 100_000
_MARKED = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = bytes({*range(32)} - {*b"\t\n\f\r\x1b"}) + b"\x7f"
_ASCII = bytes(range(128))
_GENERATED = re.compile(
    r"""^[ \t]*(?://|/\*|\*|\#|--|;|%|<!--|"{3}|'{3}).*
    (?:@generated\b | <auto-?generated | \b(?:auto-?)?generated\b.*\bdo\ not\ (?:edit|modify)\b
    | \bdo\ not\ (?:edit|modify)\b.*\bgenerated\b)""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_HEADER_CHARS = 2_000
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----END).){0,200}?[\w+/=]{40}",
    re.DOTALL,
)
"""With a line of the key itself: an example in a manual that leaves it out is no secret."""
_SETTINGS_LANGUAGES = frozenset({"json", "yaml", "toml", "xml", "hcl", "vim"})
"""Languages of the kind `code` that hold values rather than programs."""


def decode(content: bytes) -> str | None:
    """Decode a file, without its byte order mark; `None` when it is not text.

    Without a mark it is UTF-8, or else Windows-1252 if it reads like a Western text.
    """
    for mark, encoding in _MARKED:
        if content.startswith(mark):
            return _decode(content, encoding)
    if b"\0" in content[:_LOOKED_AT]:
        return None
    text = _decode(content, "utf-8")
    if text is None and _reads_like_western_text(content):
        return _decode(content, "cp1252") or content.decode("latin-1")
    return text


def _decode(content: bytes, encoding: str) -> str | None:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        return None


def _reads_like_western_text(content: bytes) -> bool:
    foreign = len(content.translate(None, _ASCII))
    has_controls = len(content.translate(None, _CONTROLS)) < len(content)
    return not has_controls and foreign < 0.3 * len(content)


def reason_to_skip(path: str, text: str) -> str | None:
    """Say why a file is passed over for what is in it; `None` lets it in."""
    language = language_of(path, text[:200].partition("\n")[0])
    is_code = kind_of(language) is Kind.CODE
    if (not is_code or language in _SETTINGS_LANGUAGES) and _holds_private_key(text):
        return SECRET
    if not is_code or language == "jupyter":
        return None
    if max(map(len, text.splitlines()), default=0) > _MAX_LINE:
        return f"minified: a line of more than {_MAX_LINE:,} characters"
    if _GENERATED.search(text[:_HEADER_CHARS]):
        return "generated: it says so at its top"
    return None


def _holds_private_key(text: str) -> bool:
    if len(text) > _MAX_SECRET_CHARS or "PRIVATE KEY" not in text:
        return False
    return bool(_PRIVATE_KEY.search(text))
