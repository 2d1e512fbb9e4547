"""`hunch search`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hunch.cli import json_output, options, session
from hunch.cli.hits import show_hits
from hunch.cli.output import note, print_json, stdout, warn
from hunch.cli.scope import Scope
from hunch.model import Mode, Query

if TYPE_CHECKING:
    from hunch.app import App
    from hunch.model import SearchResult


@click.command("search", epilog=options.EXIT_CODES)
@click.argument("query")
@options.paths_argument
@options.limit_option
@click.option(
    "--mode",
    type=click.Choice([mode.value for mode in Mode]),
    default=Mode.HYBRID.value,
    show_default=True,
    help="By words (keyword), by meaning (semantic), or both (hybrid).",
)
@options.filter_options
@click.option("--no-index", is_flag=True, help="Answer from what is indexed; look for no changes.")
@options.yes_option
@options.json_option
def command(query: str, paths: tuple[Path, ...], **given: Any) -> int:
    """Find code, notes and text by meaning.

    QUERY is a question in plain words, or a name. Each PATH is a folder or a file; without any, the
    current directory is searched. What changed there is indexed first: the first time this takes a
    while, later it does not.

    \b
    Examples:
      hunch search "where are failed requests retried"
      hunch search "parse the config" path/to/repo --language python --limit 3
      hunch search Client.send --include "src/**" --since 2026-10-01
      hunch search "upload a file" --json | jq -r '.hits[].uri'
    """  # noqa: D301 - click wants its own \b
    if not query.strip():
        raise click.BadParameter("must not be empty", param_hint="QUERY")
    result = session.run(_search(query[: options.MAX_QUERY], paths, given))
    session.tell_embedder(result, wanted=Mode(given["mode"]))
    return show(result, as_json=given["as_json"])


async def _search(text: str, paths: tuple[Path, ...], given: dict[str, Any]) -> SearchResult:
    async with session.opened() as app:
        scope = await _open(app, paths, given)
        if not given["no_index"]:
            await session.bring_up_to_date(app)
        return await app.search.search(
            Query(
                text,
                limit=given["limit"],
                mode=Mode(given["mode"]),
                filter=options.to_filter(given, scope.folders),
                roots=scope.roots,
            )
        )


async def _open(app: App, paths: tuple[Path, ...], given: dict[str, Any]) -> Scope:
    look = not given["no_index"]
    if not paths and given["everywhere"]:
        await session.open_known(app)
        return Scope(())
    return await session.open_paths(app, paths or (Path(),), yes=given["yes"], look=look)


def show(result: SearchResult, *, as_json: bool) -> int:
    """Print a ranked list; returns the exit code."""
    if as_json:
        print_json(json_output.search_result(result))
    elif result.hits:
        show_hits(stdout(), result.hits)
    elif not result.state.counts.documents:
        warn("Nothing is indexed here.")
    else:
        note("Nothing found.")
    return 0 if result.hits else 1
