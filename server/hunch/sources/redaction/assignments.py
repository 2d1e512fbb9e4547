"""Literal values of names that say secret, token, password, key or credential.

Files of settings, JSON, YAML, code, command lines and connection strings all write a name, a sign and
a value. The name decides what the value has to look like; a reference or a call is no literal.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hunch.sources.redaction.base import Probe, Secret
from hunch.sources.redaction.values import is_filler, is_identifier, is_password, is_token

if TYPE_CHECKING:
    from collections.abc import Iterator

_CANDIDATE = re.compile(
    r"(passw(?:or)?d|passwd|passphrase|passwort|pwd|secret|token|credential|key)([\w.-]{0,32})"
    r"(?:(\\?[\"'`*]{1,3}\]?)?[ \t]{0,8}(:=|=>|==|[:=]|,(?=[ \t]?\\?[\"']))\*{0,2}[ \t]{0,8}|[ \t]{1,2}(?=\S)|(>))"
)
_LITERALS = ("passw", "passphrase", "pwd", "secret", "token", "credential", "key")
_BEFORE = re.compile(r"[\w.-]{0,48}\Z")
_QUOTED = re.compile(r"[fbruFBRU]?(\\?)([\"'`])((?:(?!\1\2)[^\n]){1,512})")
# What ends a value without quotes: more after an equals sign, which stands in queries and in code.
_AFTER_EQUALS = re.compile(r"[^\s\"'`<>,;(){}\[\]|&\\]{1,512}")
_AFTER_COLON = re.compile(r"[^\s\"'`<>\\]{1,512}")
_IN_ENVIRONMENT = re.compile(r"[^\s\"'`\\]{1,512}")
_KEYS = re.compile(
    r"(?:api|access|secret|private|auth|authorization|signing|sign|encryption|encrypt|master|service"
    r"|account|client|app|application|hmac|webhook|license|storage|admin|deploy|consumer|jwt|session"
    r"|cookie|root|shared|host|org|project|user|subscription|function|security|server|ingest|write"
    r"|read|x)(?:access)?[_.-]?\Z"
)
_NOT_SECRET = re.compile(
    r"(?:public|primary|foreign|cache|sort|partition|idempotency|hot|page|next|continuation|sync"
    r"|cancellation|cancel|eos|bos|pad|unk|mask|sep|special|cls|stop|lex|syntax|start|end|prev(?:ious)?"
    r"|tokenizer.*|parse|current|first|last|design|color|num|max|min|total|publishable|anon|site|key)[s_.-]{0,2}\Z"
)
_OTHER_SUFFIX = re.compile(
    r"s?[_.-]?(?:type|url|uri|count|limit|name|id|ids|path|file|field|header|hash|length|len|size|ttl"
    r"|expir\w*|policy|usage|index|budget|prefix|suffix|format|alg\w*|ring|word|words|board|down|up"
    r"|code|codes|press|stroke|frame\w*|space|map|mapping|error|label|hint|min|max|version|store"
    r"|endpoint|scope|scopes|manager|provider|ref|param|parameter|regex|pattern|vault"
    r"|embd.*|embedding|weight|score|bias|method|gain|stream|kind|text|title|help|input|info|env|var|arn)s?\Z"
)


def find_assignments(probe: Probe) -> Iterator[Secret]:
    """Find the literal values of names that are said to be secret."""
    lower = probe.lower
    if not any(literal in lower for literal in _LITERALS):
        return
    for match in _CANDIDATE.finditer(lower):
        secret = _value(probe.text, lower, match)
        if secret:
            yield secret


def _value(text: str, lower: str, match: re.Match[str]) -> Secret | None:
    """Return the span of the value that `match`, a name and a sign, gives."""
    word, suffix = match[1], match[2]
    before = _BEFORE.search(lower, max(0, match.start() - 48), match.start())
    prefix = before[0] if before else ""
    if _is_harmless(word, prefix, suffix) or _goes_on(text, match.end(1)):
        return None
    kind = "password" if word.startswith("p") else "key" if word == "key" else word
    quoted = _QUOTED.match(text, match.end())
    if quoted and (match[4] or match[5]):
        accepts = is_password if kind == "password" else is_token
        return (
            Secret(*quoted.span(3), kind) if accepts(quoted[3]) and _is_dense(quoted[3]) else None
        )
    if match[4] == "=":
        if text[match.end() - 1] == "=" and _is_environment(text, match, prefix):
            return _of_environment(text, match.end(), kind)
        return _bare(_AFTER_EQUALS.match(text, match.end()), kind)
    # A blank is a sign on command lines only.
    if match[4] in (":", ":=") or match[5] or (match[4] is None and prefix.startswith("--")):
        return _bare(_AFTER_COLON.match(text, match.end()), kind)
    return None


def _is_harmless(word: str, prefix: str, suffix: str) -> bool:
    if _OTHER_SUFFIX.match(suffix) or _NOT_SECRET.search(prefix):
        return True
    return word == "key" and not _KEYS.search(prefix)


def _goes_on(text: str, end: int) -> bool:
    """Tell whether the word before `end` is only the beginning of one, like that of `tokenizer`."""
    after = text[end : end + 2]
    if after[:1] in ("s", "S"):
        end, after = end + 1, after[1:]
    return after[:1].isalpha() and not (after[0].isupper() and text[end - 1].islower())


def _is_dense(value: str) -> bool:
    """Tell whether `value` is one word; sentences about secrets are quoted more often than secrets."""
    return not any(map(str.isspace, value))


def _is_environment(text: str, match: re.Match[str], prefix: str) -> bool:
    """Tell whether the name is in capitals, and thus its value a literal of a shell or an `.env` file."""
    name = text[match.start() - len(prefix) : match.end(2)]
    return name.isupper() and name.isidentifier()


def _of_environment(text: str, start: int, kind: str) -> Secret | None:
    match = _IN_ENVIRONMENT.match(text, start)
    value = match[0].rstrip(",;)") if match else ""
    if kind != "password":
        is_real = is_token(value) and not value.isupper()
    else:
        is_real = len(value) >= 5 and not is_filler(value) and not value.isupper()
    return Secret(start, start + len(value), kind) if is_real and "(" not in value else None


def _bare(match: re.Match[str] | None, kind: str) -> Secret | None:
    """Return the span of a value without quotes, if it is a literal and neither a name nor a call."""
    if not match or match.string[match.end() : match.end() + 1] in ("(", "[", "{"):
        return None
    value = match[0].rstrip(".:!?,;)}]")
    if any(bracket in value for bracket in "([{"):
        return None
    if kind == "password":
        is_real = (
            is_password(value) and any(map(str.isdigit, value)) and any(map(str.isalpha, value))
        )
    else:
        is_real = is_token(value) and not is_identifier(value)
    return Secret(match.start(), match.start() + len(value), kind) if is_real else None
