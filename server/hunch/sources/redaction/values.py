"""Telling a secret from what only stands in its place: a variable, a filler, a word of prose."""

from __future__ import annotations

import re
from itertools import pairwise

_SECRET_WORDS = (
    *(
        "access",
        "api",
        "apikey",
        "app",
        "auth",
        "authorization",
        "basic",
        "bearer",
        "bot",
        "client",
    ),
    *("cookie", "credential", "credentials", "csrf", "db", "id", "jwt", "key", "keys", "login"),
    *(
        "oauth",
        "pass",
        "passphrase",
        "passwd",
        "password",
        "passwords",
        "passwort",
        "private",
        "pw",
    ),
    *("pwd", "refresh", "root", "secret", "secrets", "session", "ssh", "token", "tokens", "user"),
    *("username", "admin", "guest", "postgres", "mysql"),
)
_FILLER_WORDS = (
    *(
        "a",
        "abc",
        "abcd",
        "abcdef",
        "actual",
        "an",
        "any",
        "bar",
        "base64",
        "baz",
        "blank",
        "boolean",
    ),
    *(
        "bytes",
        "changeit",
        "changeme",
        "correct",
        "custom",
        "default",
        "demo",
        "dev",
        "empty",
        "env",
    ),
    *(
        "fake",
        "false",
        "file",
        "foo",
        "foobar",
        "from",
        "goes",
        "here",
        "hex",
        "hidden",
        "incorrect",
    ),
    *("invalid", "is", "latest", "literal", "local", "me", "md5", "missing", "mock", "my", "name"),
    *("new", "nil", "no", "none", "not", "null", "number", "object", "old", "optional", "or", "ok"),
    *(
        "pass1234",
        "plain",
        "prod",
        "production",
        "random",
        "real",
        "required",
        "same",
        "set",
        "sha1",
    ),
    *("sha256", "sha512", "some", "something", "str", "string", "super", "supersecret", "s3cr3t"),
    *("test", "testing", "text", "that", "the", "this", "true", "undefined", "unknown", "unset"),
    *("utf8", "valid", "value", "values", "wrong", "x", "y", "z", "qwerty", "letmein", "to", "of"),
    *("in", "with", "your", "for", "and", "x509", "v1", "v2", "v3", "oauth2", "1", "n", "i"),
)
_WORDS = frozenset((*_SECRET_WORDS, *_FILLER_WORDS))
_PART = re.compile(r"[a-z]+|[A-Z]+(?![a-z])|[A-Z][a-z]*|[0-9]+")
_REFERENCE = re.compile(
    r"[$%@{<\[(]|[\\.][$]|.{0,60}(?:\$\{|\{\{|\$\(|<[a-z_ -]+>|%\(|#\{)"  # filled in later
    r"|sha[0-9]{1,3}[:-]|(?:https?|file|op|vault|secret|ref\+\w+|arn|env|keyring)[:+]"  # kept somewhere else
    r"|id_(?:rsa|ed25519|ecdsa|dsa)|(?:\./|\.\./|~/|/(?:etc|run|var|home|usr|opt|tmp|mnt|dev)/|[A-Za-z]:\\)"  # a path
    r"|(?:process|os|env|self|this|config|settings|secrets|import|std|ctx|args|opts|options)\."
)
_FILLER = re.compile(
    r"\.\.\.|…|\*\*\*|xxx|___|---|redacted|example|placeholder|change[_-]?me|replace|insert|dummy"
    r"|your|todo|\A[a-z_-]*pass(?:word|wd)?[a-z_-]*[0-9]{0,3}\Z|12345678|0000|abcdef|deadbeef|lorem|fixme|secret[_-]?key|\bfake|\bmock"
)
_DIGITS_IN_A_ROW = "01234567890123456789"
_TELLING = 64
"""Characters at the start of a value that say whether it is a filler."""


def is_repetitive(value: str) -> bool:
    """Tell whether so few characters make up `value` that it cannot be a random one."""
    return len(set(value[-24:])) < min(6, len(value))


def is_filler(value: str) -> bool:
    """Tell whether `value` stands for a secret: a reference, a dummy, a word that says what goes here."""
    head = value[:_TELLING]
    if all(_is_word_of_ours(part[0]) for part in _PART.finditer(head)) or is_repetitive(value):
        return True
    if value in _DIGITS_IN_A_ROW:
        return len(value) < 4 or value.startswith(("0", "1"))
    return bool(_REFERENCE.match(head) or _FILLER.search(head.lower()))


def _is_word_of_ours(part: str) -> bool:
    return part.lower() in _WORDS or (part.isdigit() and (part in "1234567890" or len(part) < 3))


def is_password(value: str) -> bool:
    """Tell whether `value` can be a password somebody uses: five characters, not all of them letters."""
    if len(value) < 5 or is_filler(value):
        return False
    return not _reads_as_words(value)


def is_token(value: str) -> bool:
    """Tell whether `value` can be a generated secret: eight characters, letters and digits mixed."""
    if len(value) < 8 or is_filler(value) or _reads_as_words(value):
        return False
    digits = sum(map(str.isdigit, value))
    letters = sum(map(str.isalpha, value))
    if digits and letters:
        return digits > 1 or len(value) >= 16
    return letters >= 16 and _is_shuffled(value)


def _reads_as_words(value: str) -> bool:
    """Tell whether `value` is words joined in a way of code or prose, with no digit among them."""
    letters = value.translate(_JOINTS)
    if not letters:
        return True
    return letters.isalpha() and not _is_shuffled(letters)


def is_identifier(value: str) -> bool:
    """Tell whether `value` is a name of code rather than a random token of the same characters."""
    if not _IDENTIFIER.match(value):
        return False
    turns = sum(a.isdigit() != b.isdigit() for a, b in pairwise(value.translate(_JOINTS)))
    is_joined = "." in value or "_" in value
    return turns < 3 and (not _is_shuffled(value) or (is_joined and not turns))


_IDENTIFIER = re.compile(r"@?[A-Za-z_][\w.:-]*\Z")
_JOINTS = str.maketrans("", "", "_-./: ")


def _is_shuffled(value: str) -> bool:
    """Tell whether capitals and small letters are mixed more evenly than in camel case."""
    capitals, small = sum(map(str.isupper, value)), sum(map(str.islower, value))
    return len(value) >= 16 and min(capitals, small) * 10 >= 3 * (capitals + small)
