"""Asking git which files of a work tree are not ignored.

git knows all its own rules (nested `.gitignore`, `core.excludesFile`, `.git/info/exclude`) and reads
its index instead of the tree. A repository's configuration can name programs to run, so those that
`git ls-files` would start are switched off.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from hunch.sources.paths import exists
from hunch.sources.stopping import Stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_POLL_SECONDS = 0.2
_WAIT_SECONDS = 120.0
_SAFE = ("-c", "core.fsmonitor=false")
_COMMAND = ("git", *_SAFE, "ls-files", "-z", "--exclude-standard")
_WANTED = ("--cached", "--others")
_IGNORED = ("--others", "--ignored")
_TRACKED = ("--cached",)
_OVERRIDES = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"})
"""Set while git runs a hook; they would point us at another repository."""


_REMOTE = re.compile(r'^\[remote "([^"\n]+)"\](?:\n(?!\[).*)*?\n\s*url\s*=\s*(\S+)', re.MULTILINE)
_URL = re.compile(
    r"(?:[a-z+]+://)?(?:[^@/\s]+@)?(?P<host>[\w.-]+\.[a-z]+)(?::\d+/|[:/])(?P<path>\S+)",
    re.IGNORECASE,
)


class GitError(Exception):
    """git is missing, or would not list this work tree."""


def is_in_work_tree(folder: Path) -> bool:
    """Say whether git would find a repository at the folder or above it."""
    return _work_tree(folder) is not None


def is_linked_work_tree(folder: Path) -> bool:
    """Say whether the folder is a second checkout of a repository (`git worktree add`)."""
    try:
        pointer = (folder / ".git").read_text("utf-8", "replace")
    except OSError:
        return False
    return "/worktrees/" in pointer.replace("\\", "/")


def list_files(
    folder: Path, *, ignored: bool = False, should_stop: Callable[[], bool] = lambda: False
) -> list[str]:
    """List the files below `folder` that git does not ignore, or those that it does.

    The paths are relative to `folder`; undecodable bytes in them are surrogates. Submodules and
    repositories that lie in the work tree are entries of their own, not listed into. Files that
    were deleted but not staged are still listed.

    Raises:
        GitError: nothing could be listed.
        Stopped: `should_stop` said so.
    """
    return _list(folder, _IGNORED if ignored else _WANTED, should_stop)


def _list(folder: Path, kinds: Sequence[str], should_stop: Callable[[], bool]) -> list[str]:
    process = _start([*_COMMAND, *kinds], folder, subprocess.DEVNULL)
    if process is None:
        raise GitError("git could not be started")
    output = _wait(process, should_stop)
    if process.returncode != 0:
        raise GitError(f"git ls-files ended with code {process.returncode}")
    names = {os.fsdecode(name).rstrip("/") for name in output.split(b"\0")}
    return sorted(names - {""})


def _start(arguments: Sequence[str], folder: Path, stdin: int) -> subprocess.Popen[bytes] | None:
    """Start git; None when that is not possible."""
    environment = {k: v for k, v in os.environ.items() if k not in _OVERRIDES}
    environment["GIT_OPTIONAL_LOCKS"] = "0"
    with suppress(OSError):
        return subprocess.Popen(
            arguments,
            cwd=folder,
            env=environment,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    return None


def ignored(folder: Path, paths: Sequence[str]) -> set[str]:
    """Return those paths that git ignores, existing or not; what it tracks is never ignored.

    What lies behind a link counts as ignored, since git does not list it.

    Args:
        folder: in the work tree.
        paths: relative to the folder, with forward slashes, none of them in another repository.

    Raises:
        GitError: git is missing, or does not know this work tree.
    """
    hidden = _hidden_by_rules(folder, paths) if paths else set[str]()
    # git could leave out what it tracks by itself, but compares each path with all of its index.
    return hidden.difference(_list(folder, _TRACKED, lambda: False)) if hidden else hidden


def _hidden_by_rules(folder: Path, paths: Sequence[str]) -> set[str]:
    command = ["git", *_SAFE, "check-ignore", "--no-index", "-z", "--stdin"]
    process = _start(command, folder, subprocess.PIPE)
    if process is None:
        raise GitError("git could not be started")
    try:
        told, _ = process.communicate(b"\0".join(map(os.fsencode, paths)), timeout=_WAIT_SECONDS)
    except subprocess.TimeoutExpired as error:
        process.kill()
        process.communicate()
        raise GitError("git check-ignore took too long") from error
    if process.returncode in {0, 1}:
        return {os.fsdecode(name) for name in told.split(b"\0") if name}
    if not _knows(folder):
        raise GitError(f"git check-ignore ended with code {process.returncode}")
    # One path that it refuses to judge is the end of it for all.
    if len(paths) == 1:
        return {*paths}
    half = len(paths) // 2
    return _hidden_by_rules(folder, paths[:half]) | _hidden_by_rules(folder, paths[half:])


def _knows(folder: Path) -> bool:
    """Say whether git finds its work tree around the folder."""
    process = _start(["git", *_SAFE, "rev-parse", "--git-dir"], folder, subprocess.DEVNULL)
    if process is None:
        return False
    with suppress(GitError):
        _wait(process, lambda: False)
    return process.returncode == 0


def ignores(folder: Path) -> bool:
    """Say whether the repository around a folder ignores all of it."""
    place = _work_tree(folder)
    if place is None or place == folder:
        return False
    with suppress(GitError):
        return bool(ignored(place, [folder.relative_to(place).as_posix()]))
    return False


def rule_files(folder: Path) -> list[Path]:
    """Return the files that decide which files git lists in a folder, but for those in the folder.

    They need not exist. There are none outside of git.
    """
    place = _work_tree(folder)
    if place is None:
        return []
    own = _pointed_at(place / ".git", "gitdir:") or place / ".git"
    common = own / (_pointed_at(own / "commondir", "") or ".")
    above = [at / ".gitignore" for at in folder.parents if at.is_relative_to(place)]
    return [own / "HEAD", own / "index", common / "config", common / "info" / "exclude", *above]


def users_rule_files() -> list[Path]:
    """Return the files in which a user says what git ignores everywhere; they need not exist."""
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 -- Path.home may raise
    settings = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "git"
    return [home / ".gitconfig", settings / "config", settings / "ignore"]


def _work_tree(folder: Path) -> Path | None:
    return next((at for at in (folder, *folder.parents) if exists(at / ".git")), None)


def remote_of(folder: Path) -> str:
    """Return the name of the repository's remote `origin`, or else of its first one; may be empty."""
    config = next((file for file in rule_files(folder) if file.name == "config"), None)
    try:
        text = config.read_text("utf-8", "replace") if config else ""
    except OSError:
        return ""
    remotes = dict(reversed(_REMOTE.findall(text)))
    return remote_name(remotes.get("origin") or next(reversed(remotes.values()), ""))


def remote_name(url: str) -> str:
    """Return host and path of a remote, however it is reached: `github.com/owner/name`.

    Only URLs and git's short form (`git@host:path`) have a host; others are returned as they are.
    """
    match = _URL.fullmatch(url.strip())
    if match is None:
        return url.strip()
    return f"{match['host'].lower()}/{match['path'].strip('/').removesuffix('.git')}"


def _pointed_at(file: Path, prefix: str) -> Path | None:
    """Return the path that a one-line file of git names."""
    try:
        line = file.read_text("utf-8", "surrogateescape").strip()
    except OSError:
        return None
    return file.parent / line.removeprefix(prefix).strip() if line.startswith(prefix) else None


def _wait(process: subprocess.Popen[bytes], should_stop: Callable[[], bool]) -> bytes:
    deadline = time.monotonic() + _WAIT_SECONDS
    while True:
        try:
            return process.communicate(timeout=_POLL_SECONDS)[0]
        except subprocess.TimeoutExpired:
            stop = should_stop()
            if not stop and time.monotonic() < deadline:
                continue
        process.kill()
        process.communicate()
        raise Stopped if stop else GitError("git ls-files took too long")
