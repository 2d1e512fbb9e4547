"""The logs of every agent, written step by step, end in the index as what was said."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from hunch.config import DEFAULTS
from hunch.store import conversations, sources
from support.conversations.stories import STORIES
from support.engine_app import engine, settled
from support.engine_embedder import HashingEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from hunch.store.database import Connection


def said(connection: Connection) -> list[tuple[str, str]]:
    """Return question and answer of every turn that is stored."""
    turns: list[tuple[str, str]] = []
    for source, _ in sources.list_sources(connection):
        for source_id, name in conversations.find_conversations(connection, ""):
            if source_id == source.id:
                found = conversations.read_conversation(connection, source_id, name)
                assert found is not None
                for body, _ in found[1]:
                    answer = "\n\n".join(text for text, is_tool in body["steps"] if not is_tool)
                    turns.append((body["question"], answer))
    return turns


@pytest.mark.asyncio
@pytest.mark.parametrize("name", STORIES)
async def test_what_was_said_is_what_is_stored(name: str, tmp_path: Path, database: Path) -> None:
    """Whatever an agent rewrites, rewinds or throws away, the index holds what was said, once."""
    story = STORIES[name]
    home = tmp_path / "home"
    home.mkdir()
    settings = replace(DEFAULTS, conversations_folders=(f"{story.reader.agent}={home}",))
    embedder = HashingEmbedder()
    async with engine(database, embedder, settings=settings, home=home) as app:
        app.index.open_conversations()
        for _ in story.steps(home):
            app.index.request()
            await settled(app)
        assert sorted(await app._database.read(said)) == sorted(story.told)
        asked = len(embedder.asked)
        app.index.request()
        state = await settled(app)
        assert (state.state, state.counts.pending) == ("ready", 0)
        assert len(embedder.asked) == asked
        assert not any("HIDDEN" in text for text in embedder.asked)
