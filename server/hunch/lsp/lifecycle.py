"""What happens in the background of a session: settings, opening, folders, watching."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types as lsp

from hunch.config import load
from hunch.errors import IndexUnavailable, RefusedFolder
from hunch.lsp.live import align_documents
from hunch.lsp.logs import client_log
from hunch.lsp.progress import accepted
from hunch.protocol.methods import SETTINGS_SECTION

if TYPE_CHECKING:
    from hunch.app import App
    from hunch.config import Settings
    from hunch.lsp.server import HunchServer

log = logging.getLogger(__name__)
_SETTINGS_SECONDS = 2.0
_REGISTER_SECONDS = 10.0


async def run(ls: HunchServer) -> None:
    """Open the engine with the client's settings, index the folders, report until cancelled."""
    with client_log(ls):
        ls.spawn(_open(ls), "open the index")
        await ls.reporter.run()


async def _open(ls: HunchServer) -> None:
    async with ls.configuring:
        ls.settings = settings_from(ls, await _asked_options(ls))
        ls.engine.start(ls.settings, ls.reporter.changed)
    ls.spawn(_watch_files(ls), "watch files")
    try:
        app = await ls.engine.opened()
    except IndexUnavailable:
        ls.reporter.changed(await ls.engine.state())
    else:
        before = ls.reporter.latest
        app.index.subscribe(ls.reporter.changed)
        align_folders(ls, app)
        align_documents(ls, app)
        app.index.open_conversations()
        state = await app.index.state()
        # What the index has told meanwhile is newer; without a folder it tells nothing by itself.
        if ls.reporter.latest is before:
            ls.reporter.changed(state)


async def reconfigure(ls: HunchServer, pushed: Any) -> None:
    """Take over changed settings, asked for if the client can answer, else as it pushed them."""
    async with ls.configuring:
        options = await _asked_options(ls) if _can_ask(ls) else _section(pushed)
        settings = settings_from(ls, options)
        if settings == ls.settings:
            return
        ls.settings = settings
        app = await ls.engine.opened()
        await app.index.reconfigure(settings)


def align_folders(ls: HunchServer, app: App) -> None:
    """Open and close folders in the index until they are those that the client has open."""
    while ls.refused:
        ls.show(f"Hunch: a folder {ls.refused.pop()}: is not on this machine and is not indexed.")
    roots = ls.folders.roots
    for root in ls.opened.difference(roots):
        app.index.close_folder(root)
    for root in roots:
        if root not in ls.opened:
            try:
                app.index.open_folder(root)
            except RefusedFolder as refusal:
                ls.show(str(refusal))
    ls.opened = set(roots)


def settings_from(ls: HunchServer, options: dict[str, Any]) -> Settings:
    """Lay the client's settings over its `initializationOptions`; complain about what is wrong."""
    settings, complaints = load({**ls.options, **options})
    if complaints:
        ls.show("Hunch: " + "; ".join(dict.fromkeys(complaints)))
    return settings


def _can_ask(ls: HunchServer) -> bool:
    workspace = ls.client_capabilities.workspace
    return bool(workspace and workspace.configuration)


async def _asked_options(ls: HunchServer) -> dict[str, Any]:
    if not _can_ask(ls):
        return {}
    params = lsp.ConfigurationParams([lsp.ConfigurationItem(section=SETTINGS_SECTION)])
    answer = await ls.ask(ls.workspace_configuration_async(params), seconds=_SETTINGS_SECONDS)
    return _object(answer[0]) if answer else {}


def _section(settings: Any) -> dict[str, Any]:
    whole = _object(settings)
    return _object(whole[SETTINGS_SECTION]) if SETTINGS_SECTION in whole else whole


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


async def _watch_files(ls: HunchServer) -> None:
    """Have the client watch the folders, or watch them here if it does not."""
    is_client_watching = await _ask_to_watch(ls)
    app = await ls.engine.opened()
    app.index.watch(by_client=is_client_watching)


async def _ask_to_watch(ls: HunchServer) -> bool:
    workspace = ls.client_capabilities.workspace
    watching = workspace and workspace.did_change_watched_files
    if not (watching and watching.dynamic_registration):
        return False
    everything = lsp.DidChangeWatchedFilesRegistrationOptions([lsp.FileSystemWatcher("**/*")])
    registration = lsp.Registration(
        "hunch-files", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, everything
    )
    asked = ls.client_register_capability_async(lsp.RegistrationParams([registration]))
    return bool(await ls.ask(accepted(asked), seconds=_REGISTER_SECONDS))
