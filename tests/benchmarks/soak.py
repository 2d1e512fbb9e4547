"""Whether two servers on one real repository stay right for a long time.

    python tests/benchmarks/soak.py REPOSITORY [MINUTES] [SEED]

A clone of REPOSITORY is edited, renamed, switched, stashed and searched at random by two editors with
real servers, which are stopped and killed now and then, for MINUTES (default 30). What is written must
be found and what is gone must not; in the end the index must equal a fresh one. The same SEED (default
1) draws the same steps; how they fall together in time is the machine's doing. In the middle third
no server is stopped, so that its memory can be compared.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from support.soak import Soak
from support.soak_tree import Tree
from support.stub_ollama import StubOllama

BRANCHES = {"near": 20, "far": 150}
"""Name → how many commits it lies behind."""
MEASURES = 12


def clone(repository: Path, root: Path) -> Tree:
    """Clone a repository and give it a few branches, each of one commit."""
    command = ["git", "clone", "-qn", "--shared", str(repository), str(root)]
    subprocess.run(command, check=True)
    tree = Tree(root.resolve(), "", ("trunk", *BRANCHES))
    trunk = whole_commit(tree, "HEAD")
    for name, behind in BRANCHES.items():
        tree.git("branch", name, whole_commit(tree, f"HEAD~{behind}", "-p", trunk))
    tree.git("switch", "-qf", "-c", "trunk", trunk)
    tree.keep = tree.small_folders()[0].split("/")[0]
    return tree


def whole_commit(tree: Tree, commit: str, *parent: str) -> str:
    """Return a commit with the files of another one whose content is there; mirrors may lack some."""
    tree.git("read-tree", commit)
    for line in tree.git("ls-files", "-s").splitlines():
        fields, _, path = line.partition("\t")
        if not tree.git("cat-file", "-t", fields.split()[1], check=False):
            tree.git("update-index", "--force-remove", path)
    return tree.git("commit-tree", tree.git("write-tree").strip(), *parent, "-m", commit).strip()


def run(soak: Soak, seconds: float) -> None:
    """Take steps until the time is over; now and then, write down what there is so far."""
    started, measured = time.monotonic(), 0
    while (elapsed := time.monotonic() - started) < seconds:
        soak.may_stop = not seconds / 3 < elapsed < seconds * 2 / 3
        soak.step()
        if elapsed > seconds * measured / MEASURES:
            measured += 1
            soak.measure()
            (soak.home / "figures.txt").write_text(f"after {elapsed:.0f} s\n{soak.figures}\n")
    soak.measure()


def main() -> None:
    """Run it and print what happened."""
    repository = Path(sys.argv[1])
    minutes = float(sys.argv[2]) if len(sys.argv) > 2 else 30
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    home = Path(tempfile.mkdtemp(prefix="hunch-soak-"))
    with StubOllama(dimensions=64) as ollama, (home / "steps.log").open("w", buffering=1) as log:
        tree = clone(repository, home / "project")
        soak = Soak(tree, home, ollama, seed, log=lambda line: print(line, file=log))
        try:
            run(soak, minutes * 60)
            soak.finish()
        except BaseException:
            print(f"what there is of it stays in {home}", file=sys.stderr)
            raise
        finally:
            print(soak.figures, flush=True)
            for editor in soak.editors:
                if editor.is_running:
                    editor.kill()
    shutil.rmtree(home)


if __name__ == "__main__":
    main()
