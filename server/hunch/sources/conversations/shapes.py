"""Looking into JSON of unknown shape: each function gives the value asked for or an empty one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def text_at(record: Mapping[str, Any], *keys: str) -> str:
    """Return the first of several fields that is a non-empty string."""
    for key in keys:
        value = record.get(key)
        if isinstance(value, str) and value:
            return value
    return ""


def text_of(value: object) -> str:
    """Return a value that is a string."""
    return value if isinstance(value, str) else ""


def object_at(record: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return a field that is an object."""
    return as_object(record.get(key))


def as_object(value: object) -> dict[str, Any]:
    """Return a value that is an object."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def objects_in(value: object) -> Iterator[dict[str, Any]]:
    """Yield the objects in a value that is a list."""
    if isinstance(value, list):
        for element in cast("list[object]", value):
            if isinstance(element, dict):
                yield cast("dict[str, Any]", element)


def blocks_of(content: object) -> Iterator[dict[str, Any]]:
    """Yield the blocks of a message's content; a content that is a string is one text block."""
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    else:
        yield from objects_in(content)
