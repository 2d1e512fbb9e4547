"""Changes on a real file system are told of, in few words, and never those of Hunch itself."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
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


CHANGES = {
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
    "git clean": (lambda root: [(root / "n").touch(), git(root, "clean", "-fdq")], "n"),
}


@pytest.mark.parametrize(("change", "path"), CHANGES.values(), ids=CHANGES)
@pytest.mark.asyncio
async def test_every_kind_of_change_is_told(
    root: Path, change: Callable[[Path], object], path: str
) -> None:
    """Whatever a person or a program does to a file, a hint covers it."""
    async with watching(root) as (_, told):
        await asyncio.to_thread(change, root)
        await told.of(path)


@pytest.mark.asyncio
async def test_a_file_in_a_folder_that_appeared_later(root: Path) -> None:
    """A folder that was made empty, and one in it, are watched although no scan has listed them."""
    async with watching(root) as (_, told):
        (root / "fresh").mkdir()
        await told.until(lambda paths: paths is None)  # the watch was renewed
        told.hints.clear()
        (root / "fresh/deep").mkdir()
        await told.until(lambda paths: paths is None)
        told.hints.clear()
        (root / "fresh/deep/new.py").touch()
        await told.of("fresh/deep/new.py")


@pytest.mark.asyncio
async def test_a_folder_that_was_made_again(root: Path) -> None:
    """A watched folder that is replaced by another of its name is watched on."""
    async with watching(root) as (_, told):
        shutil.rmtree(root / "src")
        (root / "src").mkdir()
        await told.until(lambda paths: paths is None)
        told.hints.clear()
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


@pytest.mark.asyncio
async def test_what_does_not_matter_is_not_told(root: Path) -> None:
    """Build output, git's own files and Hunch's index are passed over."""
    async with watching(root) as (_, told):
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
    command = ["unshare", "-r", "sh", "-c", script, "sh", sys.executable, "-c", NO_WATCHES]
    done = subprocess.run(
        [*command, str(root)], check=False, capture_output=True, text=True, timeout=60
    )
    assert done.stderr == ""
    alive, _, message = done.stdout.partition(" ")
    assert alive == "False"
    assert "no more file watches" in message
    assert "max_user_watches" in message
