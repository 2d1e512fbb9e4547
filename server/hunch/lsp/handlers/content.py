"""Reading a hit that is not a file: a conversation as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from hunch import session_uris
from hunch.errors import InvalidQuery
from hunch.protocol import types as wire

if TYPE_CHECKING:
    from hunch.lsp.server import HunchServer


async def content(ls: HunchServer, params: wire.ContentParams) -> wire.Content:
    """Answer the text behind a URI, for clients that know nothing of LSP 3.18."""
    return wire.Content(await _text(ls, params.uri), "markdown")


async def text_document_content(
    ls: HunchServer, params: lsp.TextDocumentContentParams
) -> lsp.TextDocumentContentResult:
    """Answer the text behind a URI."""
    return lsp.TextDocumentContentResult(await _text(ls, params.uri))


async def _text(ls: HunchServer, uri: str) -> str:
    named = session_uris.from_uri(uri)
    if named is None:
        raise InvalidQuery("uri", f"must be a URI with the scheme {session_uris.SCHEME}")
    app = await ls.engine.app()
    text = await app.search.session(*named)
    if text is None:
        raise InvalidQuery("uri", "names no conversation that is known")
    return text
