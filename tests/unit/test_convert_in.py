"""What clients send becomes sound values, or an error that names the field."""

from __future__ import annotations

import contextlib
import os
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hunch.errors import InvalidQuery
from hunch.lsp import convert
from hunch.lsp.folders import Folders
from hunch.lsp.wire import lenient_converter, strict_converter, structure
from hunch.model import Filter, Kind, Mode, Query
from hunch.protocol import types as wire

STRICT = strict_converter()


def query_of(**params: Any) -> Query:
    """Structure and convert the params of `hunch/search`."""
    return convert.query(structure(STRICT, {"query": "x"} | params, wire.SearchParams), Folders())


def filter_of(**params: Any) -> Filter:
    return query_of(filter=params).filter


def field_blamed(**params: Any) -> str:
    with pytest.raises(InvalidQuery) as caught:
        query_of(**params)
    return caught.value.field


def test_defaults() -> None:
    """A bare query asks for the best 20 hits of everything in the open folders."""
    assert query_of(query="where") == Query(text="where", limit=20, offset=0, mode=Mode.HYBRID)


def test_nulls_mean_absent() -> None:
    """A null is read like a key that is not there."""
    nothing = dict.fromkeys(("limit", "offset", "mode", "filter"))
    assert query_of(**nothing) == query_of()


def test_unknown_keys_are_ignored() -> None:
    """Keys of a later version, and the tokens of LSP, do not disturb."""
    assert query_of(partialResultToken=7, fromTheFuture={"a": 1}) == query_of()


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"query": 5}, "query"),
        ({"query": None}, "query"),
        ({"query": ""}, "query"),
        ({"query": " \n"}, "query"),
        ({"query": "x" * 10_001}, "query"),
        ({"limit": 0}, "limit"),
        ({"limit": 201}, "limit"),
        ({"limit": "20"}, "limit"),
        ({"limit": True}, "limit"),
        ({"limit": 1.5}, "limit"),
        ({"offset": -1}, "offset"),
        ({"offset": 2**40}, "offset"),
        ({"mode": "fuzzy"}, "mode"),
        ({"mode": 1}, "mode"),
        ({"filter": []}, "filter"),
        ({"filter": "code"}, "filter"),
        ({"filter": {"kinds": "code"}}, "filter.kinds"),
        ({"filter": {"kinds": ["code", "prose"]}}, "filter.kinds"),
        ({"filter": {"kinds": ["code", 1]}}, "filter.kinds[1]"),
        ({"filter": {"scope": "world"}}, "filter.scope"),
        ({"filter": {"folders": ["untitled:x"]}}, "filter.folders[0]"),
        ({"filter": {"folders": ["file:///a", "http://b/c"]}}, "filter.folders[1]"),
        ({"filter": {"folders": ["file:a"]}}, "filter.folders[0]"),
        ({"filter": {"folders": ["file:///a%00b"]}}, "filter.folders[0]"),
        ({"filter": {"folders": ["file://[/a"]}}, "filter.folders[0]"),
        ({"filter": {"include": [""]}}, "filter.include[0]"),
        ({"filter": {"include": ["ok", "/"]}}, "filter.include[1]"),
        ({"filter": {"exclude": ["a\0"]}}, "filter.exclude[0]"),
        ({"filter": {"exclude": ["!a"]}}, "filter.exclude[0]"),
        ({"filter": {"include": ["x" * 1_001]}}, "filter.include[0]"),
        ({"filter": {"include": ["x"] * 101}}, "filter.include"),
        ({"filter": {"languages": ["klingon"]}}, "filter.languages[0]"),
        ({"filter": {"agents": [""]}}, "filter.agents[0]"),
        ({"filter": {"since": "yesterday"}}, "filter.since"),
        ({"filter": {"since": "2026-13-01"}}, "filter.since"),
        ({"filter": {"until": ""}}, "filter.until"),
        ({"filter": {"since": "2026-10-02", "until": "2026-10-01"}}, "filter.until"),
    ],
)
def test_a_wrong_field_is_named(params: dict[str, Any], field: str) -> None:
    """Nothing is coerced, and the error names the field as the client wrote it."""
    assert field_blamed(**params) == field


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({}, Filter()),
        ({"kinds": []}, Filter()),
        ({"kinds": ["code", "docs"]}, Filter(kinds=frozenset({Kind.CODE, Kind.DOCS}))),
        ({"scope": "everywhere"}, Filter(everywhere=True)),
        ({"scope": "workspace"}, Filter()),
        (
            {"include": ["src/**"], "exclude": ["*.md"]},
            Filter(include=("src/**",), exclude=("*.md",)),
        ),
        (
            {"languages": ["python", "typescriptreact", "shellscript"]},
            Filter(languages=frozenset({"python", "tsx", "bash"})),
        ),
        ({"agents": ["codex"]}, Filter(agents=frozenset({"codex"}))),
        ({"since": "2026-10-01T12:00:00Z"}, Filter(since=datetime(2026, 10, 1, 12, tzinfo=UTC))),
    ],
)
def test_filters(params: dict[str, Any], expected: Filter) -> None:
    """Every member of a filter restricts what it says and nothing else."""
    assert filter_of(**params) == expected


def test_a_date_is_a_whole_local_day() -> None:
    """A date without a time starts with its first moment and ends with its last."""
    chosen = filter_of(since="2026-10-01", until="2026-10-01")
    assert chosen.since is not None
    assert chosen.until is not None
    assert (chosen.since.time(), chosen.until.time()) == (time.min, time.max)
    assert chosen.since.tzinfo is not None


@pytest.mark.skipif(os.name == "nt", reason="these are POSIX paths")
@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b", "/a/b"),
        ("file:///a/b/", "/a/b"),
        ("file://localhost/a", "/a"),
        ("file:///a%20b/%C3%A9%23%3F", "/a b/é#?"),
        ("file:///c%3A/x", "/c:/x"),
        ("FILE:///a", "/a"),
    ],
)
def test_folder_uris(uri: str, path: str) -> None:
    """File URIs are decoded in every spelling that editors use."""
    assert filter_of(folders=[uri]).folders == (Path(path),)


def test_linked_folders_are_real(tmp_path: Path) -> None:
    """A folder that is named through a symbolic link is the folder itself."""
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    assert filter_of(folders=[(tmp_path / "link").as_uri()]).folders == (real.resolve(),)


def test_only_open_folders_are_reindexed(tmp_path: Path) -> None:
    """Reindexing takes open folders, none meaning all, and refuses others by index."""
    folders = Folders()
    root = folders.add(tmp_path.as_uri())
    assert convert.open_roots(None, folders) == ()
    assert convert.open_roots([tmp_path.as_uri()], folders) == (root,)
    with pytest.raises(InvalidQuery) as caught:
        convert.open_roots([tmp_path.as_uri(), (tmp_path / "x").as_uri()], folders)
    assert caught.value.field == "folders[1]"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
members = st.sampled_from(
    [
        "query",
        "limit",
        "offset",
        "mode",
        "filter",
        "text",
        "textDocument",
        "position",
        "range",
        "folders",
    ]
)


@settings(deadline=None, max_examples=200)
@given(
    params=json_values | st.dictionaries(members, json_values, max_size=6),
    shape=st.sampled_from([wire.SearchParams, wire.RelatedParams, wire.ReindexParams]),
)
def test_any_json_is_understood_or_refused(params: Any, shape: type[wire.Wire]) -> None:
    """Whatever is sent, the only error is one that names a field."""
    with contextlib.suppress(InvalidQuery):
        shaped = structure(STRICT, params, shape)
        if isinstance(shaped, wire.SearchParams):
            convert.query(shaped, Folders())


@settings(deadline=None, max_examples=100)
@given(json_values)
def test_any_filter_member_is_understood_or_refused(value: Any) -> None:
    """Each member of a filter copes with any value, alone or in a list."""
    for member in ("kinds", "scope", "folders", "include", "languages", "agents", "since"):
        for given_value in (value, [value]):
            with contextlib.suppress(InvalidQuery):
                filter_of(**{member: given_value})


def test_capabilities_may_be_sloppy() -> None:
    """Only params are strict: what an editor says of itself is taken as it comes."""
    from lsprotocol.types import InitializeParams

    params = {
        "processId": "7",
        "rootUri": None,
        "capabilities": {"window": {"workDoneProgress": 1}},
    }
    shaped = structure(lenient_converter(), params, InitializeParams)
    assert shaped.process_id == 7
