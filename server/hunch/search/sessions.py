"""Whole conversations, as a person reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hunch.sources.conversations.readable import title_of, turn_of, whole
from hunch.store import conversations, sources

if TYPE_CHECKING:
    from hunch.store.database import Connection


def read_session(connection: Connection, agent: str, name: str) -> str | None:
    """Return a conversation as Markdown; None when there is none of that name."""
    known = (source for source, _ in sources.list_sources(connection))
    source = next((s for s in known if s.kind == "conversations" and s.label == agent), None)
    found = conversations.read_conversation(connection, source.id, name) if source else None
    if found is None or not found[1]:
        return None
    head, turns = found
    label = _label(agent)
    times = [moment.astimezone() for _, moment in turns if moment]
    when = [f"{times[0]:%Y-%m-%d %H:%M}", f"to {times[-1]:%Y-%m-%d %H:%M}"] if times else []
    place = " · ".join(filter(None, [label, head.directory, head.branch, " ".join(when)]))
    return whole(head.title or title_of(turn_of(*turns[0])), place, turns, label)


def find_session(connection: Connection, start: str) -> list[tuple[str, str]]:
    """Return agent and name of the conversations whose name starts with `start`, newest first."""
    labels = {source.id: source.label for source, _ in sources.list_sources(connection)}
    found = conversations.find_conversations(connection, start)
    return [(labels[source_id], name) for source_id, name in found]


def _label(agent: str) -> str:
    """Return how an agent is called by people."""
    # Only who opens a conversation needs the readers, which take a while to be imported.
    from hunch.sources.conversations.readers import READERS  # noqa: PLC0415

    return next((reader.label for reader in READERS if reader.agent == agent), agent)
