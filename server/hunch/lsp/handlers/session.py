"""The beginning of a session; its end is in `protocol.py`."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, cast

from hunch.errors import InvalidQuery
from hunch.lsp import lifecycle

if TYPE_CHECKING:
    from lsprotocol import types as lsp

    from hunch.lsp.server import HunchServer

log = logging.getLogger(__name__)


def initialize(ls: HunchServer, params: lsp.InitializeParams) -> None:
    """Note the folders and options; nothing is opened yet, so that the answer is immediate."""
    options = params.initialization_options
    ls.options = cast("dict[str, Any]", options) if isinstance(options, dict) else {}
    folders = [folder.uri for folder in params.workspace_folders or ()]
    for uri in folders or filter(None, [params.root_uri]):
        add_folder(ls, uri)


def initialized(ls: HunchServer, _: Any) -> None:
    """Begin to open the engine and the folders."""
    ls.spawn(lifecycle.run(ls), "session")


def add_folder(ls: HunchServer, uri: str) -> None:
    """Note an open folder; one that is not on this machine is left out."""
    try:
        ls.folders.add(uri)
    except InvalidQuery as problem:
        log.warning("a workspace folder was left out: %s", problem)
