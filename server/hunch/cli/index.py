"""`hunch index`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hunch.cli import json_output, options, session
from hunch.cli.output import note, plural, print_json, stdout

if TYPE_CHECKING:
    from hunch.model import IndexState


@click.command("index", epilog="Exit codes: 0 all is indexed, 2 wrong usage, 3 failure.")
@options.paths_argument
@click.option("--force", is_flag=True, help="Read and embed every file again, not only changes.")
@options.yes_option
@options.json_option
def command(paths: tuple[Path, ...], *, force: bool, yes: bool, as_json: bool) -> int:
    """Bring the index of folders up to date.

    A search does this by itself; this command is for doing it beforehand. Ctrl-C loses nothing: the
    next run goes on from there.

    \b
    Examples:
      hunch index
      hunch index path/to/repo path/to/notes
      hunch index --force
    """  # noqa: D301 - click wants its own \b
    state = session.run(_index(paths, force=force, yes=yes))
    if as_json:
        print_json(json_output.index_state(state))
    else:
        _show(state)
    done = state.state != "failed" and not state.counts.pending
    return 0 if done else 3


async def _index(paths: tuple[Path, ...], *, force: bool, yes: bool) -> IndexState:
    async with session.opened() as app:
        await session.open_paths(app, paths or (Path(),), yes=yes)
        return await session.bring_up_to_date(app, force=force)


def _show(state: IndexState) -> None:
    if state.embedder.message:
        note(state.embedder.message)
    counts = state.counts
    line = f"{plural(counts.documents, 'file')}, {plural(counts.chunks, 'chunk')}"
    left_out = counts.skipped + counts.failed + counts.not_understood
    if counts.pending:
        line += f", {counts.pending:,} of them without a vector yet"
    if left_out:
        line += f"; {plural(left_out, 'problem')} (see hunch problems)"
    stdout().print(line)
