"""The protocol document says everything that the server does."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args, get_type_hints

import attrs
import pytest

from hunch import errors
from hunch.lsp.dispatch import COMMANDS, PARAMS
from hunch.lsp.handlers import FEATURES
from hunch.lsp.wire import camel, lenient_converter, strict_converter, structure
from hunch.protocol import methods, types
from hunch.protocol.errors import INTERNAL, Code

DOCUMENT = (Path(__file__).parents[2] / "server/docs/protocol.md").read_text("utf-8")
SHAPES = [
    value
    for value in vars(types).values()
    if isinstance(value, type) and issubclass(value, types.Wire) and value is not types.Wire
]
KINDS = [
    value.kind
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, errors.HunchError)
]


@pytest.mark.parametrize(
    "word",
    [
        *(method for method in FEATURES if method.startswith("hunch/")),
        *methods.REQUESTS,
        methods.DID_CHANGE_STATUS,
        methods.CODE_ACTION_KIND,
        *COMMANDS,
        *KINDS,
        INTERNAL,
    ],
)
def test_every_name_is_described(word: str) -> None:
    """Every method, command and kind of error is in the document, as code."""
    assert f"`{word}`" in DOCUMENT


@pytest.mark.parametrize("code", list(Code))
def test_every_code_is_described(code: Code) -> None:
    """Every error code is in the table of errors."""
    assert f"| {code.value} |" in DOCUMENT


@pytest.mark.parametrize(
    ("shape", "field"),
    [(shape.__name__, camel(field.name)) for shape in SHAPES for field in attrs.fields(shape)],
)
def test_every_field_is_described(shape: str, field: str) -> None:
    """Every field of the wire is in the document, as code."""
    assert f"`{field}`" in DOCUMENT, f"{shape}.{field}"


def test_every_announced_method_is_answered() -> None:
    """What the server announces, it has a handler and a shape of params for."""
    assert set(methods.REQUESTS) == set(PARAMS)
    assert set(methods.REQUESTS) <= set(FEATURES)
    assert set(COMMANDS.values()) <= set(FEATURES)


def _example(heading: str) -> Any:
    section = re.split(rf"^### .*{heading}.*$", DOCUMENT, flags=re.MULTILINE)[1]
    block = re.search(r"```json\n(.*?)```", section, re.DOTALL)
    assert block is not None
    return json.loads(block[1])


@pytest.mark.parametrize(
    ("heading", "shape"),
    [
        ("`hunch/search`", types.SearchParams),
        ("`hunch/related`", types.RelatedParams),
        ("Filter", types.FilterParams),
        ("Hit", types.Hit),
        ("`hunch/status`", types.IndexState),
        ("`hunch/reindex`", types.ReindexParams),
    ],
)
def test_examples_have_the_shape_they_show(heading: str, shape: type[types.Wire]) -> None:
    """Each example is read without complaint, and nothing in it is unknown."""
    example = _example(heading)
    shaped = structure(strict_converter(), _complete(example, shape), shape)
    assert _sorted(lenient_converter().unstructure(shaped)) == _sorted(example)


def _complete(value: Any, shape: Any) -> Any:
    """Add the keys that may be left out, which readers of our own insist on."""
    if isinstance(value, list):
        return [_complete(entry, get_args(shape)[0]) for entry in value]
    shapes = [s for s in (shape, *get_args(shape)) if isinstance(s, type) and attrs.has(s)]
    if not isinstance(value, dict) or not shapes:
        return value
    hints = get_type_hints(shapes[0], vars(types))
    absent = {camel(name): None for name, hint in hints.items() if type(None) in get_args(hint)}
    known = {camel(name): hint for name, hint in hints.items()}
    return absent | {key: _complete(inner, known.get(key)) for key, inner in value.items()}


def _sorted(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
