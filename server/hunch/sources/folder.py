"""The door to the files of a folder: find them, read them, and refuse what is too wide."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hunch.errors import RefusedFolder
from hunch.model import FoundFile, Problem
from hunch.sources import git
from hunch.sources.admission import admitted, unhidden
from hunch.sources.ignore import IgnoreFiles
from hunch.sources.paths import own_prefixes
from hunch.sources.reading import Read, read
from hunch.sources.rules import larger_than, reason_to_skip
from hunch.sources.stopping import Stopped
from hunch.sources.tree import Tree
from hunch.sources.width import real_root, refuse_wide

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from pathlib import Path

__all__ = [
    "Read",
    "Scan",
    "Stopped",
    "admitted",
    "is_rule",
    "marks",
    "peek",
    "read",
    "real_root",
    "refuse_wide",
    "scan",
    "unhidden",
]


@dataclass(frozen=True, slots=True)
class Scan:
    """What a folder holds at one moment."""

    files: list[FoundFile]
    """The files to read, sorted by path; reading may still show that one is not wanted."""
    problems: list[Problem]
    """Files and folders that are passed over, sorted by path."""
    warnings: list[str]
    """Sentences about the folder as a whole."""
    folders: frozenset[str] = frozenset({""})
    """The folders, relative to the root, in which something must change for another scan to differ,
    if no folder is made and git's own state and ignore files stay as they are.
    """


def scan(
    root: Path,
    *,
    max_file_bytes: int,
    own: Path | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Scan:
    """List the files of a folder. Blocks; meant for a thread.

    Args:
        root: a real path, as `real_root` gives it.
        max_file_bytes: larger files are passed over.
        own: the index database: it is not listed, nor is what lies beside it under its name.
        should_stop: asked before every file; must be quick.

    Raises:
        RefusedFolder: the folder is gone or may not be opened, which says nothing of its files.
        Stopped: `should_stop` said so.
    """
    try:
        os.scandir(root).close()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise RefusedFolder(f"The folder cannot be opened: {reason.lower()}.") from error
    tree = Tree(root, should_stop)
    chosen = _apply_own_rules(root, tree)
    files: list[FoundFile] = []
    problems = list(tree.problems.values())
    ours = _own_prefixes(root, own)
    for file in chosen:
        if file.path.startswith(ours):
            continue
        judged = _judge(file, max_file_bytes)
        if isinstance(judged, Problem):
            problems.append(judged)
        else:
            files.append(judged)
    files.sort(key=lambda file: file.path)
    problems.sort(key=lambda problem: problem.path)
    folders = tree.walked.union(*(_folders_above(file.path) for file in chosen))
    return Scan(files, problems, tree.warnings, frozenset(folders))


def peek(root: Path, paths: Sequence[str], *, max_file_bytes: int) -> list[FoundFile | Problem]:
    """Look at some files that a scan has listed, without listing again. Blocks.

    Nothing is found out about ignore rules and about links on the way to a file; whoever reads the
    file is told of the latter.

    Args:
        root: a real path, as `real_root` gives it.
        paths: relative to it, with forward slashes.
        max_file_bytes: larger files are passed over.
    """
    found: list[FoundFile | Problem] = []
    for path in paths:
        try:
            status = (root / path).lstat()
        except (OSError, ValueError):
            found.append(Problem(path, "it is gone"))
            continue
        if stat.S_ISREG(status.st_mode):
            file = FoundFile(path, status.st_size, status.st_mtime_ns)
            found.append(_judge(file, max_file_bytes))
        else:
            found.append(Problem(path, "not a regular file"))
    return found


def marks(root: Path) -> Hashable:
    """Return the state of git's own files; while it is the same, git lists by the same rules. Blocks.

    Ignore files in the folder itself are left to whoever watches it.
    """
    return tuple(map(_mark, [*git.rule_files(root), *git.users_rule_files()]))


def is_rule(path: str) -> bool:
    """Tell whether a file says which others are to be left out."""
    return path.rpartition("/")[2] in {".gitignore", ".hunchignore"}


def _mark(file: Path) -> tuple[int, int, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _judge(file: FoundFile, max_file_bytes: int) -> FoundFile | Problem:
    reason = reason_to_skip(file.path)
    if reason is None and file.size > max_file_bytes:
        reason = larger_than(max_file_bytes)
    return file if reason is None else Problem(file.path, reason)


def _own_prefixes(root: Path, own: Path | None) -> tuple[str, ...]:
    base = str(root / "_")[:-1]
    prefixes = own_prefixes(own) if own else ()
    return tuple(p.removeprefix(base).replace(os.sep, "/") for p in prefixes if p.startswith(base))


def _apply_own_rules(root: Path, tree: Tree) -> list[FoundFile]:
    """Leave out what `.hunchignore` files hide, and take in what they re-include."""
    listed = tree.files()
    folders = {""}.union(*(_folders_above(file.path) for file in listed))
    rules = IgnoreFiles(root, ".hunchignore")
    for folder in folders:
        rules.load(folder)
    kept = [file for file in listed if not _is_hidden(file.path, rules)]
    if listed and not kept and not rules.re_includes:
        tree.warnings.append(".hunchignore hides everything and was not applied")
        return listed
    if rules.re_includes:
        known = {file.path for file in listed}
        kept += [
            file
            for file in tree.hidden_files()
            if file.path not in known and _is_re_included(file.path, rules, folders)
        ]
    return kept


def _is_hidden(path: str, rules: IgnoreFiles) -> bool:
    verdict = rules.verdict(path)
    return verdict is not None and verdict.is_ignored


def _is_re_included(path: str, rules: IgnoreFiles, visible: set[str]) -> bool:
    """Say whether a `!` pattern speaks of a hidden file, or of a hidden folder around it.

    A pattern that re-includes a folder which was not hidden (`!src/`) says nothing of the build
    output in it.
    """
    verdict = rules.verdict(path)
    return verdict is not None and not verdict.is_ignored and verdict.said_of not in visible


def _folders_above(path: str) -> list[str]:
    """List the folders above a path, nearest first, without the root."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]
