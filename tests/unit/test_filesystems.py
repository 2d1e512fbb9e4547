"""Which file systems count as served by another machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from hunch.filesystems import Mount, is_network, mount_of, serves_from_elsewhere


@pytest.mark.parametrize(
    ("kind", "options", "network"),
    [
        ("ext4", "rw,relatime", False),
        ("tmpfs", "rw", False),
        ("apfs", "rw,local", False),
        ("NTFS", "rw,fixed", False),
        ("fuse.encfs", "rw", False),
        ("fuseblk", "rw", False),
        ("nfs4", "rw,vers=4.2", True),
        ("NFS", "rw,remote", True),
        ("cifs", "rw", True),
        ("smbfs", "rw", True),
        ("9p", "rw", True),
        ("fuse.sshfs", "rw", True),
        ("fuse.rclone", "rw", True),
        ("NTFS", "rw,remote", True),
    ],
)
def test_kinds_of_file_systems(kind: str, options: str, network: bool) -> None:
    """The type tells, and on Windows the options do."""
    assert serves_from_elsewhere(Mount("/", kind, options)) is network


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/etc/x", "ext4"),
        ("/home/ann/x", "nfs"),
        ("/home/ann2/x", "ext4"),
        ("/home/ann/local/x", "xfs"),
        ("/auto/x", "nfs4"),
    ],
)
def test_the_innermost_and_last_mount_counts(path: str, kind: str) -> None:
    """Mounts lie in one another, and over one another."""
    mounts = [
        Mount("/auto", "autofs", ""),
        Mount("/", "ext4", ""),
        Mount("/home/ann/local", "xfs", ""),
        Mount("/home/ann", "nfs", ""),
        Mount("/auto", "nfs4", ""),
    ]
    found = mount_of(Path(path), mounts)
    assert found is not None
    assert found.fstype == kind


def test_a_folder_of_this_machine_is_local(tmp_path: Path) -> None:
    """The folder of a test is here, whether or not the path exists."""
    assert not is_network(tmp_path / "nothing" / "here")
