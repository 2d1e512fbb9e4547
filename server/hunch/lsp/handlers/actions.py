"""The code action that leads to related code in clients that know nothing of Hunch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from hunch.protocol.methods import CODE_ACTION_KIND, COMMAND_SHOW_RELATED

if TYPE_CHECKING:
    from hunch.lsp.server import HunchServer

OPTIONS = lsp.CodeActionOptions(code_action_kinds=[CODE_ACTION_KIND])
_TITLE = "Show related code"


async def code_action(
    ls: HunchServer, params: lsp.CodeActionParams
) -> list[lsp.CodeAction | lsp.Command]:
    """Offer related code when a person asks for actions, and not at every move of the cursor."""
    context = params.context
    wanted = context.only is None or any(_covers(str(kind)) for kind in context.only)
    if not wanted or context.trigger_kind == lsp.CodeActionTriggerKind.Automatic:
        return []
    argument = {
        "textDocument": {"uri": params.text_document.uri},
        "range": params.range,
        "show": True,
    }
    command = lsp.Command(_TITLE, COMMAND_SHOW_RELATED, arguments=[argument])
    document = ls.client_capabilities.text_document
    action = document and document.code_action
    if not (action and action.code_action_literal_support):
        return [command]
    return [lsp.CodeAction(_TITLE, kind=CODE_ACTION_KIND, command=command)]


def _covers(kind: Any) -> bool:
    """Say whether a kind that the client wants is ours or one above it."""
    return not kind or f"{CODE_ACTION_KIND}.".startswith(f"{kind}.")
