"""Nested ignore files in gitignore syntax: `.hunchignore`, and `.gitignore` outside git.

A pattern speaks of a path itself, not of what lies below it, as in git: `!docs/` after `*.md` takes
nothing back. What is said of a folder counts for the paths in it of which nothing is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from pathspec import GitIgnoreSpec

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator
    from pathlib import Path

_MAX_BYTES = 1_000_000


class Verdict(NamedTuple):
    """What ignore files say of a path."""

    is_ignored: bool
    """False when the pattern starts with `!`."""
    said_of: str
    """The path that the pattern matched: the path asked for, or a folder above it."""


class _Pattern(NamedTuple):
    is_ignored: bool
    regex: re.Pattern[str]

    def matches(self, text: str) -> bool:
        """Say whether the pattern matches the whole path, which ends with a slash for a folder.

        pathspec's expressions also match what lies in a folder that they match, and then end at the
        folder's slash, which they put into a group. Those without a group match by themselves at
        any depth (`*`), or whatever lies in a folder (`x/**`). The one for `*/` is a mere slash and
        must be tried at the end.
        """
        found = self.regex.search(text)
        if found is None:
            return False
        if self.regex.groups == 0:
            return found.end() < len(text) or not text.endswith("/")
        return found.end() == len(text) or self.regex.search(text, len(text) - 1) is not None


class IgnoreFiles:
    """The ignore files of one name in a tree. Folders are relative to its root, `""` is the root."""

    def __init__(self, root: Path, name: str) -> None:
        self._root = root
        self._name = name
        self._patterns: dict[str, list[_Pattern]] = {}
        """By folder; the pattern that counts most comes first."""

    def load(self, folder: str) -> None:
        """Take in the folder's own ignore file, if it has one, unless it was dropped."""
        if folder not in self._patterns:
            patterns = _read(self._root / folder / self._name)
            if patterns:
                self._patterns[folder] = patterns

    def drop(self, folder: str) -> None:
        """Leave the folder's own ignore file out of account."""
        self._patterns[folder] = []

    @property
    def re_includes(self) -> bool:
        """Whether any pattern starts with `!`."""
        return any(not p.is_ignored for patterns in self._patterns.values() for p in patterns)

    def verdict(self, path: str) -> Verdict | None:
        """Return what is said of a file, or else of the nearest folder above it."""
        if not any(self._patterns.values()):
            return None
        levels = [path, *(f"{folder}/" for folder, _ in _seen_from_above(path) if folder)]
        for level in levels:
            said = self._said_of(level)
            if said is not None:
                return Verdict(said, level.rstrip("/"))
        return None

    def hides(self, path: str, *, is_folder: bool) -> bool:
        """Say whether a path is ignored itself; what is said of the folders above does not count."""
        return self._said_of(f"{path}/" if is_folder else path) is True

    def _said_of(self, path: str) -> bool | None:
        """Return what the last pattern says that matches; the nearest file has the last word."""
        tail = path[len(path.rstrip("/")) :]
        for folder, inner in _seen_from_above(path.rstrip("/")):
            for pattern in self._patterns.get(folder, ()):
                if pattern.matches(inner + tail):
                    return pattern.is_ignored
        return None


def _seen_from_above(path: str) -> Iterator[tuple[str, str]]:
    """Yield every folder above `path`, nearest first, with the path as seen from there."""
    cut = path.rfind("/")
    while cut >= 0:
        yield path[:cut], path[cut + 1 :]
        cut = path.rfind("/", 0, cut)
    yield "", path


def _read(path: Path) -> list[_Pattern]:
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES)
    except OSError:
        return []
    lines = content.decode("utf-8-sig", "replace").splitlines()
    return [pattern for line in reversed(lines) for pattern in _parse(line)]


def _parse(line: str) -> Iterator[_Pattern]:
    """Yield the pattern of a line; a comment, a blank line and a line that means nothing have none."""
    try:
        parsed = GitIgnoreSpec.from_lines([line]).patterns
    except ValueError:
        return
    for pattern in parsed:
        regex = cast("re.Pattern[str] | None", pattern.regex)  # pyright: ignore[reportUnknownMemberType] -- pathspec does not say of what
        if pattern.include is not None and regex is not None:
            yield _Pattern(pattern.include, regex)
