"""What a person would see of a text in a log: markup of agents stripped, tool calls in one line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

QUOTED_OPEN = "<hunch-results>"
"""Stands before results of Hunch where an agent may quote them: they are not indexed again."""
QUOTED_CLOSE = "</hunch-results>"

_QUOTED = re.compile(f"{re.escape(QUOTED_OPEN)}.*?{re.escape(QUOTED_CLOSE)}", re.DOTALL)
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_TELLING = (
    *("file_path", "filePath", "filepath", "path", "notebook_path", "command", "cmd"),
    *("pattern", "query"),
    *("url", "description", "name"),
)
"""Arguments that say what a call is about, the most telling first."""
_SUMMARY_LIMIT = 100


def clean(text: str) -> str:
    """Return `text` as it may be stored: no NUL, no half surrogate pair, no quoted Hunch results.

    Line ends become LF; white space around the text goes.
    """
    text = _HALF_PAIR.sub("\ufffd", text.replace("\x00", ""))
    if QUOTED_OPEN in text and QUOTED_CLOSE in text:
        text = _QUOTED.sub("", text)
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def strip_blocks(text: str, tags: Iterable[str]) -> str:
    """Remove `<tag …>…</tag>` for each tag; a block that has no end is text about the tag."""
    for tag in tags:
        if f"<{tag}" in text and f"</{tag}>" in text:
            name = re.escape(tag)
            text = re.sub(rf"<{name}(?:\s[^>]*)?>.*?</{name}>", "", text, flags=re.DOTALL)
    return text


def summarize_call(name: str, arguments: object) -> str:
    """Return a line that says which tool was called on what, such as `Read walk.py`.

    Only one short argument is shown: the rest may be whole files.
    """
    detail = ""
    if isinstance(arguments, dict):
        detail = _telling(arguments)  # pyright: ignore[reportUnknownArgumentType] -- JSON
    line = f"{name} {detail}".strip()
    return line if len(line) <= _SUMMARY_LIMIT else line[: _SUMMARY_LIMIT - 1] + "…"


def _telling(arguments: Mapping[str, Any]) -> str:
    for key in _TELLING:
        value = arguments.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip().splitlines()[0]
    return ""
