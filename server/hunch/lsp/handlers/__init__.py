"""What the server answers: one table of requests and notifications, one of commands.

Request handlers are coroutines, so that they can be cancelled. Notification handlers are plain
functions that only leave a note for a background task, so that the order of messages is kept.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from hunch.lsp.dispatch import COMMANDS
from hunch.lsp.handlers import (
    actions,
    content,
    documents,
    index,
    search,
    session,
    symbols,
    workspace,
)
from hunch.protocol import methods

if TYPE_CHECKING:
    from collections.abc import Callable

    from hunch.lsp.server import HunchServer

FEATURES: MappingProxyType[str, Callable[..., Any]] = MappingProxyType(
    {
        methods.SEARCH: search.search,
        methods.RELATED: search.related,
        methods.STATUS: index.status,
        methods.REINDEX: index.reindex,
        methods.PROBLEMS: index.problems,
        methods.CONTENT: content.content,
        methods.PAUSE: index.pause,
        methods.RESUME: index.resume,
        lsp.INITIALIZE: session.initialize,
        lsp.INITIALIZED: session.initialized,
        lsp.WORKSPACE_TEXT_DOCUMENT_CONTENT: content.text_document_content,
        lsp.WORKSPACE_SYMBOL: symbols.workspace_symbol,
        lsp.WORKSPACE_SYMBOL_RESOLVE: symbols.resolve,
        lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: workspace.folders_changed,
        lsp.WORKSPACE_DID_CHANGE_CONFIGURATION: workspace.configuration_changed,
        lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES: workspace.files_changed,
        lsp.TEXT_DOCUMENT_DID_OPEN: documents.opened,
        lsp.TEXT_DOCUMENT_DID_CHANGE: documents.changed,
        lsp.TEXT_DOCUMENT_DID_CLOSE: documents.closed,
        lsp.TEXT_DOCUMENT_DID_SAVE: workspace.saved,
        lsp.NOTEBOOK_DOCUMENT_DID_OPEN: documents.notebook_opened,
        lsp.NOTEBOOK_DOCUMENT_DID_CHANGE: documents.notebook_changed,
        lsp.NOTEBOOK_DOCUMENT_DID_SAVE: workspace.notebook_saved,
        lsp.NOTEBOOK_DOCUMENT_DID_CLOSE: documents.notebook_closed,
        lsp.WINDOW_WORK_DONE_PROGRESS_CANCEL: index.progress_cancelled,
    }
)
"""Method → handler, in the order of `server/docs/protocol.md`."""


def register(server: HunchServer) -> None:
    """Put every handler, the code action and the commands into `server`."""
    for method, handler in FEATURES.items():
        server.feature(method)(handler)
    server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, actions.OPTIONS)(actions.code_action)
    for command, method in COMMANDS.items():
        server.command(command)(FEATURES[method])
