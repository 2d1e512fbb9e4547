"""What the key of an OpenClaw session says of who talks in it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Literal

from hunch.sources.conversations.shapes import as_object, text_at

if TYPE_CHECKING:
    from pathlib import Path

Origin = Literal["", "subagent", "program"]
"""Empty: a person; `program`: timers and hooks, in whose sessions no person says anything."""

_LARGEST_LIST = 64 << 20
_PROGRAM = re.compile(r"(?:^|:)(?:cron|hook):")


def origin_of(key: str, created_via: str = "") -> Origin:
    """Return who talks in a session with this key."""
    if created_via == "spawn" or ":subagent:" in key:
        return "subagent"
    if created_via in ("cron", "internal") or _PROGRAM.search(key):
        return "program"
    return ""


def listed_origins(folder: Path) -> dict[str, Origin]:
    """Return who talks in the sessions that `sessions.json` of a folder lists, by session id.

    The list is metadata of old installations; without it everybody counts as a person.
    """
    path = folder / "sessions.json"
    try:
        if path.stat().st_size > _LARGEST_LIST:
            return {}
        sessions: object = json.loads(path.read_text("utf-8", "replace"))
    except (OSError, ValueError, RecursionError):
        return {}
    entries = as_object(sessions).items()
    return {text_at(as_object(entry), "sessionId"): origin_of(key) for key, entry in entries}
