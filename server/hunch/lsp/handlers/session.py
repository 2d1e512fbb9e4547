"""The beginning of a session; its end is in `protocol.py`."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, cast

from pygls.uris import from_fs_path

from hunch.errors import InvalidQuery
from hunch.lsp import lifecycle
from hunch.lsp.parent import follow, is_alive

if TYPE_CHECKING:
    from lsprotocol import types as lsp

    from hunch.lsp.server import HunchServer

log = logging.getLogger(__name__)


def initialize(ls: HunchServer, params: lsp.InitializeParams) -> None:
    """Note the folders and options; nothing is opened yet, so that the answer is immediate."""
    options = params.initialization_options
    ls.options = cast("dict[str, Any]", options) if isinstance(options, dict) else {}
    for uri in _folders(params):
        add_folder(ls, uri)
    # A process that cannot be seen is not followed: the client may live in another container.
    if params.process_id is not None and is_alive(params.process_id):
        ls.spawn(follow(ls, params.process_id), "follow the client")


def _folders(params: lsp.InitializeParams) -> list[str]:
    if params.workspace_folders:
        return [folder.uri for folder in params.workspace_folders]
    root = params.root_uri or (params.root_path and from_fs_path(params.root_path))
    return [root] if root else []


def initialized(ls: HunchServer, _: Any) -> None:
    """Begin to open the engine and the folders."""
    ls.spawn(lifecycle.run(ls), "session")


def add_folder(ls: HunchServer, uri: str) -> None:
    """Note an open folder; one that is not on this machine is refused."""
    try:
        ls.folders.add(uri)
    except InvalidQuery as problem:
        log.warning("a workspace folder was left out: %s", problem)
        ls.refused.append(uri.partition(":")[0])
