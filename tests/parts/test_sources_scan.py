"""Finding the files of real folders, inside git and outside it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hunch.errors import RefusedFolder
from hunch.model import Problem
from hunch.sources import folder
from hunch.sources.folder import Scan, Stopped

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT = 1_000


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give git a private home, and a folder beside it to work in."""
    place = tmp_path / "home"
    place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(place))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(place / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return place


@pytest.fixture
def root(tmp_path: Path, home: Path) -> Path:
    """Give an empty folder outside git."""
    place = tmp_path / "root"
    place.mkdir()
    return place.resolve()


def put(root: Path, *paths: str, text: str = "x\n") -> None:
    """Write the same text to several files."""
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")


def git(place: Path, *arguments: str) -> None:
    """Run git in a folder."""
    identity = ("-c", "user.name=n", "-c", "user.email=e@example.com")
    allow = ("-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main")
    subprocess.run(
        ("git", *identity, *allow, *arguments), cwd=place, check=True, capture_output=True
    )


def scan(root: Path) -> Scan:
    """Scan with a small limit."""
    return folder.scan(root, max_file_bytes=LIMIT)


def paths(root: Path) -> list[str]:
    """List the accepted paths."""
    return [file.path for file in scan(root).files]


@pytest.fixture(params=["inside git", "outside git"])
def project(root: Path, request: pytest.FixtureRequest) -> Path:
    """Give a folder that is a repository, and one that is none."""
    if request.param == "inside git":
        git(root, "init")
    return root


def test_files_are_listed_in_order_with_size_and_time(project: Path) -> None:
    """Order is by path, whatever the file system says; sizes are in bytes."""
    put(project, "b.py", "a/z.py", "a.py", "ä.py", "with space.py")
    found = scan(project)
    assert [f.path for f in found.files] == ["a.py", "a/z.py", "b.py", "with space.py", "ä.py"]
    assert found.files[0].size == 2
    assert found.files[0].mtime_ns == (project / "a.py").stat().st_mtime_ns
    assert found.problems == []
    assert found.warnings == []


def test_nested_ignore_files_are_honoured(project: Path) -> None:
    """A `.gitignore` counts for its folder and those below, and may take back what one above says."""
    put(project, "a.log", "x/a.log", "x/keep.log", "x/y/b.tmp", "build/a.py", "x/y/c.py")
    put(project, ".gitignore", text="*.log\nbuild/\n")
    put(project, "x/.gitignore", text="!keep.log\n/y/*.tmp\n")
    assert paths(project) == [".gitignore", "x/.gitignore", "x/keep.log", "x/y/c.py"]


def test_other_tools_ignore_files_do_not_count(project: Path) -> None:
    """What ripgrep, Docker or an agent ignores is indexed all the same."""
    for name in (".ignore", ".rgignore", ".dockerignore", ".cursorignore", ".aiignore"):
        put(project, name, text="*\n")
    put(project, "a.py")
    assert "a.py" in paths(project)


def test_own_ignore_files_hide_and_bring_back(project: Path) -> None:
    """`.hunchignore` hides what git lists and re-includes what git hides; the last match wins."""
    put(project, "a.py", "docs/a.md", "docs/b.md", "gen/x.py", "gen/deep/y.py", "gen/z.txt")
    put(project, ".gitignore", text="gen/\n")
    put(project, ".hunchignore", text="*.md\n!gen/**/*.py\n.*ignore\n")
    put(project, "docs/.hunchignore", text="!b.md\n")
    assert paths(project) == ["a.py", "docs/b.md", "gen/deep/y.py", "gen/x.py"]


def test_a_folder_that_was_not_hidden_brings_nothing_back(project: Path) -> None:
    """`!src/` after `/*` means the sources, not the build output that git hides in them."""
    put(project, "a.py", "src/a.py", "src/out/b.py", "src/c.o.txt")
    put(project, ".gitignore", text="out/\n*.o.txt\n")
    put(project, ".hunchignore", text="/*\n!/src/\n")
    assert paths(project) == ["src/a.py"]


def test_a_hidden_folder_can_be_brought_back_whole(project: Path) -> None:
    """`!vendor/` re-includes all of a folder that git hides."""
    put(project, "a.py", "vendor/b.py", "vendor/deep/c.py", "other/d.py")
    put(project, ".gitignore", text="vendor\nother\n.hunchignore\n")
    put(project, ".hunchignore", text="!vendor/\n")
    assert paths(project) == [".gitignore", "a.py", "vendor/b.py", "vendor/deep/c.py"]


def test_rules_that_hide_everything_are_not_applied(project: Path) -> None:
    """Neither a `.gitignore` nor a `.hunchignore` can empty the folder; a warning says so."""
    put(project, "a.py", "x/b.py")
    put(project, ".gitignore", text="*\n")
    found = scan(project)
    assert {"a.py", "x/b.py"} <= {file.path for file in found.files}
    assert found.warnings == ["the folder's ignore rules hide everything and were not applied"]
    put(project, ".gitignore", text="")
    put(project, ".hunchignore", text="*\n")
    found = scan(project)
    assert {"a.py", "x/b.py"} <= {file.path for file in found.files}
    assert found.warnings == [".hunchignore hides everything and was not applied"]


def test_what_is_passed_over_has_its_reason(project: Path) -> None:
    """Large files, secrets, lock files and media are listed as problems, in order."""
    put(project, "a.py", ".env", "yarn.lock", "logo.png")
    put(project, "large.txt", text="x" * (LIMIT + 1))
    put(project, "fits.txt", text="x" * LIMIT)
    found = scan(project)
    assert [file.path for file in found.files] == ["a.py", "fits.txt"]
    assert found.problems == [
        Problem(".env", "may hold secrets"),
        Problem("large.txt", "larger than 1000 bytes"),
        Problem("logo.png", "binary"),
        Problem("yarn.lock", "lock file"),
    ]


def link(path: Path, target: Path) -> None:
    """Make a symbolic link, or skip the test where that is not allowed."""
    try:
        path.symlink_to(target, target_is_directory=target.is_dir())
    except OSError:
        pytest.skip("this system does not allow symbolic links")


def test_links_are_not_followed(project: Path, tmp_path: Path) -> None:
    """A target inside is listed once, a loop ends, a target outside is a problem."""
    put(tmp_path, "outside/secret.py")
    put(project, "x/a.py")
    link(project / "again.py", project / "x/a.py")
    link(project / "x" / "loop", project)
    link(project / "out", tmp_path / "outside")
    link(project / "broken", project / "nowhere")
    found = scan(project)
    assert [file.path for file in found.files] == ["x/a.py"]
    assert found.problems == [Problem("out", "a symbolic link out of the folder")]


@pytest.mark.skipif(os.name == "nt", reason="names are Unicode there")
def test_a_name_that_is_not_utf8_is_a_problem(project: Path) -> None:
    """Such a file has no URI that an editor could open; the others are listed."""
    put(project, "a.py")
    try:
        (project / os.fsdecode(b"b\xff.py")).write_text("x\n")
    except OSError:
        pytest.skip("this file system refuses such names")
    found = scan(project)
    assert [file.path for file in found.files] == ["a.py"]
    assert found.problems == [Problem("b\ufffd.py", "its name is not UTF-8")]


@contextmanager
def unprivileged(root: Path) -> Iterator[None]:
    """Act as a user whom permissions bind, who owns the files below `root`."""
    nobody = 65_534
    if os.geteuid() != 0:
        yield
        return
    for path in (root, *root.rglob("*")):
        os.chown(path, nobody, nobody)
    os.seteuid(nobody)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(os.name == "nt", reason="there are no such permissions there")
def test_what_may_not_be_opened_is_a_problem() -> None:
    """A walk goes on past a closed folder and a closed file."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place).resolve()
        put(root, "a.py", "b.py", "closed/c.py", "open/closed/d.py", "open/e.py")
        with unprivileged(root):
            for name in ("b.py", "closed", "open/closed"):
                (root / name).chmod(0)
            found = scan(root)
            unread = folder.read(root, "b.py", max_file_bytes=LIMIT)
            for name in ("closed", "open/closed"):
                (root / name).chmod(0o700)
    assert [file.path for file in found.files] == ["a.py", "b.py", "open/e.py"]
    assert found.problems == [
        Problem("closed", "permission denied", "failed"),
        Problem("open/closed", "permission denied", "failed"),
    ]
    assert unread == Problem("b.py", "permission denied", "failed")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders there")
def test_a_pipe_is_no_file(project: Path) -> None:
    """Only regular files are listed."""
    put(project, "a.py")
    os.mkfifo(project / "pipe")
    assert paths(project) == ["a.py"]


def test_stopping_leaves_no_result(project: Path) -> None:
    """A scan that was told to stop does not return a part of the files."""
    put(project, "a.py")
    with pytest.raises(Stopped):
        folder.scan(project, max_file_bytes=LIMIT, should_stop=lambda: True)


def test_the_folders_of_a_scan_are_those_that_matter(project: Path) -> None:
    """Every folder with a listed file and all above it; none that a rule or a tool's name hides."""
    put(project, "a/b/c.py", "x/logo.png", "build/out.py", "node_modules/m/i.js")
    put(project, "rules/.gitignore", text="*.tmp\n")
    put(project, ".gitignore", text="build/\nnode_modules/\n")
    assert scan(project).folders == {"", "a", "a/b", "x", "rules"}


def test_a_folder_of_hidden_files_that_are_brought_back_matters(project: Path) -> None:
    """What `.hunchignore` takes in is to be watched like the rest."""
    put(project, "a.py", "gen/deep/y.py")
    put(project, ".gitignore", text="gen/\n")
    put(project, ".hunchignore", text="!gen/**/*.py\n")
    assert scan(project).folders >= {"gen", "gen/deep"}


def test_an_empty_folder_has_no_files(project: Path) -> None:
    """Nothing is found in nothing, and there is nothing to say about it."""
    assert scan(project) == Scan([], [], [])


def test_a_folder_that_is_gone_is_an_error(project: Path) -> None:
    """That a folder cannot be opened does not mean that its files were deleted."""
    shutil.rmtree(project)
    with pytest.raises(RefusedFolder, match="no such file"):
        scan(project)


# Inside git only.


def test_git_knows_more_ignore_rules(root: Path, home: Path) -> None:
    """`core.excludesFile` and `.git/info/exclude` count; a tracked file is listed in spite of them."""
    git(root, "init")
    put(root, "a.py", "a.mine", "a.yours", "tracked.mine")
    git(root, "add", "-f", "tracked.mine")
    put(home, "excludes", text="*.mine\n")
    put(home, "gitconfig", text=f"[core]\n\texcludesFile = {(home / 'excludes').as_posix()}\n")
    put(root, ".git/info/exclude", text="*.yours\n")
    assert paths(root) == ["a.py", "tracked.mine"]


def test_a_deleted_file_is_dropped(root: Path) -> None:
    """It is still in the index of git, but neither a file nor a problem, even when a folder took its place."""
    git(root, "init")
    put(root, "a.py", "b.py", "c/d.py")
    git(root, "add", ".")
    (root / "b.py").unlink()
    shutil.rmtree(root / "c")
    put(root, "c")
    found = scan(root)
    assert [file.path for file in found.files] == ["a.py", "c"]
    assert found.problems == []


def test_a_folder_in_a_work_tree_is_listed_alone(root: Path) -> None:
    """Paths are relative to the folder, rules above it count, files beside it do not."""
    git(root, "init")
    put(root, "a.py", "sub/b.py", "sub/c.log")
    put(root, ".gitignore", text="*.log\n")
    assert paths(root / "sub") == ["b.py"]


def test_a_folder_that_git_ignores_can_be_opened(root: Path) -> None:
    """Opening it says that its files are wanted, though the project above hides it."""
    git(root, "init")
    put(root, "a.py", "out/b.py")
    put(root, ".gitignore", text="out/\n")
    assert paths(root / "out") == ["b.py"]


def test_submodules_and_nested_repositories_are_listed(root: Path, tmp_path: Path) -> None:
    """Each by its own rules; a submodule that is not checked out is nothing."""
    library = tmp_path / "library"
    put(library, "lib.py", "made.log")
    put(library, ".gitignore", text="*.log\n")
    git(library, "init")
    git(library, "add", ".")
    git(library, "commit", "-m", "m")
    git(root, "init")
    put(root, "a.py")
    git(root, "submodule", "add", str(library), "vendored/lib")
    git(root, "submodule", "add", str(library), "absent")
    git(root, "submodule", "deinit", "-f", "absent")
    git(root, "clone", str(library), "cloned")
    put(root, "cloned/local.py", "vendored/lib/new.py", "vendored/lib/new.log")
    assert paths(root) == [
        ".gitmodules", "a.py",
        "cloned/.gitignore", "cloned/lib.py", "cloned/local.py",
        "vendored/lib/.gitignore", "vendored/lib/lib.py", "vendored/lib/new.py",
    ]  # fmt: skip


def test_another_checkout_inside_is_passed_over(root: Path) -> None:
    """A linked work tree would list every file twice; opened itself, it is listed."""
    git(root, "init")
    put(root, "a.py")
    git(root, "add", ".")
    git(root, "commit", "-m", "m")
    git(root, "worktree", "add", "other")
    found = scan(root)
    assert [file.path for file in found.files] == ["a.py"]
    assert found.problems == [Problem("other", "another checkout of a repository")]
    assert paths(root / "other") == ["a.py"]


def test_a_folder_replaced_by_a_link_is_not_read(root: Path, tmp_path: Path) -> None:
    """The index of git may still name files behind what has become a link out of the folder."""
    git(root, "init")
    put(root, "a.py", "x/b.py")
    git(root, "add", ".")
    shutil.rmtree(root / "x")
    put(tmp_path, "outside/b.py")
    link(root / "x", tmp_path / "outside")
    assert paths(root) == ["a.py"]


def test_a_merge_conflict_lists_a_file_once(root: Path) -> None:
    """A file with three versions in the index is one file."""
    git(root, "init")
    put(root, "a.py", text="base\n")
    git(root, "add", ".")
    git(root, "commit", "-m", "base")
    git(root, "branch", "side")
    put(root, "a.py", text="here\n")
    git(root, "commit", "-a", "-m", "here")
    git(root, "checkout", "side")
    put(root, "a.py", text="there\n")
    git(root, "commit", "-a", "-m", "there")
    with pytest.raises(subprocess.CalledProcessError):
        git(root, "merge", "main")
    assert paths(root) == ["a.py"]


def test_configuration_of_the_folder_runs_no_program(root: Path) -> None:
    """A repository that names a file-system monitor does not get it started."""
    git(root, "init")
    put(root, "a.py", "evil.sh")
    put(root, "evil.sh", text=f"#!/bin/sh\ntouch '{root}/ran'\n")
    (root / "evil.sh").chmod(0o755)
    git(root, "add", ".")
    git(root, "config", "core.fsmonitor", str(root / "evil.sh"))
    assert paths(root) == ["a.py", "evil.sh"]
    assert not (root / "ran").exists()


def test_a_hook_s_environment_does_not_mislead(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Started from a git hook, the folder's own repository is still the one that is asked."""
    other = tmp_path / "other"
    put(other, "b.py")
    git(other, "init")
    git(root, "init")
    put(root, "a.py")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / "index"))
    assert paths(root) == ["a.py"]


@pytest.mark.parametrize("broken", ["no git", "no repository"])
def test_without_git_the_folder_is_walked(
    root: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    """A work tree that git cannot list is walked by the same rules, and a warning says so."""
    git(root, "init")
    put(root, "a.py", "a.log", "node_modules/m/index.js")
    put(root, ".gitignore", text="*.log\n")
    if broken == "no git":
        monkeypatch.setenv("PATH", str(root / "nowhere"))
    else:
        (root / ".git" / "HEAD").unlink()
    found = scan(root)
    assert [file.path for file in found.files] == [".gitignore", "a.py"]
    assert len(found.warnings) == 1
    assert "without git" in found.warnings[0]


# Outside git only.


def test_what_tools_make_is_skipped(root: Path) -> None:
    """Dependencies, caches, virtual environments and version control are not walked into."""
    put(root, "a.py", "node_modules/m/i.js", "x/__pycache__/a.txt", ".hg/store", ".venv/b.py")
    put(root, "env/pyvenv.cfg", "env/lib/c.py", "target/CACHEDIR.TAG", "target/d.rs", "lib/e.py")
    assert paths(root) == ["a.py", "lib/e.py"]


def test_a_folder_of_projects_asks_git_about_each(root: Path) -> None:
    """Repositories below a plain folder are listed by their own rules."""
    put(root, "notes.md", "one/a.py", "one/a.out", "two/b.py")
    git(root / "one", "init")
    put(root, "one/.git/info/exclude", text="*.out\n")
    assert paths(root) == ["notes.md", "one/a.py", "two/b.py"]


def test_deep_folders_are_walked(root: Path) -> None:
    """Depth does not exhaust the stack."""
    deep = root.joinpath(*["d"] * 400)
    put(deep, "a.py")
    assert paths(root) == ["d/" * 400 + "a.py"]


_PATTERNS = st.sampled_from(
    ["*.a", "/x", "x/", "y", "!*.a", "!y", "x/*.a", "/x/y/", "**/y/*.b", "x/**", "!x/y/", "*",
     "!*/", "!*.b", "[ab].a", "\\!y", "# y", ""]
)  # fmt: skip


@settings(
    deadline=None, max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(top=st.lists(_PATTERNS, max_size=4), nested=st.lists(_PATTERNS, max_size=3))
def test_a_walk_agrees_with_git(root: Path, top: list[str], nested: list[str]) -> None:
    """For any ignore files, both ways of listing find the same files, and both judge new ones so."""
    names = ["a.a", "b.b", "x/a.a", "x/b.b", "x/y/a.a", "x/y/c.b", "y/b.a", "y/x/b.b"]
    put(root, *names)
    put(root, ".gitignore", text="\n".join(top))
    put(root, "x/.gitignore", text="\n".join(nested))
    names += [".gitignore", "x/.gitignore"]
    walked, admitted_outside = scan(root), folder.admitted(root, names)
    git(root, "init")
    try:
        listed, admitted_inside = scan(root), folder.admitted(root, names)
    finally:
        shutil.rmtree(root / ".git")
    if not listed.warnings and not walked.warnings:
        assert [f.path for f in walked.files] == [f.path for f in listed.files]
        assert sorted(admitted_outside) == [f.path for f in walked.files]
        assert sorted(admitted_inside) == [f.path for f in listed.files]
