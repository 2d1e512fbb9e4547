"""`hunch forget`."""

from __future__ import annotations

from pathlib import Path

import click

from hunch.cli import options, session
from hunch.cli.output import note, print_json, short_home, warn


@click.command("forget", epilog="Exit codes: 0 forgotten, 1 it was not indexed, 3 failure.")
@click.argument("path", type=click.Path(path_type=Path))
@options.json_option
def command(path: Path, *, as_json: bool) -> int:
    """Delete the index of a folder.

    The folder itself is not touched, and may be gone already. Vectors are kept for a month, so that
    indexing it again is quick.

    \b
    Examples:
      hunch forget path/to/repo
    """  # noqa: D301 - click wants its own \b
    root = path.expanduser().resolve()
    forgotten, around = session.run(_forget(root))
    if as_json:
        print_json({"uri": root.as_uri(), "forgotten": forgotten})
    elif forgotten:
        note(f"Forgot {short_home(root)}.")
    elif around:
        warn(f"This folder is indexed as a part of {short_home(around)}; forget that one.")
    else:
        warn("This folder is not indexed; hunch status lists those that are.")
    return 0 if forgotten else 1


async def _forget(root: Path) -> tuple[bool, Path | None]:
    async with session.opened() as app:
        known = [source.root for source in await app.index.sources()]
        around = next((place for place in known if root.is_relative_to(place)), None)
        return await app.index.forget(root), around
