"""`hunch sources`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click
from rich.text import Text

from hunch.cli import json_output, options, session
from hunch.cli.output import age, note, plural, print_json, short_home, stdout, visible

if TYPE_CHECKING:
    from hunch.model import SourceState


@click.command("sources")
@options.json_option
def command(*, as_json: bool) -> int:
    """List the agents whose conversations were found, and read what is new in them.

    \b
    Examples:
      hunch sources
      hunch search "what did we decide about retries" --kind conversation --agent claude-code
    """  # noqa: D301 - click wants its own \b
    found = session.run(_found())
    if as_json:
        print_json([json_output.source_state(entry.state) for entry in found])
    elif not found:
        note("No conversations with agents were found.")
    for entry in [] if as_json else found:
        stdout().print(_line(entry))
    return 0 if found else 1


async def _found() -> list[_Found]:
    async with session.opened() as app:
        app.index.open_conversations()
        state = await session.bring_up_to_date(app)
        folders = await app.index.log_folders()
        problems = Counter(source.id for source, _ in await app.index.problems())
        return [
            _Found(source, folders.get(source.source.id, ""), problems[source.source.id])
            for source in state.sources
            if source.source.kind == "conversations"
        ]


class _Found(NamedTuple):
    """An agent's conversations."""

    state: SourceState
    folder: str
    """Where its logs lie; empty when all are gone."""
    problems: int


def _line(entry: _Found) -> Text:
    state = entry.state
    parts = [
        plural(state.conversations, "conversation"),
        plural(state.documents, "turn"),
        f"read {age(state.last_indexed)}",
        *([f"in {visible(short_home(Path(entry.folder)))}"] if entry.folder else []),
        *([f"{plural(entry.problems, 'problem')}, see hunch problems"] if entry.problems else []),
        *([state.message] if state.message else []),
    ]
    return Text.assemble((visible(state.source.label), "cyan"), f"  {', '.join(parts)}")
