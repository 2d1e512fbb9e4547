"""The state of a session of VS Code Copilot Chat, made by replaying its mutations.

A line sets the whole state (kind 0), sets a value at a path (1), cuts an array and appends to it (2)
or deletes a value (3). Most of what is written is of no use here: rendered prompts, images, results
of tools. Only what is visible is kept, so that a session of hundreds of megabytes stays small.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from hunch.sources.conversations.shapes import as_object, object_at, text_at
from hunch.sources.conversations.uris import base_name, path_of
from hunch.sources.conversations.visible import summarize_call

if TYPE_CHECKING:
    from hunch.sources.conversations.jsonl import Record

_OF_SESSION = {"sessionId", "creationDate", "customTitle", "workingDirectory", "requests"}
_OF_REQUEST = {
    *("requestId", "timestamp", "message", "response", "responseTimestamp", "modelId"),
    *("modelState", "shouldBeRemovedOnSend", "isHidden", "isSystemInitiated"),
}
_SET_ALL, _SET, _PUSH, _DELETE = range(4)

_Path = list[str | int]


class CopilotState:
    """What is visible of a session; each part of a response is an object with its kind and text."""

    def __init__(self) -> None:
        self.state: Record = {}

    def apply(self, record: Record) -> str:
        """See `Replayed.apply`."""
        kind = record.get("kind")
        if kind == _SET_ALL:
            if not isinstance(record.get("v"), dict):
                return "state"
            self.state = _slim([], record.get("v"))
            return ""
        if kind not in (_SET, _PUSH, _DELETE):
            return f"kind:{kind}"
        path = record.get("k")
        if isinstance(path, list) and _is_kept(cast("list[object]", path)):
            self._change(kind, cast("_Path", path), record)
        return ""

    def _change(self, kind: int, path: _Path, record: Record) -> None:
        *way, last = path
        place: Any = self.state
        for key in way:
            place = _at(place, key)
        if kind == _PUSH:
            _push(place, last, _slim([*path, 0], record.get("v")), record.get("i"))
        elif kind == _SET:
            _set(place, last, _slim(path, record.get("v")))
        else:
            _set(place, last, None)


def _is_kept(path: list[object]) -> bool:
    is_path = path and all(isinstance(key, str | int) for key in path)
    if not is_path or path[0] not in _OF_SESSION:
        return False
    return path[0] != "requests" or len(path) < 3 or path[2] in _OF_REQUEST


def _at(place: Any, key: str | int) -> Any:
    if isinstance(place, dict):
        return cast("Record", place).get(str(key))
    if isinstance(place, list) and isinstance(key, int) and 0 <= key < len(cast("Any", place)):
        return cast("list[Any]", place)[key]
    return None


def _set(place: Any, key: str | int, value: Any) -> None:
    if isinstance(place, dict):
        cast("Record", place)[str(key)] = value
    elif isinstance(place, list) and isinstance(key, int) and key >= 0:
        values = cast("list[Any]", place)
        values[key : key + 1] = [value]


def _push(place: Any, key: str | int, values: Any, start: object) -> None:
    array: list[Any] | None = _at(place, key)
    if not isinstance(array, list):
        array = []
        _set(place, key, array)
    if isinstance(start, int) and start >= 0:
        del array[start:]
    if isinstance(values, list):
        array.extend(cast("list[Any]", values))


def _slim(path: _Path, value: Any) -> Any:
    """Return what is kept of the value at a path; a list where one element's path is given."""
    if isinstance(value, list) and path[-1:] == [0] and len(path) in (2, 4):
        return [_slim_one(path, each) for each in cast("list[Any]", value)]
    return _slim_one(path, value)


def _slim_one(path: _Path, value: Any) -> Any:
    match path:
        case []:
            kept = {key: each for key, each in as_object(value).items() if key in _OF_SESSION}
            return kept | {"requests": _slim(["requests", 0], kept.get("requests", []))}
        case ["requests"]:
            return _slim(["requests", 0], value)
        case ["requests", _]:
            return _slim_request(as_object(value))
        case ["requests", _, "response"]:
            return _slim_response(value)
        case ["requests", _, "response", _]:
            return _slim_part(value)
        case ["requests", _, "message"]:
            return value if isinstance(value, str) else {"text": text_at(as_object(value), "text")}
        case _:
            return value


def _slim_request(request: Record) -> Record:
    return {
        key: _slim_one(["requests", 0, key], value)
        for key, value in request.items()
        if key in _OF_REQUEST
    }


def _slim_response(value: Any) -> list[Record]:
    parts = cast("list[Any]", value) if isinstance(value, list) else [value] if value else []
    return [_slim_part(part) for part in parts]


def _slim_part(value: Any) -> Record:
    if isinstance(value, str):
        return {"text": value}
    part = as_object(value)
    kind = text_at(part, "kind")
    match kind:
        case "":
            return {"text": _markdown(part)} if "value" in part else {}
        case "markdownContent" | "markdownVuln":
            return {"kind": kind, "text": _markdown(object_at(part, "content"))}
        case "inlineReference":
            return {"kind": kind, "text": _reference(part)}
        case "toolInvocationSerialized":
            call = summarize_call(text_at(part, "toolId"), part.get("toolSpecificData"))
            return {"kind": kind, "text": call}
        case _:
            return {"kind": kind}


def _markdown(part: Record) -> str:
    return text_at(part, "value") or text_at(object_at(part, "value"), "value")


def _reference(part: Record) -> str:
    """Return the name of the file or symbol that a reference leads to."""
    target = object_at(part, "inlineReference")
    name = text_at(part, "name") or text_at(target, "name")
    return name or base_name(path_of(target.get("uri")) or path_of(target))
