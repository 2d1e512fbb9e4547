"""JSON to attrs classes, strictly, and back to plain JSON.

The converter never coerces: `5` is not `"5"` and `"7"` is not `7`, because a client that sends
the wrong type has a fault that its author wants to hear of.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_origin

import attrs
from cattrs import AttributeValidationNote, BaseValidationError, Converter, IterableValidationNote
from cattrs.cols import list_structure_factory
from cattrs.gen import make_dict_structure_fn, override
from lsprotocol.converters import get_converter
from pygls.protocol import default_converter

from hunch.errors import InvalidQuery
from hunch.protocol.types import Wire

if TYPE_CHECKING:
    from collections.abc import Callable

    _Hook = Callable[[Any, Any], Any]

T = TypeVar("T")
_EXPECTED: dict[type, str] = {
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "a boolean",
}
_HUMP = re.compile(r"_(.)")


class _WrongTypeError(ValueError):
    """A value of another JSON type than the one asked for."""


def lenient_converter() -> Converter:
    """Make a converter for what many hands write in their own ways, above all capabilities.

    It also writes: LSP types and the wire types become what `json` takes.
    """
    return _with_wire_types(default_converter())


def strict_converter() -> Converter:
    """Make the converter for the params of every request but `initialize`."""
    converter = _with_wire_types(get_converter())
    for primitive in _EXPECTED:
        converter.register_structure_hook(primitive, _exactly(primitive))
    return converter


def structure(converter: Converter, params: Any, shape: type[T]) -> T:
    """Turn the params of a request into `shape`; absent params are an empty object.

    Raises:
        InvalidQuery: something does not fit; names the field.
    """
    if params is None:
        params = {}
    if not isinstance(params, dict):
        raise InvalidQuery("params", "must be an object")
    try:
        return converter.structure(params, shape)
    except Exception as error:  # noqa: BLE001 - whatever a hook stumbles over, the params are wrong
        raise InvalidQuery(*_complaint(error)) from None


def camel(name: str) -> str:
    """Return the wire name of an attribute: `took_ms` → `tookMs`."""
    return _HUMP.sub(lambda match: match[1].upper(), name)


def _with_wire_types(converter: Converter) -> Converter:
    def object_hook(shape: Any) -> _Hook:
        return _only(dict, "an object", _object_hook(converter, shape))

    def array_hook(shape: Any) -> _Hook:
        return _only(list, "an array", list_structure_factory(shape, converter))

    def to_json(value: Any) -> dict[str, Any]:
        return _without_nulls(value, converter)

    converter.register_structure_hook_factory(_is_wire, object_hook)
    converter.register_structure_hook_factory(_is_list, array_hook)
    converter.register_unstructure_hook_func(_is_wire, to_json)
    return converter


def _is_wire(shape: Any) -> bool:
    return isinstance(shape, type) and issubclass(shape, Wire)


def _is_list(shape: Any) -> bool:
    return get_origin(shape) is list


def _without_nulls(value: Any, converter: Converter) -> dict[str, Any]:
    names = (field.name for field in attrs.fields(cast("Any", type(value))))
    members = ((name, getattr(value, name)) for name in names)
    return {
        camel(name): converter.unstructure(inner) for name, inner in members if inner is not None
    }


def _object_hook(converter: Converter, shape: Any) -> _Hook:
    renamed = {field.name: override(rename=camel(field.name)) for field in attrs.fields(shape)}
    return cast("Callable[..., _Hook]", make_dict_structure_fn)(shape, converter, **renamed)


def _only(json_type: type, expected: str, hook: _Hook) -> _Hook:
    """Guard `hook`, which would take any iterable or mapping, against other JSON types."""

    def guarded(value: Any, shape: Any) -> Any:
        if not isinstance(value, json_type):
            raise _WrongTypeError(f"must be {expected}")
        return hook(value, shape)

    return guarded


def _exactly(primitive: type) -> _Hook:
    accepted = (float, int) if primitive is float else (primitive,)

    def hook(value: Any, shape: Any) -> Any:
        if type(value) not in accepted:
            raise _WrongTypeError(f"must be {_EXPECTED[primitive]}")
        # The enumerations of LSP are subclasses of `int` and `str` and come here too.
        return value if shape is primitive else shape(value)

    return hook


def _complaint(error: BaseException) -> tuple[str, str]:
    """Name the first field that is wrong, as a path, and say what is wrong with it."""
    path = ""
    while isinstance(error, BaseValidationError) and error.exceptions:
        error = cast("BaseException", error.exceptions[0])
        path += _step(error)
    if isinstance(error, KeyError):
        path += f".{error.args[0]}"
    return path.removeprefix(".") or "params", _problem(error)


def _step(error: BaseException) -> str:
    for note in getattr(error, "__notes__", ()):
        if isinstance(note, AttributeValidationNote):
            # The attribute of a missing key is named by the key itself.
            return "" if isinstance(error, KeyError) else f".{camel(note.name)}"
        if isinstance(note, IterableValidationNote):
            return f"[{note.index}]"
    return ""


def _problem(error: BaseException) -> str:
    if isinstance(error, _WrongTypeError):
        return str(error)
    return "is required" if isinstance(error, KeyError) else "has the wrong shape"
