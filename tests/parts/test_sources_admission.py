"""Whether a file would be found is told as a scan would, without scanning."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from hunch.sources import folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FILES = {
    ".gitignore": "build/\n*.log\n!keep.log\nprivate.md\n",
    ".hunchignore": "drafts/\n!build/\nbuild/*\n!build/report.md\n",
    "a.py": "",
    ".env": "",
    "package-lock.json": "",
    "logo.png": "",
    "made.min.js": "",
    "today.log": "",
    "keep.log": "",
    "build/out.py": "",
    "build/report.md": "",
    "drafts/one.md": "",
    "src/.gitignore": "/secret.py\ndeep/*\n!deep/kept.py\n",
    "src/secret.py": "",
    "src/other/secret.py": "",
    "src/deep/gone.py": "",
    "src/deep/kept.py": "",
    "src/private.md": "",
    "node_modules/x/index.js": "",
    "lib/.venv/x.py": "",
    "nested/.gitignore": "tmp/\n",
    "nested/tmp/x.py": "",
    "nested/x.py": "",
}
OUTSIDE_GIT = {"node_modules/x/index.js", "lib/.venv/x.py"}
"""What only a project's own ignore file keeps out inside git."""


def make(root: Path, *repositories: str) -> Path:
    """Write the files above and make some folders repositories."""
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    for repository in repositories:
        subprocess.run(["git", "init", "-q", str(root / repository)], check=True)
    return root.resolve()


@pytest.mark.parametrize("repositories", [(), ("",), ("nested",), ("", "nested")])
def test_what_is_admitted_is_what_a_scan_finds(
    tmp_path: Path, repositories: tuple[str, ...]
) -> None:
    """For every file of a tree both say the same, inside git, outside it, and where both meet."""
    root = make(tmp_path / "project", *repositories)
    found = {file.path for file in folder.scan(root, max_file_bytes=1_000).files}
    assert set(folder.admitted(root, [*FILES])) == found
    assert found.isdisjoint({".env", "logo.png", "drafts/one.md", "today.log", "build/out.py"})
    assert found >= {"a.py", "keep.log", "build/report.md", "src/deep/kept.py"}
    assert found.isdisjoint(OUTSIDE_GIT) == ("" not in repositories)


def put(root: Path, *paths: str, text: str = "x\n") -> None:
    """Write the same text to several files."""
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")


def git(place: Path, *arguments: str) -> None:
    """Run git in a folder."""
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
    allow = ["-c", "protocol.file.allow=always"]
    subprocess.run(["git", *identity, *allow, *arguments], cwd=place, check=True)


def ignored_repository(root: Path) -> Path:
    """Make a repository in a folder that hides it, and one in a folder of packages."""
    put(root, "a.py", "nested/n.py", "node_modules/m/i.js", "x/y.py")
    put(root, ".gitignore", text="nested/\n")
    git(root / "nested", "init", "-q")
    git(root / "node_modules/m", "init", "-q")
    return root


def ignored_repository_in_another(root: Path) -> Path:
    """Make the same in a repository."""
    git(ignored_repository(root), "init", "-q")
    return root


def brought_back(root: Path) -> Path:
    """Make rules of our own that let in what git hides, and some that only seem to."""
    put(root, "src/a.py", "src/out/b.py", "vendor/c.py", "vendor/deep/d.py", "gen/e.py", "f.txt")
    put(root, ".gitignore", text="out/\nvendor\ngen/\n*.txt\n")
    put(root, ".hunchignore", text="/*\n!/src/\n!/vendor/\n!f.txt\n")
    return root


def brought_back_in_git(root: Path) -> Path:
    """Make the same in a repository."""
    git(brought_back(root), "init", "-q")
    return root


def ignored_root(root: Path) -> Path:
    """Make a folder that the project above it ignores."""
    put(root, "a.py", "out/b.py", "out/sub/c.py", "out/node_modules/d.js")
    put(root, ".gitignore", text="out/\n")
    git(root, "init", "-q")
    return root / "out"


def marked_by_tools(root: Path) -> Path:
    """Make folders that say of themselves that a tool made them."""
    put(root, "a.py", "env/pyvenv.cfg", "env/lib/c.py", "target/CACHEDIR.TAG", "target/d.rs")
    return root


def linked_folder(root: Path) -> Path:
    """Make a link to a folder, in a repository."""
    put(root, "real/b.py", "x.log")
    put(root, ".gitignore", text="*.log\n")
    git(root, "init", "-q")
    try:
        (root / "link").symlink_to(root / "real")
    except OSError:
        pytest.skip("this system does not allow symbolic links")
    return root


def submodule(root: Path) -> Path:
    """Make a submodule, and one that is not checked out."""
    library = root / "library"
    put(library, "lib.py")
    git(library, "init", "-q")
    git(library, "add", ".")
    git(library, "commit", "-qm", "m")
    root = root / "project"
    put(root, "a.py", "b.log", ".gitignore", text="*.log\n")
    git(root, "init", "-q")
    git(root, "submodule", "--quiet", "add", str(library), "here/lib")
    git(root, "submodule", "--quiet", "add", str(library), "absent")
    git(root, "submodule", "--quiet", "deinit", "-f", "absent")
    put(root, "here/lib/new.py")
    return root


def broken_repository(root: Path) -> Path:
    """Make a repository that git does not recognize."""
    put(root, "a.py", "b.log", "node_modules/c.js")
    put(root, ".gitignore", text="*.log\n")
    git(root, "init", "-q")
    (root / ".git/HEAD").unlink()
    return root


@pytest.mark.parametrize(
    "tree",
    [
        ignored_repository,
        ignored_repository_in_another,
        brought_back,
        brought_back_in_git,
        ignored_root,
        marked_by_tools,
        linked_folder,
        submodule,
        broken_repository,
    ],
)
def test_odd_trees_are_judged_as_by_a_scan(tmp_path: Path, tree: Callable[[Path], Path]) -> None:
    """Of the files that are there, those are admitted that a scan finds; and so of new ones."""
    (tmp_path / "tree").mkdir()
    root = tree((tmp_path / "tree").resolve())
    found = {file.path for file in folder.scan(root, max_file_bytes=1_000).files}
    present = {
        path.relative_to(root).as_posix()
        for path in (*root.rglob("*"), *root.glob("link/*"))
        if path.is_file() and ".git" not in path.relative_to(root).parts
    }
    assert set(folder.admitted(root, sorted(present | {"absent/x.py"}))) - {"absent/x.py"} == found
    beside = {f"{path}.py": path in found for path in present if path.endswith(".py")}
    assert set(folder.admitted(root, [*beside])) == {
        path for path, is_in in beside.items() if is_in
    }


def test_a_change_of_what_is_hidden_is_told_from_others(tmp_path: Path) -> None:
    """A log that is ignored is nothing to a scan; a secret is, since it is listed as passed over."""
    root = make(tmp_path / "project", "")
    asked = ["today.log", "build/out.py", ".env", "a.py", "src/new"]
    assert folder.unhidden(root, asked) == [".env", "a.py", "src/new"]


def test_files_that_do_not_exist_are_judged_by_their_place(tmp_path: Path) -> None:
    """A buffer that was never saved is judged like a file of its name."""
    root = make(tmp_path / "project", "")
    asked = ["new.py", "build/new.py", "src/deep/new.py", "new/deep/x.md", ".git/x", "café 100%.py"]
    assert folder.admitted(root, asked) == ["new.py", "new/deep/x.md", "café 100%.py"]


def test_what_git_tracks_is_admitted(tmp_path: Path) -> None:
    """A file that was added in spite of an ignore rule is found, and so it is admitted."""
    root = make(tmp_path / "project", "")
    subprocess.run(["git", "add", "-f", "src/secret.py"], cwd=root, check=True)
    assert folder.admitted(root, ["src/secret.py", "src/deep/gone.py"]) == ["src/secret.py"]


def test_another_checkout_is_apart(tmp_path: Path) -> None:
    """A linked work tree in the folder is not searched, and neither is a buffer in it."""
    root = make(tmp_path / "project", "")
    (root / "tree").mkdir()
    (root / "tree/.git").write_text("gitdir: ../.git/worktrees/tree\n", "utf-8")
    assert folder.admitted(root, ["tree/x.py", "x.py"]) == ["x.py"]


def test_peeking_sees_what_became_of_a_file(tmp_path: Path) -> None:
    """A file that is there is described as a scan does; what went, or is no file, is a problem."""
    root = make(tmp_path / "project", "")
    (root / "folder").mkdir()
    (root / "big.py").write_text("x" * 2_000, "utf-8")
    scanned = {file.path: file for file in folder.scan(root, max_file_bytes=1_000).files}
    found = folder.peek(root, ["a.py", "gone.py", "folder", "big.py"], max_file_bytes=1_000)
    assert found[0] == scanned["a.py"]
    assert [getattr(other, "reason", None) for other in found[1:]] == [
        "it is gone",
        "not a regular file",
        "larger than 1000 bytes",
    ]


def test_the_marks_of_a_repository_change_with_its_branch_and_index(tmp_path: Path) -> None:
    """What git lists by is marked; what does not matter to that is not."""
    root = make(tmp_path / "project", "")
    before = folder.marks(root)
    (root / "a.py").write_text("x = 1\n", "utf-8")
    assert folder.marks(root) == before
    subprocess.run(["git", "add", "a.py"], cwd=root, check=True)
    added = folder.marks(root)
    assert added != before
    (root / ".git/info/exclude").write_text("*.tmp\n", "utf-8")
    assert folder.marks(root) != added


@pytest.mark.parametrize("way", ["linked work tree", "folder in a repository"])
def test_the_marks_of_folders_that_share_a_repository(tmp_path: Path, way: str) -> None:
    """A linked work tree has its own index, and the excludes of its repository; rules above count."""
    main = make(tmp_path / "project", "")
    root = main / "src"
    if way == "linked work tree":
        git(main, "add", ".")
        git(main, "commit", "-qm", "m")
        git(main, "worktree", "add", "-q", str(tmp_path / "other"))
        root = (tmp_path / "other").resolve()
    before = folder.marks(root)
    git(main, "add", "--intent-to-add", "-f", "today.log")
    assert (folder.marks(root) == before) == (way == "linked work tree")
    before = folder.marks(root)
    (main / ".git/info/exclude").write_text("*.tmp\n", "utf-8")
    excluded = folder.marks(root)
    assert excluded != before
    (main / ".gitignore").write_text("*.tmp\n", "utf-8")
    assert (folder.marks(root) == excluded) == (way == "linked work tree")


def test_the_marks_change_with_what_the_user_ignores_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rule of the user's own git settings is one for every folder."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    root = make(tmp_path / "project")
    before = folder.marks(root)
    put(tmp_path, "git/ignore", text="*.tmp\n")
    assert folder.marks(root) != before


def test_the_index_database_is_never_listed(tmp_path: Path) -> None:
    """A database in the folder, and what lies beside it under its name, is not even a problem."""
    root = make(tmp_path / "project", "")
    for name in ("index.db", "index.db-wal", "index.db.leases/folder-1", "index.dbx.py"):
        (root / "src" / name).parent.mkdir(exist_ok=True)
        (root / "src" / name).write_bytes(b"SQLite\0")
    scan = folder.scan(root, max_file_bytes=1_000, own=root / "src/index.db")
    listed = {*(file.path for file in scan.files), *(problem.path for problem in scan.problems)}
    assert not any(path.startswith("src/index.db") for path in listed)
