"""Nested ignore files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hunch.sources.ignore import IgnoreFiles

if TYPE_CHECKING:
    from pathlib import Path


def loaded(root: Path, files: dict[str, str]) -> IgnoreFiles:
    """Write ignore files, a folder each, and load them."""
    for folder, patterns in files.items():
        (root / folder).mkdir(parents=True, exist_ok=True)
        (root / folder / ".hunchignore").write_text(patterns, "utf-8")
    rules = IgnoreFiles(root, ".hunchignore")
    for folder in ("", *files):
        rules.load(folder)
    return rules


@pytest.mark.parametrize(
    ("files", "path", "ignored"),
    [
        ({}, "a.py", None),
        ({"": "*.log"}, "a.py", None),
        ({"": "*.log"}, "x/y/a.log", True),
        ({"": "/a.log"}, "x/a.log", None),
        ({"": "build/"}, "x/build/a.py", True),
        ({"": "build/"}, "build", None),
        ({"": "*.md\n!docs/"}, "docs/a.md", True),
        ({"": "docs/\n!docs/**/*.md"}, "docs/x/a.md", False),
        ({"": "/*\n!/src/"}, "src/a/b.py", False),
        ({"": "**/y/*.b", "x": "!*/"}, "x/y/c.b", True),
        ({"": "x/**"}, "x/y/z", True),
        ({"": "/y"}, "y/y", True),
        ({"": "!/y\n*.a"}, "y/y", False),
        ({"": "*.log\n!keep.log"}, "keep.log", False),
        ({"": "!keep.log\n*.log"}, "keep.log", True),
        ({"": "*.log", "x": "!a.log"}, "x/a.log", False),
        ({"": "!a.log", "x": "*.log"}, "x/a.log", True),
        ({"x": "/a.log"}, "x/a.log", True),
        ({"x": "/a.log"}, "a.log", None),
        ({"x/y": "*"}, "x/y/z/a.log", True),
        ({"": "# no\n\n   \n!\n*.log\n\\"}, "a.log", True),
        ({"": "\ufeff*.log"}, "a.log", True),
        ({"": "a b.txt\nc\\ "}, "a b.txt", True),
    ],
)
def test_the_nearest_and_last_match_decides(
    tmp_path: Path, files: dict[str, str], path: str, ignored: bool | None
) -> None:
    """Later lines win over earlier ones, nearer files over farther ones; nonsense is passed over."""
    verdict = loaded(tmp_path, files).verdict(path)
    assert (verdict.is_ignored if verdict else None) is ignored


def test_a_dropped_file_stays_dropped(tmp_path: Path) -> None:
    """Loading again does not bring it back."""
    rules = loaded(tmp_path, {"": "*"})
    rules.drop("")
    rules.load("")
    assert rules.verdict("a.py") is None


@pytest.mark.parametrize(("patterns", "expected"), [("*.log", False), ("*.log\n!a.log", True)])
def test_re_including_patterns_are_known(tmp_path: Path, patterns: str, expected: bool) -> None:
    """Only a pattern with `!` can bring back what git hides."""
    assert loaded(tmp_path, {"": patterns}).re_includes is expected
