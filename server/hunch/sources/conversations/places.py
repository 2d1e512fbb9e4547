"""Where agents keep their logs: the home folder, the environment and the platform as values.

Every reader asks `Places` instead of the operating system, so that the default paths of Linux,
macOS and Windows can be tested on any of them.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from hunch.sources.conversations.base import Log
from hunch.sources.paths import exists, is_link, real

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Platform = Literal["linux", "darwin", "win32"]
"""Every Unix that is not macOS counts as `linux`."""


@dataclass(frozen=True, slots=True)
class Places:
    """What decides where logs are looked for."""

    home: Path
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    platform: Platform = "linux"
    extra: Mapping[str, tuple[Path, ...]] = field(default_factory=dict[str, tuple[Path, ...]])
    """Folders that the user names, by agent; each stands beside the agent's default folder."""

    def variable(self, name: str) -> Path | None:
        """Return the folder or file that an environment variable names, `~` resolved; else `None`."""
        value = self.environment.get(name, "").strip()
        if not value:
            return None
        if value == "~" or value.startswith(("~/", "~\\")):
            return self.home / value[2:]
        return Path(value)

    def config(self) -> Path:
        """Return the folder below which desktop applications keep their settings."""
        match self.platform:
            case "darwin":
                return self.home / "Library" / "Application Support"
            case "win32":
                return self.variable("APPDATA") or self.home / "AppData" / "Roaming"
            case _:
                return self.variable("XDG_CONFIG_HOME") or self.home / ".config"

    def data(self) -> Path:
        """Return the folder below which desktop applications keep their data."""
        match self.platform:
            case "darwin":
                return self.home / "Library" / "Application Support"
            case "win32":
                return self.variable("LOCALAPPDATA") or self.home / "AppData" / "Local"
            case _:
                return self.xdg_data()

    def xdg_data(self) -> Path:
        """Return the XDG data folder, which some programs use on every platform."""
        return self.variable("XDG_DATA_HOME") or self.home / ".local" / "share"


def current_places(extra: Mapping[str, tuple[Path, ...]] | None = None) -> Places:
    """Return the places of the person who runs this program."""
    platform = sys.platform if sys.platform in ("darwin", "win32") else "linux"
    return Places(Path.home(), dict(os.environ), platform, extra or {})


def files_below(root: Path, *, deep: bool = True) -> Iterator[Path]:
    """Yield the files below `root` in order of their names; links are not followed.

    A `root` that is a link itself is followed: people link such folders into their dot files. What
    cannot be listed is left out.

    Args:
        root: a folder, which need not exist.
        deep: look at any depth, not only into the folder itself.
    """
    for folder, folders, names in os.walk(real(root)):
        folders[:] = sorted(folders) if deep else []
        for name in sorted(names):
            path = Path(folder) / name
            if not is_link(path):
                yield path


def found(agent: str, path: Path, *sidecars: Path, rank: int = 0, hint: str = "") -> Iterator[Log]:
    """Yield the log at `path`, stamped with the sizes and times of it and its sidecars; or nothing."""
    try:
        stamps = [path.stat(), *(side.stat() for side in sidecars if exists(side))]
    except OSError:
        return
    stamp = tuple(number for stat in stamps for number in (stat.st_size, stat.st_mtime_ns))
    yield Log(agent, real(path), stamp, rank, hint)
