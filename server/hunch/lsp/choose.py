"""Lets a person choose among hits in clients that have no view for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hunch.lsp.server import HunchServer
    from hunch.protocol.types import Hit

_CHOICES = 5
_PERSON_SECONDS = 120.0
_CLIENT_SECONDS = 10.0


async def offer_choice(ls: HunchServer, hits: Sequence[Hit]) -> None:
    """Ask which of the best hits to open, and open it, if the client can open documents."""
    window = ls.client_capabilities.window
    if not (window and window.show_document and window.show_document.support):
        return
    if not hits:
        ls.show("Hunch found nothing related.", lsp.MessageType.Info)
        return
    by_label = {_label(number, hit): hit for number, hit in enumerate(hits[:_CHOICES], 1)}
    question = lsp.ShowMessageRequestParams(
        lsp.MessageType.Info, "Related code", [lsp.MessageActionItem(label) for label in by_label]
    )
    chosen = await ls.ask(ls.window_show_message_request_async(question), seconds=_PERSON_SECONDS)
    hit = by_label.get(chosen.title) if chosen else None
    if hit is not None:
        show = lsp.ShowDocumentParams(hit.uri, take_focus=True, selection=hit.range)
        await ls.ask(ls.window_show_document_async(show), seconds=_CLIENT_SECONDS)


def _label(number: int, hit: Hit) -> str:
    return f"{number}. {hit.title or hit.detail} ({hit.detail}:{hit.range.start.line + 1})"
