"""The VS Code client's hand-written protocol has the server's names, and its settings the server's."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import attrs
import pytest

from hunch.config import DEFAULTS, Settings, wire_name
from hunch.languages import LANGUAGES
from hunch.protocol import methods, types

CLIENT = Path(__file__).parents[2] / "vscode-client"
PROTOCOL = (CLIENT / "src/protocol.ts").read_text("utf-8")
INTERFACES = dict(re.findall(r"export interface (\w+) \{\n(.*?)\n\}", PROTOCOL, re.DOTALL))
SHAPES = [
    shape
    for shape in types.Wire.__subclasses__()
    if attrs.has(shape) and shape is not types.NoParams
]
# A result's field may be absent when it may be None, a param's when it has a default.
RESULTS = {shape for shape in SHAPES if not shape.__name__.endswith("Params")}


def camel(name: str) -> str:
    """Return a field's name as it is on the wire."""
    head, *tail = name.split("_")
    return head + "".join(word.title() for word in tail)


def is_optional(shape: type, field: Any) -> bool:
    """Say whether a field may be absent from the JSON."""
    if shape in RESULTS:
        return "None" in str(field.type)
    return field.default is not attrs.NOTHING


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_every_shape_has_the_fields_of_the_server(shape: type) -> None:
    """An interface has the server's fields, and the same ones of them may be absent."""
    fields = re.findall(r"^  (\w+)(\??):", INTERFACES[shape.__name__], re.MULTILINE)
    assert {name: bool(mark) for name, mark in fields} == {
        camel(field.name): is_optional(shape, field) for field in attrs.fields(shape)
    }


def test_every_request_is_there() -> None:
    """The client's table of requests names what the server answers, no more and no less."""
    assert re.findall(r'^  "(hunch/\w+)":', INTERFACES["Requests"], re.MULTILINE) == list(
        methods.REQUESTS
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DID_CHANGE_STATUS", f'"{methods.DID_CHANGE_STATUS}"'),
        ("SHOW_RELATED", f'"{methods.COMMAND_SHOW_RELATED}"'),
        ("PROTOCOL_VERSION", str(methods.VERSION)),
    ],
)
def test_constants_are_those_of_the_server(name: str, value: str) -> None:
    """Names and the version that both sides use are the same."""
    assert f"export const {name} = {value};" in PROTOCOL


def test_every_setting_is_described_with_its_default() -> None:
    """Every setting of the server can be set in VS Code, with the same default and bounds."""
    package = json.loads((CLIENT / "package.json").read_text("utf-8"))
    described: dict[str, Any] = {}
    for section in package["contributes"]["configuration"]:
        described |= section["properties"]
    for name, field in Settings.__dataclass_fields__.items():
        entry = described[f"hunch.{wire_name(name)}"]
        default = getattr(DEFAULTS, name)
        assert entry["default"] == (list(default) if isinstance(default, tuple) else default)
        if "range" in field.metadata:
            assert (entry["minimum"], entry["maximum"]) == field.metadata["range"]
        if "one_of" in field.metadata:
            assert tuple(entry["enum"]) == field.metadata["one_of"]


def test_the_client_sends_every_setting() -> None:
    """The client's list of what goes to the server is the server's."""
    source = (CLIENT / "src/server/settings.ts").read_text("utf-8")
    listed = re.search(r"SERVER_SETTINGS = \[\n(.*?)\n\]", source, re.DOTALL)
    assert listed is not None
    assert set(re.findall(r'"([\w.]+)"', listed[1])) == set(
        map(wire_name, Settings.__dataclass_fields__)
    )


def test_the_client_offers_every_language() -> None:
    """The languages that a search can be narrowed to are those that the server tells apart."""
    source = (CLIENT / "src/pick/languages.ts").read_text("utf-8")
    assert set(" ".join(re.findall(r'"([^"]*)"', source)).split()) - {" "} == LANGUAGES


def test_both_have_the_same_version() -> None:
    """The extension has the version of the server that it installs."""
    package = json.loads((CLIENT / "package.json").read_text("utf-8"))
    project = (CLIENT.parent / "pyproject.toml").read_text("utf-8")
    assert f'version = "{package["version"]}"' in project
