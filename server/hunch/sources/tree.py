"""Listing the regular files of a folder, before any rule of our own.

Inside git, git lists; outside it, a walk that honours nested `.gitignore` files. Either may meet the
other: a folder of projects is walked, each project in it is listed by git, and a submodule is listed
by git once more. Symbolic links are never followed: a target inside the folder is reached by its own
path, one outside is not ours to read.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from hunch.model import FoundFile, Problem
from hunch.sources import git
from hunch.sources.ignore import IgnoreFiles
from hunch.sources.paths import exists, is_link, real
from hunch.sources.stopping import Stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".jj", ".bzr", "CVS", "_darcs", ".pijul"})
_MADE_BY_TOOLS = """
    node_modules bower_components jspm_packages .pnpm-store .yarn .parcel-cache .turbo .angular
    .next .nuxt .svelte-kit
    __pycache__ __pypackages__ site-packages .venv .virtualenv .tox .nox .eggs .mypy_cache
    .pytest_cache .ruff_cache .hypothesis .ipynb_checkpoints .direnv
    .gradle .terraform .terragrunt-cache .bundle .dart_tool .stack-work .elixir_ls _build
    .zig-cache zig-cache DerivedData .cache .Trash .idea .vs
"""
_IS_MADE_BY_TOOLS = frozenset(_MADE_BY_TOOLS.split())
"""Folders that the ignore file of their project would name, had it one."""
_CACHE_MARKS = ("pyvenv.cfg", "CACHEDIR.TAG")
"""Files that say of their folder that a tool can make it again."""
_MOUNT_POINT = 0xA0000003
"""`IO_REPARSE_TAG_MOUNT_POINT`: a Windows junction, a link that does not look like one."""


class Tree:
    """One folder and what was noticed while listing it."""

    def __init__(self, root: Path, should_stop: Callable[[], bool]) -> None:
        self._root = root
        self._base = os.path.join(root, "")  # noqa: PTH118 -- joining Paths would cost more than lstat
        self._should_stop = should_stop
        self._real_folders = {"": True}
        self.walked = {""}
        """The folders that were entered one by one, where no git listed them."""
        self.problems: dict[str, Problem] = {}
        """Files and folders that could not be listed, by their paths."""
        self.warnings: list[str] = []
        """Sentences about the folder as a whole."""

    def files(self) -> list[FoundFile]:
        """List the files that no ignore rule hides, in no order.

        Rules that would hide everything are left out of account, with a warning.

        Raises:
            Stopped: `should_stop` said so.
        """
        found: list[FoundFile] = []
        if git.is_in_work_tree(self._root):
            found = list(self._listed_by_git(""))
        if found:
            return found
        rules = IgnoreFiles(self._root, ".gitignore")
        found = list(self._walk("", rules))
        if found:
            return found
        rules.drop("")
        found = list(self._walk("", rules))
        if found:
            self.warnings.append("the folder's ignore rules hide everything and were not applied")
        return found

    def hidden_files(self) -> Iterator[FoundFile]:
        """List the files that ignore rules hide, and perhaps some that they do not."""
        if git.is_in_work_tree(self._root):
            return self._listed_by_git("", ignored=True)
        return self._walk("", None)

    def _listed_by_git(self, folder: str, *, ignored: bool = False) -> Iterator[FoundFile]:
        try:
            names = git.list_files(
                self._root / folder, ignored=ignored, should_stop=self._should_stop
            )
        except git.GitError as error:
            self.warnings.append(f"{error}; files were looked for without git")
            rules = None if ignored else IgnoreFiles(self._root, ".gitignore")
            yield from self._walk(folder, rules)
            return
        for name in names:
            path = _join(folder, name)
            if self._is_real_folder(path.rpartition("/")[0]):
                yield from self._visit(path)

    def _walk(self, top: str, rules: IgnoreFiles | None) -> Iterator[FoundFile]:
        folders = [top]
        while folders:
            folder = folders.pop()
            self.walked.add(folder)
            if rules:
                rules.load(folder)
            for entry in self._entries(folder):
                path = _join(folder, entry.name)
                is_folder = entry.is_dir(follow_symlinks=False)
                if rules and (_is_made(entry) or rules.hides(path, is_folder=is_folder)):
                    continue
                if is_folder and not exists(self._root / path / ".git"):
                    folders.append(path)
                else:
                    yield from self._visit(path)

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(self._root / folder) as entries:
                return [entry for entry in entries if entry.name not in _VERSION_CONTROL]
        except OSError as error:
            self._fail(folder or ".", error)
            return []

    def _visit(self, path: str) -> Iterator[FoundFile]:
        """Yield the file at `path`, or the files of the repository there."""
        if self._should_stop():
            raise Stopped
        try:
            path.encode()
            status = os.lstat(self._base + path)
        except UnicodeEncodeError:
            self._skip(os.fsencode(path).decode("utf-8", "replace"), "its name is not UTF-8")
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError as error:
            self._fail(path, error)
        else:
            if stat.S_ISDIR(status.st_mode):
                yield from self._nested_repository(path)
            elif stat.S_ISREG(status.st_mode):
                yield FoundFile(path, status.st_size, status.st_mtime_ns)
            elif stat.S_ISLNK(status.st_mode):
                self._note_link(path)

    def _nested_repository(self, path: str) -> Iterator[FoundFile]:
        if git.is_linked_work_tree(self._root / path):
            self._skip(path, "another checkout of a repository")
        elif exists(self._root / path / ".git"):
            yield from self._listed_by_git(path)

    def _note_link(self, path: str) -> None:
        if not real(self._root / path).is_relative_to(self._root):
            self._skip(path, "a symbolic link out of the folder")

    def _is_real_folder(self, folder: str) -> bool:
        """Say whether no part of the path is a link, which git's index may not have noticed."""
        known = self._real_folders.get(folder)
        if known is None:
            above = folder.rpartition("/")[0]
            known = self._is_real_folder(above) and not is_link(self._root / folder)
            self._real_folders[folder] = known
        return known

    def _skip(self, path: str, reason: str) -> None:
        self.problems[path] = Problem(path, reason)

    def _fail(self, path: str, error: OSError) -> None:
        reason = (error.strerror or type(error).__name__).lower()
        self.problems[path] = Problem(path, reason, "failed")


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def is_made_by_tools(folder: Path) -> bool:
    """Say whether a folder, if it is one, was made by a tool that can make it again."""
    if folder.name in _IS_MADE_BY_TOOLS or folder.name in _VERSION_CONTROL:
        return True
    return any(exists(folder / mark) for mark in _CACHE_MARKS)


def _is_made(entry: os.DirEntry[str]) -> bool:
    """Say whether a tool made the folder and can make it again, or it is a junction."""
    if not entry.is_dir(follow_symlinks=False):
        return False
    return is_made_by_tools(Path(entry)) or _is_junction(entry)


def _is_junction(entry: os.DirEntry[str]) -> bool:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    return getattr(status, "st_reparse_tag", 0) == _MOUNT_POINT
