"""`hunch sources`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.text import Text

from hunch.cli import json_output, options, session
from hunch.cli.output import age, note, plural, print_json, stdout, visible

if TYPE_CHECKING:
    from hunch.model import IndexState, SourceState


@click.command("sources")
@options.json_option
def command(*, as_json: bool) -> int:
    """List the agents whose conversations were found, and read what is new in them.

    \b
    Examples:
      hunch sources
      hunch search "what did we decide about retries" --kind conversation --agent claude-code
    """  # noqa: D301 - click wants its own \b
    state = session.run(_state())
    found = [source for source in state.sources if source.source.kind == "conversations"]
    if as_json:
        print_json([json_output.source_state(source) for source in found])
    elif not found:
        note("No conversations with agents were found.")
    else:
        for source in found:
            stdout().print(_line(source))
    return 0 if found else 1


async def _state() -> IndexState:
    async with session.opened() as app:
        app.index.open_conversations()
        return await session.bring_up_to_date(app)


def _line(state: SourceState) -> Text:
    parts = [
        plural(state.conversations, "conversation"),
        plural(state.documents, "turn"),
        f"read {age(state.last_indexed)}",
        *([state.message] if state.message else []),
    ]
    return Text.assemble((visible(state.source.label), "cyan"), f"  {', '.join(parts)}")
