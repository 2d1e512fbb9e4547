"""`hunch/search` and `hunch/related`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hunch.lsp import convert, results
from hunch.lsp.choose import offer_choice
from hunch.lsp.places import place_of

if TYPE_CHECKING:
    from hunch.lsp.server import HunchServer
    from hunch.protocol import types as wire


async def search(ls: HunchServer, params: wire.SearchParams) -> wire.SearchResult:
    """Answer a question in words; stops when the client cancels."""
    query = convert.query(params, ls.folders)
    app = await ls.engine.app()
    return results.search_result(await app.search.search(query), ls.folders)


async def related(ls: HunchServer, params: wire.RelatedParams) -> wire.SearchResult:
    """Answer a question in code; stops when the client cancels."""
    query = convert.related(params, await place_of(ls, params), ls.folders)
    app = await ls.engine.app()
    result = results.search_result(await app.search.related(query), ls.folders)
    if params.show:
        ls.spawn(offer_choice(ls, result.hits), "offer related code")
    return result
