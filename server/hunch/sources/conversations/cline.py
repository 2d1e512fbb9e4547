"""Cline, Roo Code and the old Kilo Code: a folder of JSON files for each task.

The files lie where VS Code keeps what extensions store, or in Cline's own folder; Cline's later
sessions have another form. All of them are rewritten as a whole whenever something happens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hunch.sources.conversations.base import Cursor, Log, Reader, Reading
from hunch.sources.conversations.cline_sessions import session_whole
from hunch.sources.conversations.cline_tasks import API_NAMES, UI_NAMES, task_whole
from hunch.sources.conversations.documents import load
from hunch.sources.conversations.editors import user_folders
from hunch.sources.conversations.places import Places, files_below, found
from hunch.sources.conversations.whole import is_known, read_whole
from hunch.sources.paths import exists

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_EXTENSIONS = {
    "cline": "saoudrizwan.claude-dev",
    "roo": "rooveterinaryinc.roo-cline",
    "kilo": "kilocode.kilo-code",
}
_SESSION = ".messages.json"


def discover_cline(places: Places) -> Iterator[Log]:
    """Yield the tasks and sessions of Cline."""
    yield from discover_tasks(places, "cline")
    own = places.variable("CLINE_DIR") or places.home / ".cline"
    data = places.variable("CLINE_DATA_DIR") or own / "data"
    for folder in (data, *places.extra.get("cline", ())):
        yield from _tasks("cline", folder)
        for path in files_below(folder / "sessions"):
            if path.name.endswith(_SESSION):
                yield from found("cline", path)


def discover_roo(places: Places) -> Iterator[Log]:
    """Yield the tasks of Roo Code."""
    yield from discover_tasks(places, "roo")
    for folder in (places.home / ".vscode-mock" / "global-storage", *places.extra.get("roo", ())):
        yield from _tasks("roo", folder)


def discover_tasks(places: Places, agent: str) -> Iterator[Log]:
    """Yield the tasks that an extension of VS Code keeps: `cline`, `roo` or `kilo`."""
    for user in user_folders(places, agent):
        yield from _tasks(agent, user / "globalStorage" / _EXTENSIONS[agent])


def read(log: Log, since: Mapping[str, Cursor]) -> Iterator[Reading]:
    """Yield what is new in one task or session."""
    value, mark = load(log.path)
    if not is_known(since, "", mark):
        understand = session_whole if log.path.name.endswith(_SESSION) else task_whole
        yield from read_whole(understand(log.path, value), mark, since)


CLINE = Reader("cline", "Cline", discover_cline, read)
ROO = Reader("roo", "Roo Code", discover_roo, read)


def _tasks(agent: str, folder: Path) -> Iterator[Log]:
    for task in sorted((folder / "tasks").glob("*")):
        paths = (task / name for name in (*UI_NAMES, *API_NAMES))
        if path := next(filter(exists, paths), None):
            yield from found(agent, path)
