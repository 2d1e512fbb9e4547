"""`hunch problems`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.text import Text

from hunch.cli import json_output, options, session
from hunch.cli.output import note, print_json, shown_path, stdout, visible, warn
from hunch.errors import HunchError

if TYPE_CHECKING:
    from hunch.cli.scope import Scope
    from hunch.model import Problem, Source


@click.command("problems", epilog="Exit codes: 0 listed, also when there are none, 3 failure.")
@options.paths_argument
@options.json_option
def command(paths: tuple[Path, ...], *, as_json: bool) -> int:
    """List files that are not, or not wholly, in the index.

    Each comes with its reason: too large, binary, generated, secret, not readable. What git or
    .hunchignore hide is not listed. Looks for no changes; hunch index does.

    \b
    Examples:
      hunch problems
      hunch problems path/to/repo --json
    """  # noqa: D301 - click wants its own \b
    found = session.run(_problems(paths))
    if as_json:
        print_json([json_output.problem(source, problem) for source, problem in found])
    elif found:
        _show(found)
    else:
        note("No problems.")
    return 0


async def _problems(paths: tuple[Path, ...]) -> list[tuple[Source, Problem]]:
    async with session.opened() as app:
        scope = await session.open_paths(app, paths or (Path(),), look=False)
        known = {source.root for source in await app.index.sources()}
        if not known.issuperset(scope.roots):
            if paths:
                raise HunchError("This folder is not indexed yet; run hunch index there first.")
            warn("This folder is not indexed yet; what follows is of other sources.")
        await app.try_embedder()
        return [found for found in await app.index.problems() if _is_wanted(*found, scope)]


def _is_wanted(source: Source, problem: Problem, scope: Scope) -> bool:
    path = source.root / problem.path
    return not scope.folders or any(path.is_relative_to(folder) for folder in scope.folders)


def _show(found: list[tuple[Source, Problem]]) -> None:
    console = stdout()
    for source, problem in found:
        path = visible(shown_path(source.root / problem.path))
        console.print(
            Text.assemble((path, "cyan"), f": {problem.state}: ", (visible(problem.reason), "dim"))
        )
