"""Whether a file at some path would be found by a scan, without scanning.

Asked of files that do not exist yet, such as unsaved buffers, and of folders that just appeared.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from hunch.sources import git
from hunch.sources.ignore import IgnoreFiles
from hunch.sources.paths import exists
from hunch.sources.rules import reason_to_skip
from hunch.sources.tree import is_made_by_tools

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["admitted", "is_made_by_tools"]


def admitted(root: Path, paths: Sequence[str]) -> list[str]:
    """Return those paths at which a scan of `root` would find a file, if there were one. Blocks.

    Contents and sizes are not judged. A file that git tracks is admitted whatever ignore files say.

    Args:
        root: a real path, as `real_root` gives it.
        paths: relative to it, with forward slashes.
    """
    wanted = [path for path in paths if reason_to_skip(path) is None and not _is_apart(root, path)]
    own = IgnoreFiles(root, ".hunchignore")
    hidden = _hidden_by_projects(root, wanted)
    kept: list[str] = []
    for path in wanted:
        for folder in _folders_above(path):
            own.load(folder)
        verdict = own.verdict(path)
        if path not in hidden if verdict is None else not verdict.is_ignored:
            kept.append(path)
    return kept


def _hidden_by_projects(root: Path, paths: Sequence[str]) -> set[str]:
    """Return what the ignore rules of git, or those of the same kind outside it, hide."""
    hidden = set[str]()
    by_repository: dict[str | None, list[str]] = {}
    for path in paths:
        by_repository.setdefault(_repository(root, path), []).append(path)
    for repository, members in by_repository.items():
        if repository is None:
            hidden |= _hidden_outside_git(root, members)
        else:
            prefix = f"{repository}/" if repository else ""
            inner = [path.removeprefix(prefix) for path in members]
            hidden |= {prefix + path for path in git.ignored(root / repository, inner)}
    return hidden


def _repository(root: Path, path: str) -> str | None:
    """Return the folder of the repository that a path belongs to; None outside of any."""
    for folder in _folders_above(path):
        if exists(root / folder / ".git"):
            return folder
    return "" if git.is_in_work_tree(root) else None


def _hidden_outside_git(root: Path, paths: Sequence[str]) -> set[str]:
    rules = IgnoreFiles(root, ".gitignore")
    hidden = set[str]()
    for path in paths:
        folders = [*reversed(_folders_above(path))]
        for folder in folders:
            rules.load(folder)
        inner = [folder for folder in folders if folder]
        if (
            any(is_made_by_tools(PurePosixPath(folder).name) for folder in inner)
            or any(rules.hides(folder, is_folder=True) for folder in inner)
            or rules.hides(path, is_folder=False)
        ):
            hidden.add(path)
    return hidden


def _is_apart(root: Path, path: str) -> bool:
    """Say whether a path lies in version control's own folder or in another checkout."""
    folders = [folder for folder in _folders_above(path) if folder]
    return ".git" in path.split("/") or any(
        git.is_linked_work_tree(root / folder) for folder in folders
    )


def _folders_above(path: str) -> list[str]:
    """List the folders above a path, nearest first; the last is the root, `""`."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:count]) for count in range(len(parts), -1, -1)]
