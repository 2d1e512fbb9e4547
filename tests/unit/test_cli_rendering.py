"""What the command line makes of hits, states, paths and numbers."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import click
import pytest
from rich.console import Console

from hunch.cli import output
from hunch.cli.hits import line_span, show_hits, snippet_lines, why
from hunch.cli.progress import ProgressView, measure
from hunch.cli.related import place
from hunch.cli.scope import Scope, scope_of
from hunch.model import (
    Counts,
    EmbedderState,
    Hit,
    IndexState,
    Kind,
    Position,
    Progress,
    Range,
    Source,
)
from hunch.moments import duration


def _lines(first: int, last: int, character: int = 1) -> Range:
    return Range(Position(first), Position(last, character))


HIT = Hit(
    chunk_id=1,
    source=Source(1, "workspace", "shop", Path("/shop")),
    path="a b/x[1].py",
    range=_lines(2, 30),
    kind=Kind.CODE,
    title="Client.send",
    language="python",
    snippet="\n".join(f"line {n}" for n in range(20)),
    snippet_range=_lines(10, 29),
    score=0.5,
    signals={},
)
STATE = IndexState(
    state="indexing",
    message="",
    embedder=EmbedderState("builtin", "x", 4, available=True),
    counts=Counts(chunks=100, embedded=40, pending=60),
    sources=(),
    database=Path("x.db"),
    database_bytes=0,
    schema=1,
    writer="",
)


@pytest.mark.parametrize(
    ("stretch", "text"),
    [
        (_lines(0, 0), "1"),
        (_lines(11, 17), "12-18"),
        (_lines(11, 17, 0), "12-17"),
        (_lines(11, 12, 0), "12"),
    ],
)
def test_lines_are_counted_from_one(stretch: Range, text: str) -> None:
    """An end at the start of a line leaves that line out."""
    assert line_span(stretch) == text


@pytest.mark.parametrize(
    ("signals", "text"),
    [
        ({}, ""),
        ({"semantic": 0.714}, "meaning 0.71"),
        ({"definition": True, "keyword": 3.0}, "defines the name · words in its text"),
        ({"keyword": 3.0, "copies": 1}, "words in its text · 1 copy left out"),
        ({"keyword": 3.0, "copies": 2}, "words in its text · 2 copies left out"),
        ({"keyword": 3.0, "unheard": 1}, "words in its text"),
    ],
)
def test_reasons_are_words(signals: dict[str, float], text: str) -> None:
    """Signals are told in words, those that nobody knows not at all."""
    assert why(replace(HIT, signals=signals)) == text


@pytest.mark.parametrize(
    ("marked", "shown"),
    [((), range(11, 19)), ((2,), range(11, 19)), ((12, 14), range(18, 26)), ((19,), range(23, 31))],
)
def test_the_best_lines_are_shown(marked: tuple[int, ...], shown: range) -> None:
    """Eight lines with most marks are shown, the first of equal ones, with their numbers."""
    starts = [sum(len(f"line {n}\n") for n in range(line)) for line in marked]
    hit = replace(HIT, highlights=tuple((start, start + 4) for start in starts))
    numbers = [int(line.plain.split("│")[0]) for line in snippet_lines(hit)]
    assert numbers == [*shown]


def test_blank_ends_are_left_out() -> None:
    """Blank lines around a snippet are not shown, tabs are spaces, and controls can be seen."""
    hit = replace(HIT, snippet="\n \n\tred \x1b[31m\n\n")
    assert [line.plain for line in snippet_lines(hit)] == ["  13 │     red ␛[31m"]


@pytest.mark.parametrize("is_terminal", [True, False])
def test_names_are_not_markup(is_terminal: bool) -> None:
    """A path with brackets is shown as it is; escape codes are for terminals only."""
    file = StringIO()
    show_hits(Console(file=file, force_terminal=is_terminal, markup=False, width=200), [HIT])
    assert "x[1].py" in file.getvalue()
    assert ("\x1b[" in file.getvalue()) is is_terminal


@pytest.mark.parametrize(
    ("progress", "expected"),
    [
        (None, None),
        (Progress(1, 1), None),
        (Progress(3, 9), (3, 9, "file")),
        (Progress(0, 1), (40, 100, "chunk")),
    ],
)
def test_work_is_counted_in_files_or_else_in_chunks(
    progress: Progress | None, expected: tuple[int, int, str] | None
) -> None:
    """Files are counted where there are any; where only vectors are missing, chunks are."""
    found = measure(replace(STATE, progress=progress))
    assert (found and (found.done, found.total, found.noun)) == expected


@pytest.mark.parametrize(("path", "shown"), [("", "~"), ("x/y", "~/x/y"), ("../z", "../z")])
def test_home_is_written_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, shown: str
) -> None:
    """The home directory is `~`, and what is not in it is written in full."""
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    place = Path(os.path.normpath(home / path))
    expected = str(place) if shown.startswith("..") else str(Path(shown))
    assert output.short_home(place) == expected


def test_a_pipe_is_told_of_the_work_once(capfd: pytest.CaptureFixture[str]) -> None:
    """Without a terminal one line announces the work, though its state is told many times."""
    with ProgressView() as view:
        for _ in range(2):
            view.show(replace(STATE, progress=Progress(0, 9)))
    assert capfd.readouterr().err == "Indexing 9 files; Ctrl-C loses nothing.\n"


@pytest.mark.parametrize(
    ("paths", "known", "expected"),
    [
        (["a"], [], Scope(("a",))),
        (["a/b"], ["a"], Scope(("a",), ("a/b",))),
        (["a/b"], ["a", "a/b"], Scope(("a/b",))),
        (["a/b/c.py"], [], Scope(("a/b",), ("a/b/c.py",))),
        (["ab"], ["a"], Scope(("ab",))),
        (["a", "a/b"], ["a"], Scope(("a",), ("a", "a/b"))),
        (["a/b", "ab"], ["a"], Scope(("a", "ab"), ("a/b", "ab"))),
    ],
)
def test_what_paths_mean(
    tmp_path: Path, paths: list[str], known: list[str], expected: Scope
) -> None:
    """A folder in a known source narrows that one; any other is a source of its own."""
    base = tmp_path.resolve()
    for folder in ("a/b", "ab"):
        (base / folder).mkdir(parents=True)
    (base / "a/b/c.py").touch()
    found = scope_of([base / path for path in paths], {base / path for path in known})
    roots, folders = (tuple(base / p for p in part) for part in (expected.roots, expected.folders))
    assert found == Scope(roots, folders)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [("{}:3", 2, None), ("{}:3-7", 2, 6), ("{}:3:14", 2, None)],
)
def test_places(tmp_path: Path, text: str, first: int, last: int | None) -> None:
    """A place is a file with a line, lines, or a line and a column."""
    file = tmp_path / "a b.py"
    file.touch()
    found = place(text.format(file))
    assert (found.path.name, found.first, found.last) == (file.name, first, last)


@pytest.mark.parametrize("text", ["C:\\x\\no such file.py:12", "no:3/such:4/file:12-14"])
def test_colons_in_names(text: str) -> None:
    """A drive letter or a number in a folder's name is no line."""
    with pytest.raises(click.BadParameter, match=r"there is no file .*file(\.py)?$"):
        place(text)


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (output.size(999), "999 bytes"),
        (output.size(41_234_432), "41.2 MB"),
        (output.size(5e9), "5.0 GB"),
        (output.plural(1, "file"), "1 file"),
        (output.plural(3093, "file"), "3,093 files"),
        (duration(0.42), "0.4 s"),
        (duration(12.3), "12 s"),
        (duration(65), "1:05 min"),
        (duration(7800), "2:10 h"),
        (output.age(None), "never"),
        (output.age(datetime.now(UTC)), "just now"),
        (output.age(datetime.now(UTC) - timedelta(minutes=61)), "1 hour ago"),
        (output.age(datetime.now(UTC) - timedelta(days=2)), "2 days ago"),
    ],
)
def test_numbers_are_told_as_people_say_them(found: str, text: str) -> None:
    """Sizes, counts and times have their units."""
    assert found == text
