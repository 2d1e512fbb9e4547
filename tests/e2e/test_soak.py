"""Two editors on one project for a while: whatever they do, the index is as if made afresh."""

from __future__ import annotations

import subprocess
from statistics import median
from typing import TYPE_CHECKING

import pytest

from support.soak import Soak
from support.soak_tree import Tree
from support.stub_ollama import StubOllama

if TYPE_CHECKING:
    from pathlib import Path

SEED = 20
STEPS = 60
SOON = 2.0
"""Seconds within which a change on the disk is seen, with nothing in the way."""
BODY = (
    "def step_{n}(left, right):\n    total = left.amount + right.amount * {n}\n    return total\n"
)


def make_tree(root: Path) -> Tree:
    """Make a small repository with three branches."""
    for number in range(60):
        folder = root / ("keep" if number < 6 else f"part{number % 9}/deep{number % 2}")
        folder.mkdir(parents=True, exist_ok=True)
        text = "\n\n".join(BODY.format(n=number * 10 + each) for each in range(8))
        (folder / f"module_{number}.py").write_text(text, "utf-8")
    subprocess.run(["git", "init", "-qb", "main", str(root)], check=True)
    tree = Tree(root.resolve(), "keep", ("main", "one", "two"))
    (root / ".gitignore").write_text("*.log\n", "utf-8")
    tree.git("add", "-A")
    tree.git("commit", "-qm", "begin")
    for branch in ("one", "two"):
        tree.git("switch", "-qc", branch)
        for number in range(10, 16):
            (root / f"part{number % 9}/deep{number % 2}/module_{number}.py").write_text(
                f"def of_{branch}_{number}():\n    return '{branch}'\n", "utf-8"
            )
        tree.git("commit", "-qam", branch)
    tree.git("switch", "-q", "main")
    return tree


@pytest.mark.timeout(180)
def test_after_a_while_the_index_is_as_if_made_afresh(tmp_path: Path) -> None:
    """Sixty random steps lose no change, embed nothing twice, fail in nothing, and leave nothing."""
    with StubOllama(dimensions=32) as ollama:
        soak = Soak(make_tree(tmp_path / "project"), tmp_path, ollama, SEED, log=print)
        for _ in range(STEPS):
            soak.step()
        soak.finish()
        assert soak.figures.again == []
        assert median(soak.figures.seen) < SOON
