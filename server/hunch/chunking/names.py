"""Names as code writes them: `Foo::bar`, `Foo.prototype.bar`, `Vec<T>`, `*Client`."""

from __future__ import annotations

import re

_GENERICS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_SEPARATOR = re.compile(r"::|->|[.:\\/#]")
_QUALIFIED = re.compile(r"[\w$@~&*'\"(\[]")
_NOISE = re.compile(r"[\s&*'\"()?!,;]|\b(?:mut|const|dyn|impl)\b")
_FILLERS = frozenset({"", "this", "self", "exports", "module", "prototype"})
_MAX_CHARS = 200


def split_name(text: str) -> tuple[list[str], str]:
    """Split a qualified name into its scopes, outermost first, and the bare name.

    Words that name no scope (`this`, `module.exports`, `prototype`) are dropped.
    """
    text = text.strip()[:_MAX_CHARS]
    if text.isidentifier():
        return [], text
    if text.startswith((":", "@")) and text[1:2].isalpha():  # a symbol or variable of Ruby
        return [], text.lstrip(":@")
    if text.startswith(("'", '"')):  # a quoted key of JavaScript
        return [], text.strip("'\"") or text
    if "operator" in text and (match := re.search(r"operator\W.*", text, re.DOTALL)):
        return scopes(text[: match.start()]), " ".join(match[0].split())
    if not _QUALIFIED.match(text):  # an operator, such as Haskell's or Ruby's
        return [], text
    *outer, bare = _SEPARATOR.split(_without_generics(text))
    bare = bare.strip().strip("'\"")
    return [part for part in map(_clean, outer) if part not in _FILLERS], bare or text


def scopes(text: str) -> list[str]:
    """Split the name of a type or module into its parts, without generics, pointers and quotes."""
    parts = map(_clean, _SEPARATOR.split(_without_generics(text[:_MAX_CHARS])))
    return [part for part in parts if part not in _FILLERS]


def _clean(part: str) -> str:
    return _NOISE.sub("", part)


def _without_generics(text: str) -> str:
    while (shorter := _GENERICS.sub("", text)) != text:
        text = shorter
    return text
