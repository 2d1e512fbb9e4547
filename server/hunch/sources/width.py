"""Telling a project from a folder that is too wide to index by accident."""

from __future__ import annotations

import os
from pathlib import Path

from hunch.errors import RefusedFolder
from hunch.sources.paths import exists, real

_MARKERS = """
    .git .hg .svn .jj .hunchignore pyproject.toml setup.py package.json Cargo.toml go.mod pom.xml
    build.gradle build.gradle.kts settings.gradle composer.json Gemfile mix.exs Package.swift
    CMakeLists.txt Makefile meson.build deno.json flake.nix
"""
_PARENTS_OF_HOMES = ("/home", "/Users", "C:\\Users")


def real_root(path: Path) -> Path:
    """Return the folder's real path, which is its identity: absolute, links followed."""
    return real(Path(os.path.expanduser(path)))  # noqa: PTH111 -- Path.expanduser may raise


def refuse_wide(root: Path) -> None:
    """Refuse a home directory, whatever holds one, and a file system's root.

    A folder with a project's marker in it is let in, whatever else it is.

    Raises:
        RefusedFolder: the folder is too wide to be meant.
    """
    wide = _wideness(root)
    if wide and not any(exists(root / marker) for marker in _MARKERS.split()):
        raise RefusedFolder(
            f"This folder is {wide}, which is too much to index by accident. Open a project in it,"
            " or run `hunch index --yes` there to index all of it."
        )


def _wideness(root: Path) -> str | None:
    if root == Path(root.anchor):
        return "the root of a file system"
    home = _home()
    if root == home:
        return "your home directory"
    if str(root) in _PARENTS_OF_HOMES or (home and home.is_relative_to(root)):
        return "a folder of home directories"
    return None


def _home() -> Path | None:
    try:
        return real(Path.home())
    except RuntimeError:  # no variable and no user database names one
        return None
