"""Refusing folders that are too wide."""

from __future__ import annotations

from pathlib import Path

import pytest

from hunch.errors import RefusedFolder
from hunch.sources.folder import real_root, refuse_wide


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder the home directory."""
    place = tmp_path.resolve() / "homes" / "me"
    place.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("USERPROFILE", str(place))
    return place


def test_homes_and_roots_are_refused(home: Path) -> None:
    """The message says what the folder is and how to insist, and does not name it."""
    for place, what in (
        (home, "your home directory"),
        (home.parent, "a folder of home directories"),
        (home.parent.parent, "a folder of home directories"),
        (Path(home.anchor), "the root of a file system"),
    ):
        with pytest.raises(RefusedFolder, match=what) as caught:
            refuse_wide(place)
        assert "--yes" in str(caught.value)
        assert "homes" not in str(caught.value)


def test_other_folders_are_let_in(home: Path) -> None:
    """A folder in a home directory, or beside it, is narrow enough."""
    for name in ("project", "notes"):
        (home / name).mkdir()
        refuse_wide(home / name)
    (home.parent.parent / "elsewhere").mkdir()
    refuse_wide(home.parent.parent / "elsewhere")


@pytest.mark.parametrize(
    "marker", [".git", "pyproject.toml", "package.json", "Cargo.toml", "go.mod"]
)
def test_a_project_marker_lets_a_home_in(home: Path, marker: str) -> None:
    """Who keeps a project in the home directory means it."""
    (home / marker).mkdir()
    refuse_wide(home)


def test_the_real_root_is_absolute_and_without_links(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tilde, a relative path and a link all lead to the same real path."""
    (home / "project").mkdir()
    monkeypatch.chdir(home)
    assert real_root(Path("~/project")) == home / "project"
    assert real_root(Path("project/../project")) == home / "project"
    try:
        (home / "link").symlink_to(home / "project", target_is_directory=True)
    except OSError:
        pytest.skip("this system does not allow symbolic links")
    assert real_root(home / "link") == home / "project"
