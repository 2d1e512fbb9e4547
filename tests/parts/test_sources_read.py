"""Reading single files."""

from __future__ import annotations

import os
import time
from hashlib import blake2b
from typing import TYPE_CHECKING

import pytest

from hunch.model import Problem
from hunch.sources.folder import Read, read

if TYPE_CHECKING:
    from pathlib import Path

LIMIT = 1_000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give an empty folder by its real path."""
    place = tmp_path / "root"
    place.mkdir()
    return place.resolve()


def test_a_file_is_read_with_hash_size_and_time(root: Path) -> None:
    """The hash is of the raw bytes; the text has no byte order mark and its own line ends."""
    raw = b"\xef\xbb\xbfa = 1\r\nb = 2\n"
    (root / "a.py").write_bytes(raw)
    status = (root / "a.py").stat()
    assert read(root, "a.py", max_file_bytes=LIMIT) == Read(
        "a = 1\r\nb = 2\n",
        blake2b(raw, digest_size=16).digest(),
        len(raw),
        status.st_mtime_ns,
    )


@pytest.mark.parametrize(
    ("age_ns", "is_told_apart"),
    [(-3_600_000_000_000, True), (3_600_000_000_000, False), (-3_600_000_000_001, False)],
)
def test_a_time_in_whole_seconds_must_be_over(root: Path, age_ns: int, is_told_apart: bool) -> None:
    """Where another change could have the same time, what is read has none that a file can have."""
    (root / "a.py").write_text("a = 1\n", "utf-8")
    second = time.time_ns() // 1_000_000_000 * 1_000_000_000
    os.utime(root / "a.py", ns=(second, second - age_ns))
    found = read(root, "a.py", max_file_bytes=LIMIT)
    assert isinstance(found, Read)
    assert (found.mtime_ns != (root / "a.py").stat().st_mtime_ns) is is_told_apart


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("gone.py", None, Problem("gone.py", "no such file or directory", "failed")),
        ("a.py", b"x" * (LIMIT + 1), Problem("a.py", "larger than 1000 bytes")),
        ("a.py", b"x\0", Problem("a.py", "binary")),
        ("a.py", b"# @generated\n", Problem("a.py", "generated: it says so at its top")),
        (".env", b"TOKEN=1\n", Problem(".env", "may hold secrets")),
        ("../a.py", b"x\n", Problem("../a.py", "it lies outside the folder")),
        ("a\0b", None, Problem("a\0b", "no file can have this name")),
    ],
)
def test_what_is_not_read_has_its_reason(
    root: Path, name: str, content: bytes | None, problem: Problem
) -> None:
    """A file that is missing, too large, unwanted or elsewhere is a problem, never an error."""
    if content is not None:
        (root / name).write_bytes(content)
    assert read(root, name, max_file_bytes=LIMIT) == problem


def test_a_file_as_large_as_allowed_is_read(root: Path) -> None:
    """The limit itself is within the limit."""
    (root / "a.txt").write_bytes(b"x" * LIMIT)
    assert isinstance(read(root, "a.txt", max_file_bytes=LIMIT), Read)


def test_links_in_a_circle_are_a_problem(root: Path) -> None:
    """A link to itself leads nowhere, and reading it fails as reading a missing file does."""
    try:
        (root / "a.py").symlink_to(root / "a.py")
    except OSError:
        pytest.skip("this system does not allow symbolic links")
    found = read(root, "a.py", max_file_bytes=LIMIT)
    assert isinstance(found, Problem)
    assert found.state == "failed"


def test_a_folder_is_no_file(root: Path) -> None:
    """A folder that took a file's place is a problem."""
    (root / "a.py").mkdir()
    found = read(root, "a.py", max_file_bytes=LIMIT)
    assert isinstance(found, Problem)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders there")
def test_a_pipe_does_not_block(root: Path) -> None:
    """A pipe that took a file's place is a problem at once, though nobody writes to it."""
    os.mkfifo(root / "a.py")
    assert read(root, "a.py", max_file_bytes=LIMIT) == Problem("a.py", "not a regular file")


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("../outside.txt", "it lies outside the folder"),
        ("../rootless/a.txt", "it lies outside the folder"),
        (".env", "may hold secrets"),
        ("inside.txt", None),
    ],
)
def test_a_link_is_judged_by_where_it_leads(root: Path, target: str, expected: str | None) -> None:
    """A link neither leads out of the folder nor gives a secret another name."""
    for place in ("../outside.txt", "../rootless/a.txt", ".env", "inside.txt"):
        (root / place).parent.mkdir(exist_ok=True)
        (root / place).write_text("x\n", "utf-8")
    try:
        (root / "link.txt").symlink_to(root / target)
    except OSError:
        pytest.skip("this system does not allow symbolic links")
    found = read(root, "link.txt", max_file_bytes=LIMIT)
    assert (found.reason if isinstance(found, Problem) else None) == expected
