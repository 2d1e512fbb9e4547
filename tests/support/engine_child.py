"""Indexes one folder in a process of its own, which a test may kill at any moment.

Run as `python engine_child.py DATABASE FOLDER`. Prints a line for every batch before it is embedded;
with `events` as a third argument, also for every batch that was saved and for every file list.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from support.engine_app import engine, index
from support.engine_embedder import HashingEmbedder

if TYPE_CHECKING:
    from hunch.app import App


def say(word: str) -> None:
    """Write a line to whoever started this process."""
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def say_more(app: App) -> None:
    """Tell of what is written, too."""
    written, embedded = app.index.written, app.index._embed_work._saved

    def tell_written(files: int, current: str) -> None:
        say("written")
        written(files, current)

    def tell_saved(count: int) -> None:
        say("saved")
        embedded(count)

    app.index.written = tell_written
    app.index._embed_work._saved = tell_saved


async def main(database: Path, root: Path, *, events: bool) -> None:
    """Index a folder and say `done`."""
    embedder = HashingEmbedder()
    embedder.before_batch = lambda: say("batch")
    async with engine(database, embedder) as app:
        if events:
            say_more(app)
        await index(app, root)
        say("done")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), events=len(sys.argv) > 3))
