"""Whether a file at some path would be found by a scan, without scanning.

Asked of files that do not exist yet, such as unsaved buffers, and of folders that just appeared.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hunch.sources import git
from hunch.sources.ignore import IgnoreFiles
from hunch.sources.paths import exists, is_link
from hunch.sources.rules import reason_to_skip
from hunch.sources.tree import is_made_by_tools

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from hunch.sources.ignore import Verdict


def admitted(root: Path, paths: Sequence[str]) -> list[str]:
    """Return those paths at which a scan of `root` would find a file, if there were one. Blocks.

    Contents and sizes are not judged. A file that git tracks is admitted whatever ignore files say.
    Rules that hide everything count here, though a scan leaves them out of account.

    Args:
        root: a real path, as `real_root` gives it.
        paths: relative to it, with forward slashes.
    """
    return unhidden(root, [path for path in paths if reason_to_skip(path) is None])


def unhidden(root: Path, paths: Sequence[str]) -> list[str]:
    """Return those paths that no ignore rule hides, whatever their names say of them. Blocks.

    A change at any other path is nothing to a scan. What is in a folder that is hidden may be let in
    by rules of its own.

    Args:
        root: a real path, as `real_root` gives it.
        paths: relative to it, with forward slashes.
    """
    places = _Places(root)
    wanted = [path for path in paths if not places.hides(path)]
    own = IgnoreFiles(root, ".hunchignore")
    hidden = _hidden_by_projects(root, wanted, places)
    for folder in {folder for path in wanted for folder in _folders_above(path)}:
        own.load(folder)
    verdicts = {path: own.verdict(path) for path in wanted}
    brought_back = {v.said_of for path, v in verdicts.items() if v and path in hidden}
    hidden |= _hidden_by_projects(root, sorted(brought_back - hidden), places)
    return [path for path in wanted if _is_let_in(path, verdicts[path], hidden)]


def _is_let_in(path: str, verdict: Verdict | None, hidden: set[str]) -> bool:
    """Weigh what our own rules say against what those of the project hide.

    A pattern that brings back a folder which was not hidden says nothing of what is hidden in it.
    """
    if verdict is None:
        return path not in hidden
    return not verdict.is_ignored and (path not in hidden or verdict.said_of in hidden)


def unlisted_folders(root: Path, folders: Iterable[str], known: Iterable[str]) -> set[str]:
    """Return the folders below some others in which a scan would find files, if there were any. Blocks.

    They are what git does not list: empty, or full of ignored files only.

    Args:
        root: a real path, as `real_root` gives it.
        folders: where to look, relative to the root.
        known: folders that are neither returned nor looked into.
    """
    found, seen = set[str](), {*known}
    level = [*folders]
    while level:
        below = [path for folder in level for path in _folders_in(root, folder, seen)]
        seen.update(below)
        level = [path.removesuffix("/x") for path in admitted(root, [f"{p}/x" for p in below])]
        found.update(level)
    return found


def _folders_in(root: Path, folder: str, seen: set[str]) -> list[str]:
    try:
        with os.scandir(root / folder) as entries:
            names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    prefix = f"{folder}/" if folder else ""
    paths = [path for name in names if (path := f"{prefix}{name}") not in seen]
    return [path for path in paths if not is_made_by_tools(root / path)]


class _Places:
    """What is known of the folders in a root."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._apart = {"": False}
        self._repositories: dict[str, bool] = {}
        self._is_root_listed = git.is_in_work_tree(root) and not git.ignores(root)

    def hides(self, path: str) -> bool:
        """Say whether a path is behind a link, in version control's own folder or another checkout."""
        return path.rpartition("/")[2] == ".git" or self._is_apart(_above(path))

    def _is_apart(self, folder: str) -> bool:
        known = self._apart.get(folder)
        if known is None:
            place = self._root / folder
            known = self._apart[folder] = (
                self._is_apart(_above(folder))
                or place.name == ".git"
                or is_link(place)
                or git.is_linked_work_tree(place)
            )
        return known

    def judges(self, path: str) -> list[tuple[str | None, str]]:
        """Return whom to ask whether a path is ignored, and of what, from the inside out.

        Each is the folder of a repository, or None for the rules outside of any. The repository
        around another one is asked of the latter's folder.
        """
        asked: list[tuple[str | None, str]] = []
        for folder in _folders_above(path)[:-1]:
            if self._is_repository(folder):
                asked.append((folder, path))
                path = folder
        asked.append(("" if self._is_root_listed else None, path))
        return asked

    def _is_repository(self, folder: str) -> bool:
        known = self._repositories.get(folder)
        if known is None:
            known = self._repositories[folder] = exists(self._root / folder / ".git")
        return known


def _hidden_by_projects(root: Path, paths: Sequence[str], places: _Places) -> set[str]:
    """Return what the ignore rules of git, or those of the same kind outside it, hide."""
    judges = {path: places.judges(path) for path in paths}
    asked: dict[str | None, set[str]] = {}
    for pairs in judges.values():
        for judge, of in pairs:
            asked.setdefault(judge, set()).add(of)
    hidden = {judge: _hidden_by(root, judge, sorted(of)) for judge, of in asked.items()}
    return {path for path in paths if any(of in hidden[judge] for judge, of in judges[path])}


def _hidden_by(root: Path, judge: str | None, paths: Sequence[str]) -> set[str]:
    if judge is None:
        return _hidden_outside_git(root, paths)
    prefix = f"{judge}/" if judge else ""
    try:
        inner = [path.removeprefix(prefix) for path in paths]
        return {prefix + path for path in git.ignored(root / judge, inner)}
    except git.GitError:
        return _hidden_outside_git(root, paths)


def _hidden_outside_git(root: Path, paths: Sequence[str]) -> set[str]:
    rules = IgnoreFiles(root, ".gitignore")
    hidden: dict[str, bool] = {"": False}

    def is_hidden(folder: str) -> bool:
        if folder not in hidden:
            above = _above(folder)
            hidden[folder] = (
                is_hidden(above)
                or is_made_by_tools(root / folder)
                or rules.hides(folder, is_folder=True)
            )
        rules.load(folder)
        return hidden[folder]

    return {
        path
        for path in paths
        if is_hidden(_above(path))
        or (is_hidden(path) if (root / path).is_dir() else rules.hides(path, is_folder=False))
    }


def _above(path: str) -> str:
    return path.rpartition("/")[0]


def _folders_above(path: str) -> list[str]:
    """List the folders above a path, nearest first; the last is the root, `""`."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:count]) for count in range(len(parts), -1, -1)]
