"""Changes on a real file system are told of, in few words, and never those of Hunch itself."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import threading
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from hunch.sources import folder
from hunch.sources.watch import Watcher

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

PATIENCE = 20


class Told:
    """What a watcher has told."""

    def __init__(self) -> None:
        self.hints: list[frozenset[str] | None] = []
        self._news = asyncio.Event()

    def __call__(self, root: Path, paths: frozenset[str] | None) -> None:
        """Take a hint."""
        self.hints.append(paths)
        self._news.set()

    async def until(self, fits: Callable[[frozenset[str] | None], bool]) -> None:
        """Wait for a hint that fits."""
        async with asyncio.timeout(PATIENCE):
            while not any(fits(paths) for paths in self.hints):
                self._news.clear()
                await self._news.wait()

    async def all(self) -> None:
        """Wait until anything may have changed, then forget all hints."""
        await self.until(lambda paths: paths is None)
        self.hints.clear()

    async def of(self, path: str) -> None:
        """Wait for a hint that covers a path, then forget all hints."""
        await self.until(lambda paths: paths is None or path in paths)
        self.hints.clear()


def git(root: Path, *arguments: str) -> None:
    """Run git in a folder."""
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with files in folders, and an ignored one."""
    root = (tmp_path / "project").resolve()
    for path in ("a.py", "src/b.py", "src/deep/c.py", "build/out.o"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x = 1\n", "utf-8")
    (root / ".gitignore").write_text("build/\nlogs/\n", "utf-8")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "one")
    return root


@asynccontextmanager
async def watching(root: Path, **options: object) -> AsyncIterator[tuple[Watcher, Told]]:
    """Watch what a scan of the folder is made of."""
    told = Told()
    watcher = Watcher(told, own=root / "src/index.db", **options)  # type: ignore[arg-type]
    found = folder.scan(root, max_file_bytes=1_000_000)
    await watcher.watch(root, found.folders)
    try:
        yield watcher, told
    finally:
        await watcher.aclose()


def save_through_another(path: Path) -> None:
    """Save as many editors do: write a new file and rename it over the old one."""
    other = path.with_name(".tmp123")
    other.write_text("y = 2\n", "utf-8")
    other.replace(path)


CHANGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "write": (lambda root: (root / "src/b.py").write_text("y = 2\n", "utf-8"), "src/b.py"),
    "through another file": (lambda root: save_through_another(root / "src/b.py"), "src/b.py"),
    "create": (lambda root: (root / "src/deep/new.py").touch(), "src/deep/new.py"),
    "delete": (lambda root: (root / "src/deep/c.py").unlink(), "src/deep/c.py"),
    "rename": (lambda root: (root / "a.py").rename(root / "z.py"), "z.py"),
    "rename in case only": (lambda root: (root / "a.py").rename(root / "A.py"), "A.py"),
    "move away": (lambda root: (root / "a.py").rename(root.parent / "a.py"), "a.py"),
    "rename a folder": (lambda root: (root / "src/deep").rename(root / "src/d"), "src/d"),
    "delete a tree": (lambda root: shutil.rmtree(root / "src"), "src"),
    "an ignore file": (lambda root: (root / "src/.hunchignore").touch(), "src/.hunchignore"),
    "git add": (lambda root: [(root / "n").touch(), git(root, "add", "n")], "anything"),
    "git stash": (
        lambda root: [(root / "src/b.py").write_text("y", "utf-8"), git(root, "stash", "-q")],
        "anything",
    ),
    "git's own excludes": (
        lambda root: (root / ".git/info/exclude").write_text("*.tmp\n", "utf-8"),
        "anything",
    ),
    "git clean": (lambda root: [(root / "n").touch(), git(root, "clean", "-fdq")], "n"),
}


IN_WHOLE_TREES = ("write", "create", "rename a folder", "delete a tree", "git add")


@pytest.mark.parametrize(
    ("name", "is_recursive"),
    [*((name, False) for name in CHANGES), *((name, True) for name in IN_WHOLE_TREES)],
)
@pytest.mark.asyncio
async def test_every_kind_of_change_is_told(root: Path, name: str, *, is_recursive: bool) -> None:
    """Whatever a person or a program does to a file, a hint covers it."""
    change, path = CHANGES[name]
    async with watching(root, is_recursive=is_recursive) as (_, told):
        await asyncio.to_thread(change, root)
        await told.of(path)


@pytest.mark.asyncio
async def test_a_file_in_a_folder_that_appeared_later(root: Path) -> None:
    """A folder that was made empty, and one in it, are watched although no scan has listed them."""
    async with watching(root) as (_, told):
        (root / "fresh").mkdir()
        await told.all()  # the watch was renewed
        (root / "fresh/deep").mkdir()
        await told.all()
        (root / "fresh/deep/new.py").touch()
        await told.of("fresh/deep/new.py")


@pytest.mark.asyncio
async def test_a_folder_that_was_made_again(root: Path) -> None:
    """A watched folder that is replaced by another of its name is watched on."""
    async with watching(root) as (_, told):
        shutil.rmtree(root / "src")
        (root / "src").mkdir()
        await told.all()
        (root / "src/again.py").touch()
        await told.of("src/again.py")


@pytest.mark.asyncio
async def test_switching_branches_is_told(root: Path) -> None:
    """Files that git changes are told of, or else everything is."""
    git(root, "switch", "-qc", "other")
    (root / "src/b.py").write_text("other = 1\n", "utf-8")
    git(root, "commit", "-qam", "two")
    async with watching(root) as (_, told):
        await asyncio.to_thread(git, root, "switch", "-q", "-")
        await told.of("src/b.py")


@pytest.mark.parametrize("is_recursive", [False, True], ids=["single folders", "whole tree"])
@pytest.mark.asyncio
async def test_what_does_not_matter_is_not_told(root: Path, *, is_recursive: bool) -> None:
    """Build output, git's own files and Hunch's index are passed over."""
    async with watching(root, is_recursive=is_recursive) as (_, told):
        for path in (
            "build/more.o",
            "src/index.db-wal",
            "src/index.db",
            ".git/COMMIT_EDITMSG",
            ".git/objects/new",
            ".git/info/attributes",
        ):
            (root / path).write_bytes(b"x")
        (root / "logs").mkdir()
        (root / "a.py").write_text("z = 1\n", "utf-8")
        await told.until(lambda paths: paths is not None and "a.py" in paths)
        seen = frozenset[str]().union(*(paths for paths in told.hints if paths))
        assert seen <= {"a.py", "logs"}
        (root / "logs/today.log").write_text("x", "utf-8")
        (root / "z.py").write_text("z = 1\n", "utf-8")
        await told.of("z.py")
        assert "logs/today.log" not in seen


@pytest.mark.asyncio
async def test_many_changes_are_told_in_few_words(root: Path) -> None:
    """10,000 files at once are a handful of hints."""
    async with watching(root) as (_, told):

        def write() -> None:
            for number in range(10_000):
                (root / f"src/n{number}.py").touch()

        await asyncio.to_thread(write)
        await told.until(lambda paths: paths is None or "src/n9999.py" in paths)
        assert len(told.hints) < 20


@pytest.mark.asyncio
async def test_a_network_folder_is_looked_at_by_the_clock(root: Path) -> None:
    """Where changes come from elsewhere, everything may have changed every few seconds."""
    async with watching(root, is_network=lambda _: True, poll_seconds=0.01) as (watcher, told):
        await told.until(lambda paths: paths is None)
        assert not watcher.is_alive(root)
        assert "another machine" in watcher.message(root)
        await watcher.unwatch(root)
        assert watcher.message(root) == ""


@pytest.mark.asyncio
async def test_a_root_that_is_watched_no_longer_is_silent(root: Path) -> None:
    """After `unwatch` nothing is told and no thread is left."""
    async with watching(root) as (watcher, told):
        assert watcher.is_alive(root)
        await watcher.unwatch(root)
        assert not watcher.is_alive(root)
        (root / "a.py").write_text("z = 1\n", "utf-8")
        await watcher.watch(root, frozenset({"src"}))
        (root / "src/b.py").write_text("z = 1\n", "utf-8")
        await told.until(lambda paths: bool(paths) and "src/b.py" in paths)
        assert not any("a.py" in paths for paths in told.hints if paths)


def make_folders(root: Path) -> None:
    """Make folders that git does not list: an empty one, and one of ignored files only."""
    (root / ".gitignore").write_text("build/\n*.log\n", "utf-8")
    (root / "src/empty/inner").mkdir(parents=True)
    (root / "logs").mkdir()
    (root / "logs/a.log").touch()


@pytest.mark.parametrize("is_recursive", [False, True], ids=["single folders", "whole tree"])
@pytest.mark.parametrize("path", ["src/empty/inner/new.py", "logs/readme.md"])
@pytest.mark.asyncio
async def test_a_file_in_a_folder_in_which_nothing_was(
    root: Path, path: str, *, is_recursive: bool
) -> None:
    """Folders in which a scan finds nothing are watched as long as no rule hides what comes."""
    make_folders(root)
    async with watching(root, is_recursive=is_recursive) as (_, told):
        (root / path).touch()
        await told.of(path)


@pytest.mark.asyncio
async def test_a_folder_that_is_ignored_no_longer(root: Path) -> None:
    """When a rule goes, what it hid is watched, even a folder in which there is nothing."""
    (root / "build/empty").mkdir()
    async with watching(root) as (_, told):
        (root / ".gitignore").write_text("", "utf-8")
        await told.all()
        (root / "build/empty/a.py").touch()
        await told.of("build/empty/a.py")


@pytest.mark.asyncio
async def test_rules_above_the_root_count(root: Path) -> None:
    """An ignore file of the project and its index matter to a folder in it; other files do not."""
    async with watching(root / "src") as (_, told):
        (root / "a.py").write_text("z = 1\n", "utf-8")
        (root / ".gitignore").write_text("*.tmp\n", "utf-8")
        await told.until(bool_or_none)
        assert told.hints[0] is None
        await told.all()
        await asyncio.to_thread(git, root, "rm", "--cached", "-q", "src/b.py")
        await told.all()


def bool_or_none(paths: frozenset[str] | None) -> bool:
    """Fit any hint."""
    return paths is None or bool(paths)


@pytest.mark.asyncio
async def test_a_repository_in_the_folder_has_its_own_index(root: Path) -> None:
    """What git is told about a project in a folder of projects is noticed; so is a new project."""
    async with watching(root.parent) as (_, told):
        (root / "kept.py").touch()
        await told.of("project/kept.py")
        await asyncio.to_thread(git, root, "add", "kept.py")
        await told.all()
        (root.parent / "other").mkdir()
        await told.all()
        await asyncio.to_thread(git, root.parent / "other", "init", "-q")
        await told.all()


@pytest.mark.skipif(sys.platform != "linux", reason="names are Unicode elsewhere")
@pytest.mark.asyncio
async def test_names_that_are_not_unicode_do_no_harm(root: Path) -> None:
    """A folder and a file with such names are nothing to the index, and end no watch."""
    odd = root / os.fsdecode(b"odd\xff")
    odd.mkdir()
    async with watching(root) as (watcher, told):
        (root / os.fsdecode(b"b\xff.py")).touch()
        await told.all()
        assert watcher.is_alive(root)
        (root / "src/b.py").write_text("y", "utf-8")
        await told.of("src/b.py")


LOSSES: dict[str, Callable[[Path], object]] = {
    "deleted": shutil.rmtree,
    "moved": lambda root: root.rename(root.with_name("away")),
    "moved with the folder above it": lambda root: root.parent.rename(
        root.parent.with_name("away")
    ),
}


@pytest.mark.parametrize("way", LOSSES)
@pytest.mark.asyncio
async def test_a_root_that_is_made_again_is_watched_again(root: Path, way: str) -> None:
    """While the root is gone that is said; then its folders are watched as before."""
    async with watching(root, poll_seconds=0.05) as (watcher, told):
        await asyncio.to_thread(LOSSES[way], root)
        await told.all()
        async with asyncio.timeout(PATIENCE):
            while watcher.is_alive(root):
                await told.all()
        assert "gone" in watcher.message(root)
        (root / "src").mkdir(parents=True)
        async with asyncio.timeout(PATIENCE):
            while not watcher.is_alive(root):
                await told.all()
        assert watcher.message(root) == ""
        (root / "src/b.py").touch()
        await told.of("src/b.py")


def threads() -> int:
    """Count the threads that watch."""
    return sum(thread.name == "hunch-watch" for thread in threading.enumerate())


@pytest.mark.asyncio
async def test_no_thread_is_left(root: Path) -> None:
    """Watching twice at a time, ending while it begins and being cancelled leave nothing behind."""
    async with watching(root) as (watcher, _):
        others = frozenset({"", "src"}), frozenset({"", "src/deep"})
        await asyncio.gather(*(watcher.watch(root, folders) for folders in others))
        assert threads() == 1
        await asyncio.gather(watcher.watch(root, frozenset({""})), watcher.unwatch(root))
        cancelled = asyncio.create_task(watcher.watch(root, frozenset({""})))
        while not threads():  # noqa: ASYNC110 - threads set no event
            await asyncio.sleep(0)
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cancelled
    assert threads() == 0


@pytest.mark.asyncio
async def test_watching_begins_anew_only_for_other_folders(root: Path) -> None:
    """Folders that are watched already, because they appeared or were given before, cost nothing."""
    async with watching(root) as (watcher, told):
        given = folder.scan(root, max_file_bytes=1_000).folders
        assert not await watcher.watch(root, given)
        (root / "fresh").mkdir()
        await told.all()
        assert not await watcher.watch(root, given | {"fresh"})
        assert await watcher.watch(root, given - {"src/deep"})
        assert await watcher.watch(root, given | {"build"})


@pytest.mark.asyncio
async def test_the_index_is_known_behind_a_link(root: Path, tmp_path: Path) -> None:
    """However the way to the index is written, what happens there is not told."""
    link = tmp_path / "link"
    try:
        link.symlink_to(root)
    except OSError:
        pytest.skip("this system does not allow symbolic links")
    told = Told()
    watcher = Watcher(told, own=link / "index.db")
    await watcher.watch(root, frozenset({""}))
    (root / "index.db-wal").touch()
    (root / "a.py").write_text("y", "utf-8")
    await told.until(lambda paths: paths is not None and "a.py" in paths)
    await watcher.aclose()
    assert not any("index.db-wal" in paths for paths in told.hints if paths)


FEW_FILES = """
import asyncio, os, resource, sys
from pathlib import Path
from hunch.sources.watch import Watcher

async def main():
    hints = []
    watcher = Watcher(lambda root, paths: hints.append(paths), own=Path("/none"), poll_seconds=0.01)
    root = Path(sys.argv[1])
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    await asyncio.to_thread(int)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/dev/fd")) - 1, most))
    await watcher.watch(root, frozenset({"", "src"}))
    print(watcher.is_alive(root), watcher.message(root), flush=True)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    while not watcher.is_alive(root):
        await asyncio.sleep(0.01)
    (root / "src/b.py").write_text("y")
    while not any(paths and "src/b.py" in paths for paths in hints):
        await asyncio.sleep(0.01)
    print(watcher.is_alive(root), watcher.message(root))
    await watcher.aclose()

asyncio.run(asyncio.wait_for(main(), 30))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="inotify's limits are Linux's")
def test_watching_is_tried_again(root: Path) -> None:
    """A process with too many open files looks at the clock until the system watches for it."""
    done = subprocess.run(
        [sys.executable, "-c", FEW_FILES, str(root)],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stderr == ""
    before, after = done.stdout.splitlines()
    assert before.startswith("False")
    assert "no more file watches" in before
    assert after == "True "


NO_WATCHES = """
import asyncio, sys
from pathlib import Path
from hunch.sources.watch import Watcher

async def main():
    told = asyncio.Event()
    watcher = Watcher(lambda root, paths: told.set(), own=Path("/none"), poll_seconds=0.01)
    root = Path(sys.argv[1])
    await watcher.watch(root, frozenset({"", "src", "src/deep"}))
    await asyncio.wait_for(told.wait(), 20)
    print(watcher.is_alive(root), watcher.message(root))
    await watcher.aclose()

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="inotify's limits are Linux's")
@pytest.mark.parametrize(
    ("limit", "value"), [("max_inotify_watches", 1), ("max_inotify_instances", 0)]
)
def test_without_watches_there_is_the_clock(root: Path, limit: str, value: int) -> None:
    """When the system has no more file watches, it says so and looks now and then."""
    script = f'echo {value} > /proc/sys/user/{limit}; exec "$@"'
    if subprocess.run(["unshare", "-r", "true"], check=False, capture_output=True).returncode:
        pytest.skip("this system gives nobody a namespace with limits of its own")
    command = ["unshare", "-r", "sh", "-c", script, "sh", sys.executable, "-c", NO_WATCHES]
    done = subprocess.run(
        [*command, str(root)], check=False, capture_output=True, text=True, timeout=60
    )
    assert done.stderr == ""
    alive, _, message = done.stdout.partition(" ")
    assert alive == "False"
    assert "no more file watches" in message
    assert "max_user_watches" in message


@pytest.mark.asyncio
async def test_folders_that_keep_coming_hold_nothing_up(root: Path) -> None:
    """Watching begins, and what came is told, while a program goes on making folders."""
    ended = threading.Event()

    def make() -> None:
        number = 0
        while not ended.wait(0.002):
            (root / f"src/made{number}/inner").mkdir(parents=True)
            number += 1

    making = asyncio.create_task(asyncio.to_thread(make))
    try:
        async with watching(root) as (watcher, told), asyncio.timeout(PATIENCE):
            assert watcher.is_alive(root)
            await told.all()
            await told.all()
    finally:
        ended.set()
        await making
