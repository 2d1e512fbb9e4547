"""Where OpenClaw keeps its state, under its names of the past too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hunch.sources.paths import exists, real

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hunch.sources.conversations.places import Places

AGENT = "openclaw"


def state_folders(places: Places) -> Iterator[Path]:
    """Yield the real paths of the state folders that exist, each once.

    The program itself uses one of them; the profiles beside it are other sets of conversations of
    the same person.
    """
    seen: set[Path] = set()
    for folder in (*_chosen(places), *places.extra.get(AGENT, ())):
        path = real(folder)
        if path not in seen and exists(path):
            seen.add(path)
            yield path


def _chosen(places: Places) -> list[Path]:
    home = places.variable("OPENCLAW_HOME") or places.home
    state = places.variable("OPENCLAW_STATE_DIR")
    if state:
        return [state]
    profile = places.environment.get("OPENCLAW_PROFILE", "").strip()
    if profile and profile != "default":
        return [home / f".openclaw-{profile}"]
    usual = home / ".openclaw"
    old = home / ".clawdbot"
    profiles = sorted(home.glob(".openclaw-*"))
    return [usual if exists(usual) or not exists(old) else old, *profiles]


_AGENT_FOLDER = re.compile(r"""["']?agentDir["']?\s*:\s*["']([^"'\n]+)["']""")


def database_paths(state: Path) -> list[Path]:
    """Return the databases of the agents of a state folder, also those that the settings move.

    The settings are JSON5, of which only the entries `agentDir` are looked at.
    """
    usual = sorted(state.glob("agents/*/agent/openclaw-agent.sqlite"))
    try:
        settings = (state / "openclaw.json").read_text("utf-8", "replace")
    except OSError:
        return usual
    folders = [_below_home(state, name) for name in _AGENT_FOLDER.findall(settings)]
    moved = [folder / "openclaw-agent.sqlite" for folder in folders]
    return usual + [path for path in moved if exists(path) and path not in usual]


def _below_home(state: Path, name: str) -> Path:
    return state.parent / name[2:] if name.startswith("~/") else state / name
