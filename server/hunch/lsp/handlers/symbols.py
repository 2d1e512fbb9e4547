"""`workspace/symbol`: searching by meaning for clients that know nothing of Hunch."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from hunch.lsp import convert, results
from hunch.model import Position, Query, Range

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hunch.lsp.folders import Folders
    from hunch.lsp.server import HunchServer
    from hunch.model import Hit, NamedSymbol

_MOST = 50
_PATIENCE = 0.1
"""Seconds to wait for the query's vector: this is asked at every keystroke."""


async def workspace_symbol(
    ls: HunchServer, params: lsp.WorkspaceSymbolParams
) -> list[lsp.WorkspaceSymbol]:
    """Answer definitions by name first, then places by meaning; nothing for an empty query."""
    if not params.query.strip():
        return []
    text = convert.checked_text(params.query, "query")
    app = await ls.engine.app()
    roots = ls.folders.roots
    named = await app.search.symbols(text, roots=roots, limit=_MOST)
    query = Query(text=text, limit=_MOST, roots=roots, patience=_PATIENCE)
    hits = () if len(named) >= _MOST else (await app.search.search(query)).hits
    return list(_merged(named, hits, ls.folders))[:_MOST]


async def resolve(
    ls: HunchServer,  # noqa: ARG001 - pygls hands the server over by this name
    params: lsp.WorkspaceSymbol,
) -> lsp.WorkspaceSymbol:
    """Return the symbol as it is: it had its full range from the start."""
    return params


def _merged(
    named: Sequence[NamedSymbol], hits: Sequence[Hit], folders: Folders
) -> Iterator[lsp.WorkspaceSymbol]:
    """Yield names, then hits that do not show a definition again."""
    seen: set[object] = {
        (symbol.source.id, symbol.path, symbol.definition.path) for symbol in named
    }
    for symbol in named:
        yield _by_name(symbol, folders)
    for hit in hits:
        name = _symbol_name(hit)
        key = (hit.source.id, hit.path, name or hit.range.start)
        if key not in seen:
            seen.add(key)
            yield _by_meaning(hit, name, folders)


def _by_name(symbol: NamedSymbol, folders: Folders) -> lsp.WorkspaceSymbol:
    line = symbol.definition.line
    stretch = Range(Position(line, symbol.character), Position(line, symbol.end))
    return lsp.WorkspaceSymbol(
        name=symbol.definition.path or symbol.definition.name,
        kind=lsp.SymbolKind(symbol.definition.kind),
        location=lsp.Location(
            symbol.uri or results.uri_in(symbol.source, symbol.path, folders),
            results.lsp_range(stretch),
        ),
        container_name=symbol.path,
    )


def _by_meaning(hit: Hit, name: str, folders: Folders) -> lsp.WorkspaceSymbol:
    kind = lsp.SymbolKind.File if hit.symbol_kind is None else lsp.SymbolKind(hit.symbol_kind)
    return lsp.WorkspaceSymbol(
        name=name or PurePosixPath(hit.path).name,
        kind=kind,
        location=lsp.Location(
            hit.uri or results.uri_in(hit.source, hit.path, folders),
            results.lsp_range(hit.range),
        ),
        container_name=hit.path,
    )


def _symbol_name(hit: Hit) -> str:
    # A title in parentheses, such as that of a file's imports, tells what the place is, not its name.
    return "" if hit.title.startswith("(") else hit.title
