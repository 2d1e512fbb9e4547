"""An open engine for the time of one command, and the wait for its index."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from hunch import config
from hunch.cli.output import note, warn
from hunch.cli.progress import ProgressView
from hunch.cli.scope import Scope, scope_of
from hunch.errors import IndexBusy
from hunch.model import THIS_PROCESS, Mode

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
    from pathlib import Path

    from hunch.app import App
    from hunch.model import IndexState, SearchResult

    T = TypeVar("T")

_PATIENCE = 60.0
"""Seconds that a command waits for another program that holds the index."""

_RETRY_SECONDS = 0.2


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a command's work; Ctrl-C cancels it, and it closes what it opened."""
    return asyncio.run(work)


@asynccontextmanager
async def opened() -> AsyncGenerator[App]:
    """Open the engine with the user's settings, waiting for others that hold the index.

    Raises:
        IndexBusy: another program holds it for more than a minute.
        IndexUnavailable: the database cannot be used.
    """
    # NumPy and what stands on it takes most of a second, which `--help` should not.
    from hunch.app import App  # noqa: PLC0415

    settings, complaints = config.load()
    for complaint in complaints:
        warn(f"Warning: {complaint}.")
    async with await _patiently(partial(App.open, settings)) as app:
        yield app


async def _patiently(open_app: Callable[[], Awaitable[App]]) -> App:
    deadline = time.monotonic() + _PATIENCE
    told = False
    while True:
        try:
            return await open_app()
        except IndexBusy:
            if time.monotonic() > deadline:
                raise
        if not told:
            note(f"Another program is using the index; waiting for it, {_PATIENCE:.0f} s at most.")
            told = True
        await asyncio.sleep(_RETRY_SECONDS)


async def open_paths(
    app: App, paths: Sequence[Path], *, yes: bool = False, look: bool = True
) -> Scope:
    """Open the sources that some paths mean.

    Raises:
        RefusedFolder: one is too wide, is not indexed yet, and `yes` is not set.
    """
    known = {s.root for s in await app.index.sources() if s.kind == "workspace"}
    scope = scope_of(paths, known)
    for root in scope.roots:
        # Whoever indexed a wide folder before has been asked then.
        app.index.open_folder(root, allow_wide=yes or not look or root in known, look=look)
    if look:
        app.index.open_conversations()
    return scope


async def open_known(app: App) -> None:
    """Open every folder that has an index, and look at none."""
    for source in await app.index.sources():
        if source.kind == "workspace":
            app.index.open_folder(source.root, allow_wide=True, look=False)


async def bring_up_to_date(app: App, *, force: bool = False) -> IndexState:
    """Look at the open folders for changes, index them, and show how that goes.

    Returns when the embedder goes away, too; the state tells.
    """
    if force:
        app.index.request(force=True)
    with ProgressView() as view:
        unsubscribe = app.index.subscribe(view.show)
        try:
            state = await app.index.until_settled()
        finally:
            unsubscribe()
        view.finish(state)
    _tell(state)
    return state


def _tell(state: IndexState) -> None:
    if state.state == "failed":
        warn(f"Indexing failed: {state.message}")
    if state.writer != THIS_PROCESS:
        note(f"The index is kept up to date by {state.writer}.")
    for source in state.sources:
        if source.message:
            warn(f"{source.source.label}: {source.message}")


def tell_embedder(result: SearchResult, *, wanted: Mode) -> None:
    """Say in one line what is amiss with the embedder, or what a better one would add."""
    message = result.state.embedder.message
    if wanted is Mode.KEYWORD:
        return
    if result.mode is Mode.KEYWORD:
        warn(f"Answered by keyword only. {message}".strip())
    elif message:
        note(message)
