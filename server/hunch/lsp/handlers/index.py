"""What a person may ask about the index and do with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hunch.lsp import convert, results

if TYPE_CHECKING:
    from lsprotocol import types as lsp

    from hunch.lsp.server import HunchServer
    from hunch.protocol import types as wire


async def status(ls: HunchServer, _: wire.NoParams) -> wire.IndexState:
    """Say how the index is, at once, even while it is being opened."""
    return results.index_state(await ls.engine.state(), ls.folders)


async def reindex(ls: HunchServer, params: wire.ReindexParams) -> None:
    """Queue a look at folders, all open ones by default; answers when it is queued."""
    roots = convert.open_roots(params.folders, ls.folders)
    app = await ls.engine.app()
    app.index.request(roots, force=bool(params.force))


async def problems(ls: HunchServer, _: wire.NoParams) -> list[wire.Problem]:
    """List the files that are not, or not wholly, in the index."""
    app = await ls.engine.app()
    return [results.problem(*found, ls.folders) for found in await app.index.problems()]


async def pause(ls: HunchServer, _: wire.NoParams) -> wire.IndexState:
    """Stop indexing until it is resumed; searching goes on."""
    app = await ls.engine.app()
    app.index.pause()
    return results.index_state(await app.index.state(), ls.folders)


async def resume(ls: HunchServer, _: wire.NoParams) -> wire.IndexState:
    """Go on indexing."""
    app = await ls.engine.app()
    app.index.resume()
    return results.index_state(await app.index.state(), ls.folders)


def progress_cancelled(ls: HunchServer, params: lsp.WorkDoneProgressCancelParams) -> None:
    """Pause indexing, as the person asked for at the progress bar."""
    app = ls.engine.now()
    if app is not None and ls.reporter.progress.is_token(params.token):
        app.index.pause()
