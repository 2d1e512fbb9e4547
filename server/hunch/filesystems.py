"""Tells folders of this machine from those that another one serves.

On the latter, SQLite's write-ahead log does not work and changes made elsewhere are not announced.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import psutil

if TYPE_CHECKING:
    from collections.abc import Iterable

_NETWORK = frozenset(
    {
        "9p",
        "afpfs",
        "afs",
        "ceph",
        "cifs",
        "davfs",
        "drvfs",
        "fakeowner",
        "glusterfs",
        "gpfs",
        "lustre",
        "nfs",
        "nfs3",
        "nfs4",
        "osxfs",
        "prl_fs",
        "rclone",
        "s3fs",
        "smb2",
        "smb3",
        "smbfs",
        "sshfs",
        "vboxsf",
        "virtiofs",
        "vmhgfs",
        "vmhgfs-fuse",
        "webdav",
    }
)
"""Types of file systems that are served by another machine, or by the host of a virtual one."""


class Mount(NamedTuple):
    """A place where a file system begins."""

    mountpoint: str
    fstype: str
    """As the operating system names it, in any case."""
    opts: str
    """Separated by commas; `remote` marks a network drive of Windows."""


def is_network(path: Path) -> bool:
    """Tell whether a path lies on a file system that another machine serves.

    What cannot be found out counts as local. Blocks while the file system answers; call it from a
    thread. The path need not exist.
    """
    try:
        place, mounts = path.resolve(), _mounts()
    except (OSError, RuntimeError):  # the latter for links that lead in a circle
        return False
    if place.drive.startswith("\\\\"):
        return True
    mount = mount_of(place, mounts)
    return mount is not None and serves_from_elsewhere(mount)


def mount_of(path: Path, mounts: Iterable[Mount]) -> Mount | None:
    """Return the innermost mount that an absolute path lies in; of equal ones, the last."""
    found = None, -1
    for mount in mounts:
        depth = len(Path(mount.mountpoint).parts)
        if depth >= found[1] and path.is_relative_to(mount.mountpoint):
            found = mount, depth
    return found[0]


def serves_from_elsewhere(mount: Mount) -> bool:
    """Tell whether a mount's files come from another machine."""
    kind = mount.fstype.lower()
    # Linux writes the name of a program that serves files as `fuse.sshfs`.
    return kind.removeprefix("fuse.") in _NETWORK or "remote" in mount.opts.split(",")


def _mounts() -> list[Mount]:
    # psutil carries no types that a strict checker accepts.
    partitions = cast("Any", psutil).disk_partitions(all=True)
    return [Mount(str(each.mountpoint), str(each.fstype), str(each.opts)) for each in partitions]
