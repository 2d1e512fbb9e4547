"""`hunch show`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hunch import session_uris
from hunch.cli import session
from hunch.cli.output import stdout, warn

if TYPE_CHECKING:
    from hunch.app import App


@click.command("show")
@click.argument("conversation")
def command(conversation: str) -> int:
    """Print a conversation with an agent as Markdown.

    CONVERSATION is the name that a hit shows, or the beginning of it, or its hunch-session: URI.

    \b
    Examples:
      hunch show 2f0c81aa
      hunch show "$(hunch search 'retries' --kind conversation --json | jq -r '.hits[0].uri')"
    """  # noqa: D301 - click wants its own \b
    text = session.run(_text(conversation))
    if text is None:
        return 1
    stdout().out(text, highlight=False, end="")
    return 0


async def _text(conversation: str) -> str | None:
    async with session.opened() as app:
        text = await _known(app, conversation)
        if text is None:
            app.index.open_conversations()
            await session.bring_up_to_date(app)
            text = await _known(app, conversation)
    if text is None:
        warn("No conversation of that name is known.")
    return text


async def _known(app: App, conversation: str) -> str | None:
    named = session_uris.from_uri(conversation)
    found = [named] if named else await app.search.find_session(conversation)
    if len(found) > 1:
        warn(f"{len(found)} conversations begin so; the newest is shown.")
    return await app.search.session(*found[0]) if found else None
