"""What is special about hits in conversations: how they are ranked, and where they open."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from hunch import session_uris
from hunch.model import ConversationHit, Kind, Position, Range
from hunch.sources.conversations.readable import HEAD_LINES
from hunch.sources.paths import exists
from hunch.store import conversations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hunch.model import Hit
    from hunch.ranking.candidates import Candidate
    from hunch.store.chunks import ChunkHead
    from hunch.store.conversations import ConversationHead, TurnPlace
    from hunch.store.database import Connection
    from hunch.store.view import View

_DAY = 86_400


@dataclass(frozen=True)
class Here:
    """What tells conversations about the open folders, or about a place, from others."""

    roots: tuple[Path, ...] = ()
    remotes: frozenset[str] = frozenset()
    """Of the open folders' repositories, as `git.remote_name` writes them."""
    names: tuple[str, ...] = ()
    """How people speak of the place that is asked about: its path, its symbol."""


def judge(
    connection: Connection,
    view: View,
    found: Sequence[tuple[int, Candidate, ChunkHead]],
    here: Here,
) -> list[tuple[int, Candidate, ChunkHead]]:
    """Add to candidates that are turns of conversations what the ranking wants to know of them.

    Turns of one conversation count as one document from then on.
    """
    documents = view.documents
    is_turn = documents.kinds == Kind.CONVERSATION.value
    turns = {i: c.document for i, (_, c, _) in enumerate(found) if is_turn[c.document]}
    if not turns:
        return [*found]
    heads = conversations.heads_of(connection, documents.ids[[*turns.values()]].tolist())
    naming = _naming(connection, view, [found[i][0] for i in turns], here.names)
    judged = [*found]
    for i, document in turns.items():
        slot, candidate, head = found[i]
        known = heads.get(int(documents.ids[document]))
        if known is not None:
            moment = float(documents.mtimes[document])
            judged[i] = (
                slot,
                replace(
                    candidate,
                    document=-1 - known[0],
                    age_days=(time.time() - moment) / _DAY,
                    is_here=_is_here(known[1], here),
                    mentions=slot in naming,
                ),
                head,
            )
    return judged


def _naming(
    connection: Connection, view: View, slots: Sequence[int], names: Sequence[str]
) -> set[int]:
    """Return the slots whose text has one of some names."""
    if not names:
        return set()
    texts = view.read_texts(connection, slots)
    return {slot for slot, text in texts.items() if any(name in text for name in names)}


def _is_here(head: ConversationHead, here: Here) -> bool:
    if head.remote and head.remote in here.remotes:
        return True
    if not head.directory:
        return False
    place = Path(head.directory)
    if any(place.is_relative_to(root) for root in here.roots):
        return True
    # A folder that was moved or renamed above itself is known by its own name.
    return any(root.name in place.parts for root in here.roots) and not exists(place)


def put_in_place(hit: Hit, place: TurnPlace) -> Hit:
    """Return a hit in a turn as a hit in its whole conversation."""
    down = HEAD_LINES + place.first_line
    start, end = hit.range.start.line + down, hit.range.end.line + down
    stretch = Range(Position(start), Position(end))
    head, agent = place.head, hit.source.label
    project = PurePath(head.directory.replace("\\", "/")).name or head.remote.rpartition("/")[2]
    moment = f"{place.started.astimezone():%Y-%m-%d %H:%M}" if place.started else ""
    return replace(
        hit,
        uri=session_uris.to_uri(agent, head.name, head.title),
        signals={**hit.signals, "sourceGone": True} if place.is_gone else hit.signals,
        range=stretch,
        snippet_range=stretch,
        conversation=ConversationHit(
            detail=" · ".join(filter(None, [agent, project, moment])),
            agent=agent,
            name=head.name,
            directory=head.directory,
            started=place.started,
            is_gone=place.is_gone,
        ),
    )
