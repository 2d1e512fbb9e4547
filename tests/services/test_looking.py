"""What is heard of a change is a hint: known files are looked at alone, everything else by walking."""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from hunch.model import Mode
from hunch.sources import folder
from support.engine_app import engine, index, paths, settled, write_files
from support.engine_embedder import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FILES = {
    "a.py": "apple = 1\n",
    "src/b.py": "banana = 1\n",
    ".gitignore": "out/\n*.log\n",
    "out/made.py": "made = 1\n",
}


def git(root: Path, *arguments: str) -> None:
    """Run git in a folder."""
    subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository."""
    root = write_files(tmp_path / "project", FILES).resolve()
    git(root, "init", "-q")
    return root


@pytest.fixture
def walks(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Every walk of a folder, in order."""
    walked: list[Path] = []
    scan = folder.scan

    def counted(root: Path, **options: object) -> folder.Scan:
        walked.append(root)
        return scan(root, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(folder, "scan", counted)
    return walked


def write(path: str, text: str) -> Callable[[Path], object]:
    """Make a change that writes a file."""
    return lambda root: write_files(root, {path: text})


CHEAP = {
    "a known file": (write("a.py", "cherry = 1\n"), ["a.py"]),
    "a file in its folder": (write("src/b.py", "cherry = 1\n"), ["src/b.py"]),
    "with an ignored one": (write("a.py", "cherry = 1\n"), ["a.py", "out/made.py", "today.log"]),
}


@pytest.mark.asyncio
@pytest.mark.parametrize(("change", "hints"), CHEAP.values(), ids=CHEAP)
async def test_a_change_of_known_files_costs_no_walk(
    root: Path,
    database: Path,
    walks: list[Path],
    change: Callable[[Path], object],
    hints: list[str],
) -> None:
    """While git's own files are as they were, saving a file looks at that file and no other."""
    async with engine(database, HashingEmbedder()) as app:
        app.index.watch(by_client=True)
        await index(app, root)
        walks.clear()
        change(root)
        app.index.hint(root, hints)
        await settled(app)
        assert walks == []
        assert await paths(app, "cherry", root, mode=Mode.KEYWORD) == [hints[0]]


DEAR = {
    "a file that came": (write("new.py", "cherry = 1\n"), ["new.py"], ["new.py"]),
    "a file that went": (lambda root: (root / "a.py").unlink(), ["a.py"], []),
    "an ignore file": (write(".gitignore", "x\n"), [".gitignore"], ["out/made.py"]),
    "another index of git": (
        lambda root: [git(root, "add", "-f", "out/made.py")],
        ["a.py"],
        ["out/made.py"],
    ),
    "anything": (write("deep/er.py", "cherry = 1\n"), None, ["deep/er.py"]),
}


@pytest.mark.asyncio
@pytest.mark.parametrize(("change", "hints", "found"), DEAR.values(), ids=DEAR)
async def test_everything_else_walks(
    root: Path,
    database: Path,
    walks: list[Path],
    change: Callable[[Path], object],
    hints: list[str] | None,
    found: list[str],
) -> None:
    """What may change the list of files makes the folder be listed again, once."""
    async with engine(database, HashingEmbedder()) as app:
        app.index.watch(by_client=True)
        await index(app, root)
        walks.clear()
        change(root)
        app.index.hint(root, hints)
        await settled(app)
        assert set(walks) == {root}
        assert await paths(app, "cherry made", root, mode=Mode.KEYWORD) == found


@pytest.mark.asyncio
async def test_without_a_watch_every_look_walks(
    root: Path, database: Path, walks: list[Path]
) -> None:
    """Nobody would have told of other changes, so a hint is not enough."""
    async with engine(database, HashingEmbedder()) as app:
        await index(app, root)
        walks.clear()
        write_files(root, {"a.py": "cherry = 1\n", "new.py": "cherry = 2\n"})
        app.index.hint(root, ["a.py"])
        await settled(app)
        assert walks == [root]
        assert len(await paths(app, "cherry", root, mode=Mode.KEYWORD)) == 2


@pytest.mark.asyncio
async def test_many_hints_are_one_look(root: Path, database: Path, walks: list[Path]) -> None:
    """Thousands of files at once, told one by one, are walked for once or twice."""
    async with engine(database, HashingEmbedder()) as app:
        app.index.watch(by_client=True)
        await index(app, root)
        walks.clear()
        write_files(root, {f"many/n{n}.py": f"n{n} = {n}\n" for n in range(2_000)})
        for n in range(2_000):
            app.index.hint(root, [f"many/n{n}.py"])
        state = await settled(app)
        assert state.counts.documents == 2_003
        assert len(walks) <= 2


@pytest.mark.asyncio
async def test_two_changes_with_the_same_time_are_both_seen(root: Path, database: Path) -> None:
    """Where times are counted in whole seconds, a second change within one is seen all the same."""
    # A second that is not over yet for as long as the test may take.
    second = (time.time_ns() // 1_000_000_000 + 60) * 1_000_000_000

    def save(text: str) -> None:
        (root / "a.py").write_text(text, "utf-8")
        os.utime(root / "a.py", ns=(second, second))

    async with engine(database, HashingEmbedder()) as app:
        save("apple = 1\n")
        await index(app, root)
        save("lemon = 1\n")
        app.index.hint(root, ["a.py"])
        await settled(app)
        assert await paths(app, "lemon", root, mode=Mode.KEYWORD) == ["a.py"]
