"""Questions about paths that are answered also where we may not look.

The methods of `Path` raise there; a scan must go on.
"""

from __future__ import annotations

import os
from pathlib import Path


def exists(path: Path) -> bool:
    """Say whether something is seen at the path."""
    return os.path.exists(path)  # noqa: PTH110 -- Path.exists raises PermissionError


def is_link(path: Path) -> bool:
    """Say whether a symbolic link is seen at the path."""
    return os.path.islink(path)  # noqa: PTH114 -- Path.is_symlink raises PermissionError


def real(path: Path) -> Path:
    """Return the path with links followed as far as that is possible, absolute."""
    return Path(os.path.realpath(path))  # Path.resolve raises where links run in a circle


def own_prefixes(database: Path) -> tuple[str, ...]:
    """Return what the real paths of an index database, and of what lies beside it, begin with."""
    return tuple({str(real(database.parent) / database.name), str(real(database))})
