"""Values become what clients read: plain JSON without nulls, in the client's own URIs."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hunch.errors import InvalidQuery
from hunch.lsp import results, uris
from hunch.lsp.folders import Folders
from hunch.lsp.wire import camel, lenient_converter
from hunch.model import (
    Counts,
    EmbedderState,
    Hit,
    IndexState,
    Kind,
    Mode,
    Position,
    Problem,
    Progress,
    Range,
    SearchResult,
    Source,
    SourceState,
    SymbolKind,
)

CONVERTER = lenient_converter()


def json_of(value: Any) -> Any:
    return CONVERTER.unstructure(value)


def a_range(start: int, end: int) -> Range:
    return Range(Position(start), Position(end))


def a_source(root: Path) -> Source:
    return Source(3, "workspace", "project", root)


def a_hit(root: Path, **changes: Any) -> Hit:
    hit = Hit(
        chunk_id=1,
        source=a_source(root),
        path="src/ä b.py",
        range=a_range(4, 9),
        kind=Kind.CODE,
        title="Client.send",
        language="python",
        snippet="def send",
        snippet_range=a_range(5, 6),
        score=0.75,
        signals={"semantic": 0.5, "definition": True},
    )
    return dataclasses.replace(hit, **changes)


def a_state(root: Path, **changes: Any) -> IndexState:
    state = IndexState(
        state="ready",
        message="",
        embedder=EmbedderState("builtin", "static", 256, available=True),
        counts=Counts(documents=2, chunks=5, embedded=5),
        sources=(SourceState(a_source(root), 2, 5, datetime(2026, 10, 1, 12, tzinfo=UTC)),),
        database=root / "index.db",
        database_bytes=4096,
        schema=1,
        writer="this server",
    )
    return dataclasses.replace(state, **changes)


def lines(start: int, end: int) -> dict[str, Any]:
    return {
        "start": {"line": start, "character": 0},
        "end": {"line": end, "character": 0},
    }


def test_a_hit_says_everything(tmp_path: Path) -> None:
    """A hit on the wire has every key, and no key for what is not known."""
    assert json_of(results.hit(a_hit(tmp_path), Folders())) == {
        "uri": f"{tmp_path.as_uri()}/src/%C3%A4%20b.py",
        "range": lines(4, 9),
        "kind": "code",
        "title": "Client.send",
        "detail": "src/ä b.py",
        "language": "python",
        "snippet": "def send",
        "snippetRange": lines(5, 6),
        "highlights": [],
        "score": 0.75,
        "signals": {"semantic": 0.5, "definition": True},
        "stale": False,
        "source": {"id": 3, "label": "project", "folder": tmp_path.as_uri()},
    }


def test_symbol_kinds_are_numbers(tmp_path: Path) -> None:
    """The kind of a symbol is the number that LSP gives it."""
    hit = results.hit(a_hit(tmp_path, symbol_kind=SymbolKind.METHOD), Folders())
    assert json_of(hit)["symbolKind"] == 6


def test_highlights_count_as_editors_do(tmp_path: Path) -> None:
    """Highlights behind an emoji are moved by its two UTF-16 code units."""
    hit = a_hit(tmp_path, snippet="😀 send", highlights=((2, 6),))
    assert json_of(results.hit(hit, Folders()))["highlights"] == [[3, 7]]


def test_a_state_says_everything(tmp_path: Path) -> None:
    """The state on the wire has every key of the contract, zero or not."""
    assert json_of(results.index_state(a_state(tmp_path), Folders())) == {
        "state": "ready",
        "message": "",
        "embedder": {
            "provider": "builtin",
            "model": "static",
            "dimensions": 256,
            "available": True,
            "message": "",
        },
        "counts": {
            "documents": 2,
            "chunks": 5,
            "embedded": 5,
            "pending": 0,
            "skipped": 0,
            "failed": 0,
            "notUnderstood": 0,
        },
        "sources": [
            {
                "id": 3,
                "label": "project",
                "kind": "workspace",
                "uri": tmp_path.as_uri(),
                "documents": 2,
                "chunks": 5,
                "message": "",
                "lastIndexed": "2026-10-01T12:00:00Z",
            }
        ],
        "database": {"path": str(tmp_path / "index.db"), "bytes": 4096, "schema": 1},
        "writer": "this server",
    }


@pytest.mark.parametrize(
    ("progress", "expected"),
    [
        (Progress(1, 9), {"done": 1, "total": 9, "current": ""}),
        (
            Progress(1, 9, 2.345, "a.py"),
            {"done": 1, "total": 9, "current": "a.py", "etaSeconds": 2.3},
        ),
    ],
)
def test_progress(tmp_path: Path, progress: Progress, expected: dict[str, Any]) -> None:
    """Progress without an estimate has no key for it."""
    state = results.index_state(a_state(tmp_path, progress=progress), Folders())
    assert json_of(state)["progress"] == expected


def test_a_result_says_which_mode_answered(tmp_path: Path) -> None:
    """A result carries the mode that answered and the state of the index."""
    result = SearchResult((), a_state(tmp_path), 4.23456, Mode.KEYWORD)
    written = json_of(results.search_result(result, Folders()))
    assert (written["hits"], written["mode"], written["tookMs"]) == ([], "keyword", 4.235)
    assert written["index"]["state"] == "ready"


def test_problems(tmp_path: Path) -> None:
    """A problem names its file by URI and its state as one word."""
    problem = Problem("a.py", "nobody can read this", "not understood")
    assert json_of(results.problem(a_source(tmp_path), problem, Folders())) == {
        "uri": f"{tmp_path.as_uri()}/a.py",
        "state": "notUnderstood",
        "reason": "nobody can read this",
    }


def test_uris_come_back_as_the_client_wrote_them(tmp_path: Path) -> None:
    """A file in a folder that was opened through a link is named through that link."""
    real = tmp_path / "real"
    real.mkdir()
    link = tmp_path / "link"
    link.symlink_to(real)
    folders = Folders()
    assert folders.add(link.as_uri()) == real.resolve()
    assert folders.uri_of(real.resolve() / "a b.py") == f"{link.as_uri()}/a%20b.py"
    assert folders.uri_of(real.resolve()) == link.as_uri()


def test_a_folder_open_twice_stays_open(tmp_path: Path) -> None:
    """A folder under two URIs is closed with the second one."""
    folders = Folders()
    one, two = tmp_path.as_uri(), f"{tmp_path.as_uri()}/"
    root = folders.add(one)
    folders.add(two)
    assert folders.roots == (root,)
    assert folders.remove(one) is None
    assert folders.remove(two) == root
    assert folders.remove(two) is None


def test_containing_goes_by_components(tmp_path: Path) -> None:
    """A folder contains what is below it, not what its name is a prefix of."""
    folders = Folders()
    root = folders.add((tmp_path / "app").as_uri())
    assert folders.containing(root / "x" / "y.py") == (root,)
    assert folders.containing(root.with_name("apple") / "y.py") == ()


@pytest.mark.parametrize(
    "uri", ["untitled:Untitled-1", "http://h/x", "x", "", "file:", "file://h/x"]
)
def test_other_uris_are_refused(uri: str) -> None:
    """What names no file on this machine is refused, and the field is named."""
    with pytest.raises(InvalidQuery, match=r"^where: "):
        uris.path_of(uri, "where")


@settings(deadline=None, max_examples=100)
@given(
    st.lists(
        st.text(st.characters(exclude_characters="/\0", codec="utf-8"), min_size=1), min_size=1
    )
)
def test_uris_of_paths_lead_back(parts: list[str]) -> None:
    """The URI of any path names that path."""
    names = [part for part in parts if part not in {".", ".."}] or ["x"]
    relative = "/".join(names)
    assert uris.path_of(uris.join("file:///nowhere", relative), "uri") == Path("/nowhere", relative)


@pytest.mark.parametrize(
    ("name", "expected"), [("uri", "uri"), ("took_ms", "tookMs"), ("a_b_c", "aBC")]
)
def test_camel(name: str, expected: str) -> None:
    """Attributes get the names that clients know."""
    assert camel(name) == expected
