"""Files that the parser makes nothing of, crashes on or never finishes, and the rest of the folder."""

from __future__ import annotations

import asyncio
import gc
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from hunch.config import Settings
from hunch.indexing.reconcile import Reconciler
from hunch.model import Mode
from hunch.sources.stopping import Stopped
from hunch.store import documents, sources
from hunch.store.database import Database
from support.engine_app import PATIENCE, engine, index, paths, write_files
from support.engine_dump import dump
from support.engine_embedder import HashingEmbedder
from support.planners import faulty_planner, started

if TYPE_CHECKING:
    from pathlib import Path

    from hunch.app import App
    from hunch.indexing.planner import Planner
    from hunch.indexing.reconcile import Changes

DEEP = "".join(f"{' ' * n}if quince{n}:\n" for n in range(150)) + " " * 150 + "pass\n"
GOOD = "def pear():\n    return 1\n"
TOO_DEEP = "cut into blocks: it is indented too deeply"


async def found_problems(app: App) -> list[tuple[str, str, str]]:
    """List path, state and reason of all problems."""
    return [(p.path, p.state, p.reason) for _, p in await app.index.problems()]


@pytest.mark.parametrize("change", ["mended", "deleted", "ignored"])
@pytest.mark.asyncio
async def test_what_was_not_understood_is_indexed_and_said(
    change: str, tmp_path: Path, database: Path
) -> None:
    """A file that was cut into blocks is found, counted and listed, until it is well or gone."""
    root = write_files(tmp_path / "project", {"deep.py": DEEP, "good.py": GOOD}).resolve()
    async with engine(database, HashingEmbedder()) as app:
        counts = (await index(app, root)).counts
        assert (counts.documents, counts.not_understood, counts.failed) == (2, 1, 0)
        assert counts.skipped == 0
        assert await found_problems(app) == [("deep.py", "not understood", TOO_DEEP)]
        assert set(await paths(app, "quince7", root, mode=Mode.KEYWORD)) == {"deep.py"}
        if change == "mended":
            write_files(root, {"deep.py": GOOD})
        elif change == "deleted":
            (root / "deep.py").unlink()
        else:
            write_files(root, {".hunchignore": "deep.py\n"})
        counts = (await index(app, root)).counts
        assert (counts.not_understood, await found_problems(app)) == (0, [])


class Folder:
    """One folder, looked at and indexed by a planner whose parsers fail when told to."""

    def __init__(self, root: Path, database: Path, planner: Planner) -> None:
        self.root = root
        self.path = database
        self._database = Database.open(database)
        self._pool = ThreadPoolExecutor(2)
        self._planner = planner
        self._reconciler = Reconciler(self._database, self._pool, planner)

    async def index(self) -> Changes:
        """Look once, and index what changed."""
        source = await self._database.write(sources.ensure_source, "workspace", self.root, "p")
        changes = await self._reconciler.look(
            source, Settings(), force=False, should_stop=lambda: False
        )
        await self._reconciler.apply(
            source,
            changes,
            Settings(),
            may_go_on=lambda: asyncio.sleep(0, result=True),
            written=lambda files, last: None,
        )
        return changes

    async def documents(self) -> list[str]:
        """List the paths of all documents."""
        return sorted(await self._database.read(documents.stamps, 1))

    def close(self) -> None:
        """End everything."""
        self._planner.close()
        self._pool.shutdown()
        self._database.close()


@pytest.mark.parametrize(
    ("fault", "state", "reason"),
    [
        ("segfault", "not understood", "cut into blocks: the parser crashed"),
        ("hang", "not understood", "cut into blocks: the parser did not end within 2 s"),
        ("abort!", "failed", "cutting it into blocks crashed"),
    ],
)
@pytest.mark.asyncio
async def test_a_bad_file_takes_nothing_with_it(
    fault: str, state: str, reason: str, tmp_path: Path, database: Path
) -> None:
    """The others are indexed, the file is tried again only once it changed, and then it is well."""
    files = {f"{n}.py": GOOD for n in range(5)} | {"bad.py": f"#: {fault}\nquince = 1\n"}
    root = write_files(tmp_path / "project", files).resolve()
    starts = tmp_path / "starts"
    with closing(Folder(root, database, faulty_planner(starts, file_seconds=2))) as folder:
        async with asyncio.timeout(PATIENCE):
            assert len((await folder.index()).changed) == 6
            assert await folder.documents() == sorted(files)
            tries = len(started(starts))
            assert not await folder.index()
            assert len(started(starts)) == tries
    with closing(Folder(root, database, faulty_planner(starts, file_seconds=2))) as folder:
        assert not await folder.index()
        assert len(started(starts)) == tries
    assert dump(database).problems == [("bad.py", reason, state)]
    write_files(root, {"bad.py": GOOD})
    with closing(Folder(root, database, faulty_planner(starts))) as folder:
        assert [file.path for file in (await folder.index()).changed] == ["bad.py"]
    assert dump(database).problems == []


@pytest.mark.asyncio
async def test_what_was_not_understood_is_left_alone_while_it_stays(
    tmp_path: Path, database: Path
) -> None:
    """Looking again writes nothing, and a new time on the same content leaves the problem as it is."""
    root = write_files(tmp_path / "project", {"deep.py": DEEP}).resolve()
    starts = tmp_path / "starts"
    with closing(Folder(root, database, faulty_planner(starts))) as folder:
        await folder.index()
        assert not await folder.index()
        os.utime(root / "deep.py", ns=(1, 1))
        assert len((await folder.index()).changed) == 1
        assert not await folder.index()
    assert dump(database).problems == [("deep.py", TOO_DEEP, "not understood")]


@pytest.mark.asyncio
async def test_closing_waits_for_no_parser(
    tmp_path: Path, database: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A run whose parsers hang, one for a batch ahead, ends when the planner is closed."""
    files = {f"{n:03}.py": "#: hang\n" for n in range(150)}
    root = write_files(tmp_path / "project", files).resolve()
    starts = tmp_path / "starts"
    with closing(Folder(root, database, faulty_planner(starts))) as folder:
        run = asyncio.create_task(folder.index())
        async with asyncio.timeout(PATIENCE):
            while len(started(starts)) < 2:
                await asyncio.to_thread(lambda: None)
            await asyncio.to_thread(folder.close)
            with pytest.raises(Stopped):
                await run
    del run
    gc.collect()  # when asyncio tells of errors that nobody looked at
    assert caplog.records == []
