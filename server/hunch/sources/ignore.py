"""Nested ignore files in gitignore syntax: `.hunchignore`, and `.gitignore` outside git."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pathspec import GitIgnoreSpec

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MAX_BYTES = 1_000_000


class Verdict(NamedTuple):
    """What one pattern says of a path."""

    is_ignored: bool
    """False when the pattern starts with `!`."""
    pattern: tuple[str, int]
    """Which pattern: the folder of its file, and its number there."""


class IgnoreFiles:
    """The ignore files of one name in a tree. Folders are relative to its root, `""` is the root."""

    def __init__(self, root: Path, name: str) -> None:
        self._root = root
        self._name = name
        self._specs: dict[str, GitIgnoreSpec] = {}

    def load(self, folder: str) -> None:
        """Take in the folder's own ignore file, if it has one, unless it was dropped."""
        if folder not in self._specs:
            spec = _read(self._root / folder / self._name)
            if spec is not None:
                self._specs[folder] = spec

    def drop(self, folder: str) -> None:
        """Leave the folder's own ignore file out of account."""
        self._specs[folder] = GitIgnoreSpec([])

    @property
    def re_includes(self) -> bool:
        """Whether any pattern starts with `!`."""
        return any(p.include is False for spec in self._specs.values() for p in spec.patterns)

    def verdict(self, path: str, *, is_folder: bool = False) -> Verdict | None:
        """Return what the last pattern that matches says of the path; `None` when none matches.

        A nearer ignore file has the last word over those of the folders above. A pattern that
        matches a folder matches everything in it.
        """
        if not self._specs:
            return None
        tail = "/" if is_folder else ""
        for folder, inner in _seen_from_above(path):
            spec = self._specs.get(folder)
            found = spec.check_file(inner + tail) if spec else None
            if found and found.include is not None and found.index is not None:
                return Verdict(found.include, (folder, found.index))
        return None

    def hides(self, path: str, *, is_folder: bool = False) -> bool:
        """Say whether the path is ignored."""
        verdict = self.verdict(path, is_folder=is_folder)
        return verdict is not None and verdict.is_ignored


def _seen_from_above(path: str) -> Iterator[tuple[str, str]]:
    """Yield every folder above `path`, nearest first, with the path as seen from there."""
    cut = path.rfind("/")
    while cut >= 0:
        yield path[:cut], path[cut + 1 :]
        cut = path.rfind("/", 0, cut)
    yield "", path


def _read(path: Path) -> GitIgnoreSpec | None:
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES)
    except OSError:
        return None
    return _parse(content.decode("utf-8-sig", "replace").splitlines())


def _parse(lines: list[str]) -> GitIgnoreSpec:
    """Parse patterns as git does: one that means nothing is passed over."""
    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return GitIgnoreSpec.from_lines(line for line in lines if _is_pattern(line))


def _is_pattern(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True
