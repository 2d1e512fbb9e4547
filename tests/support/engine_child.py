"""Indexes one folder in a process of its own, which a test may kill at any moment.

Run as `python engine_child.py DATABASE FOLDER`. Prints a line for every batch before it is embedded.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from support.engine_app import engine, index
from support.engine_embedder import HashingEmbedder


def say(word: str) -> None:
    """Write a line to whoever started this process."""
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


async def main(database: Path, root: Path) -> None:
    """Index a folder and say `done`."""
    embedder = HashingEmbedder()
    embedder.before_batch = lambda: say("batch")
    async with engine(database, embedder) as app:
        await index(app, root)
        say("done")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2])))
