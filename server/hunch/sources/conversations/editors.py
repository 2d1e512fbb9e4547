"""Where VS Code and the editors made of it keep what extensions and chats store."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from hunch.sources.conversations.documents import object_aside
from hunch.sources.conversations.shapes import text_at
from hunch.sources.conversations.uris import path_of
from hunch.sources.paths import exists, real

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hunch.sources.conversations.places import Places

EDITORS = (
    *("Code", "Code - Insiders", "Code - OSS", "VSCodium", "VSCodium - Insiders"),
    *("Cursor", "Windsurf", "Windsurf - Next", "Trae"),
)
"""The names of their folders."""
_SERVERS = (".vscode-server", ".vscode-server-insiders", ".vscodium-server", ".cursor-server")
"""What stays on a machine that is edited from another one."""

_FOLDER_OF_WORKSPACE = re.compile(r'"(?:path|uri)"\s*:\s*("(?:[^"\\]|\\.)*")')


def user_folders(places: Places, agent: str, editors: tuple[str, ...] = EDITORS) -> Iterator[Path]:
    """Yield the `User` folders that exist, each once, those that the person names for an agent too."""
    seen: set[Path] = set()
    for folder in (*_usual(places, editors), *map(_inside, places.extra.get(agent, ()))):
        path = real(folder)
        if path not in seen and exists(path):
            seen.add(path)
            yield path


def workspace_directory(storage: Path) -> str:
    """Return the folder that a window had open whose state is in `storage`; empty if none is named.

    Of a workspace with several folders it is the first.
    """
    opened = object_aside(storage / "workspace.json")
    if folder := path_of(opened.get("folder")):
        return folder.rstrip("/") or "/"
    workspace = path_of(text_at(opened, "workspace", "configuration"))
    return _first_folder(workspace) if workspace else ""


def _usual(places: Places, editors: tuple[str, ...]) -> Iterator[Path]:
    for name in editors:
        yield places.config() / name / "User"
    if editors == EDITORS:
        if portable := places.variable("VSCODE_PORTABLE"):
            yield portable / "user-data" / "User"
        for name in _SERVERS:
            yield places.home / name / "data" / "User"


def _inside(folder: Path) -> Path:
    return folder / "User" if exists(folder / "User") else folder


def _first_folder(workspace: str) -> str:
    """Return the first folder of a workspace file, which is JSON with comments."""
    parent, _, _ = workspace.rpartition("/")
    try:
        with open(workspace, encoding="utf-8", errors="replace") as file:  # noqa: PTH123 -- a path of the log's machine
            found = _FOLDER_OF_WORKSPACE.search(file.read(1 << 20))
        first = path_of(json.loads(found[1])) if found else ""
    except (OSError, ValueError):
        return parent
    if first.startswith("/") or first[1:2] == ":" or not first:
        return first or parent
    return parent if first == "." else f"{parent}/{first}"
