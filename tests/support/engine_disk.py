"""Plays what happens to the whole engine on a disk that fills up or becomes read-only.

Run as `unshare --map-root-user --mount python engine_disk.py SCENE FOLDER`; prints what was seen as
JSON. The mounts end with the process.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.engine_app import PATIENCE, engine, index, paths, write_files
from support.engine_dump import dump
from support.engine_embedder import HashingEmbedder
from support.faulty_disk import mount, room

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from hunch.app import App
    from hunch.model import IndexState

    Seen = dict[str, Any]

TESTS = Path(__file__).parent.parent
FULL = "The disk with the index is full; indexing goes on when there is room."
READ_ONLY = "The index may not be changed here: searches work, indexing does not."
FIRST = "def bake(pumpernickel): ...\n"
FILES = {
    f"m{n}.py": "".join(f"def part_{n}_{k}(fig):\n    return fig.grow({k})\n\n" for k in range(40))
    for n in range(60)
}


async def until(app: App, holds: Callable[[IndexState], bool]) -> IndexState:
    """Wait for a state, as a client would: by the notifications."""
    told: asyncio.Queue[IndexState] = asyncio.Queue()
    end = app.index.subscribe(told.put_nowait)
    try:
        async with asyncio.timeout(PATIENCE):
            state = await app.index.state()
            while not holds(state):
                state = await told.get()
            return state
    finally:
        end()


def is_complete(state: IndexState) -> bool:
    """Tell whether everything is in."""
    counts = state.counts
    return (state.state, counts.documents, counts.pending) == ("ready", len(FILES), 0)


def fill_up(folder: Path) -> Path:
    """Leave no room on the disk."""
    fill = folder / "fill"
    with fill.open("wb", buffering=0) as file:
        while room(folder):
            file.write(bytes(4_096))
    return fill


async def begun(root: Path, app: App, embedder: HashingEmbedder) -> None:
    """Index one file, add many, and stop before any of their vectors is saved."""
    write_files(root, {"first.py": FIRST})
    await index(app, root)
    (root / "first.py").unlink()
    write_files(root, FILES)
    embedder.open.clear()
    reached = asyncio.Event()
    embedder.before_batch = reached.set
    app.index.request([root])
    async with asyncio.timeout(PATIENCE):
        await reached.wait()


async def full(folder: Path) -> Seen:
    """Fill the disk in the middle of indexing, look, make room."""
    root = write_files(folder.with_name("project"), {}).resolve()
    mount(folder, "size=64m")
    embedder = HashingEmbedder()
    async with engine(folder / "index.db", embedder) as app:
        await begun(root, app, embedder)
        fill = fill_up(folder)
        embedder.open.set()
        state = await until(app, lambda state: state.message == FULL)
        seen: Seen = {"state": state.state, "found": await paths(app, "part_0_1", root) != []}
        fill.unlink()
        state = await until(app, is_complete)
        seen["message"] = state.message
    return seen | {"equal": await _is_equal(folder, root)}


async def read_only(folder: Path) -> Seen:
    """Open an index on a read-only disk, look, make the disk writable."""
    root = write_files(folder.with_name("project"), {"first.py": FIRST}).resolve()
    mount(folder, "size=64m")
    async with engine(folder / "index.db", HashingEmbedder()) as app:
        await index(app, root)
    mount(folder, "remount", "ro")
    (root / "first.py").unlink()
    write_files(root, FILES)
    async with engine(folder / "index.db", HashingEmbedder()) as app:
        app.index.open_folder(root)
        state = await until(app, lambda state: state.message == READ_ONLY)
        seen: Seen = {
            "state": state.state,
            "found": await paths(app, "pumpernickel", root) == ["first.py"],
        }
        await asyncio.to_thread(mount, folder, "remount", "rw")
        state = await until(app, is_complete)
        seen["message"] = state.message
    return seen | {"equal": await _is_equal(folder, root)}


async def read_only_for_others(folder: Path) -> Seen:
    """Forbid writing in the middle of indexing: what is open for writing stays so."""
    root = write_files(folder.with_name("project"), {}).resolve()
    mount(folder, "size=64m")
    embedder = HashingEmbedder()
    async with engine(folder / "index.db", embedder) as app:
        await begun(root, app, embedder)
        await asyncio.to_thread(bind, folder, "ro")
        embedder.open.set()
        state = await until(app, is_complete)
        found = await paths(app, "part_0_1", root) != []
    await asyncio.to_thread(bind, folder, "rw")
    return {
        "state": state.state,
        "found": found,
        "message": state.message,
        "equal": await _is_equal(folder, root),
    }


def bind(folder: Path, right: str) -> None:
    """Lay a view of a folder over itself in which files may be opened for reading only, or both."""
    subprocess.run(["mount", "--bind", folder, folder], check=True)
    subprocess.run(["mount", "-o", f"remount,bind,{right}", folder], check=True)


async def _is_equal(folder: Path, root: Path) -> bool:
    """Compare the index with one that was made without trouble."""
    async with engine(folder / "whole.db", HashingEmbedder()) as app:
        await index(app, root)
    return dump(folder / "index.db") == dump(folder / "whole.db")


SCENES: dict[str, Callable[[Path], Awaitable[Seen]]] = {
    "full": full,
    "read-only": read_only,
    "read-only for others": read_only_for_others,
}
SEEN: dict[str, Seen] = {
    "full": {"state": "failed", "found": True, "message": "", "equal": True},
    "read-only": {"state": "degraded", "found": True, "message": "", "equal": True},
    "read-only for others": {"state": "ready", "found": True, "message": "", "equal": True},
}


async def play(scene: str, folder: Path) -> Seen:
    """Play one of the scenes."""
    return await SCENES[scene](folder)


if __name__ == "__main__":
    disk = Path(sys.argv[2]) / "disk"
    disk.mkdir()
    sys.stdout.write(json.dumps(asyncio.run(play(sys.argv[1], disk))))
