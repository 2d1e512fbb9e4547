"""What happens to a message before and after its handler: who may ask what, and what is answered.

Every request gets exactly one answer. A handler returns a value or raises; here that becomes a
result of plain, finite JSON, or an error that a person can act on.
"""

from __future__ import annotations

import json
import logging
import secrets
import traceback
from asyncio import CancelledError
from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from hunch.errors import HunchError, InvalidQuery
from hunch.lsp.wire import lenient_converter, strict_converter, structure
from hunch.protocol import methods
from hunch.protocol import types as wire
from hunch.protocol.errors import INTERNAL, Code

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cattrs import Converter

log = logging.getLogger(__name__)

PARAMS: Mapping[str, type[wire.Wire]] = {
    methods.SEARCH: wire.SearchParams,
    methods.RELATED: wire.RelatedParams,
    methods.STATUS: wire.NoParams,
    methods.REINDEX: wire.ReindexParams,
    methods.PROBLEMS: wire.NoParams,
    methods.CONTENT: wire.ContentParams,
    methods.PAUSE: wire.NoParams,
    methods.RESUME: wire.NoParams,
}
"""The shape of the params of each request that Hunch adds."""

COMMANDS: Mapping[str, str] = {
    methods.COMMAND_SEARCH: methods.SEARCH,
    methods.COMMAND_SHOW_RELATED: methods.RELATED,
    methods.COMMAND_STATUS: methods.STATUS,
    methods.COMMAND_REINDEX: methods.REINDEX,
    methods.COMMAND_PAUSE: methods.PAUSE,
    methods.COMMAND_RESUME: methods.RESUME,
}
"""The request that each command stands for; its argument is the request's params."""


class Dispatch:
    """Translates between JSON and the values that handlers see, in both directions."""

    def __init__(self) -> None:
        self._strict: Converter = strict_converter()
        self._lenient: Converter = lenient_converter()

    def params(self, method: str, params: Any) -> Any:
        """Give the params of a message their shape; a method without params has none.

        Raises:
            InvalidQuery: they do not fit; names the field.
        """
        shape = PARAMS.get(method) or _lsp_params(method)
        if shape is None:
            return None
        # What an editor says about itself comes from many hands; refusing it would help nobody.
        converter = self._lenient if method == lsp.INITIALIZE else self._strict
        return structure(converter, params, shape)

    def arguments(self, command: str, arguments: Any) -> Any:
        """Give the only argument of a command its shape; without arguments it is empty.

        Raises:
            InvalidQuery: the command is not known, or its argument does not fit.
        """
        if command not in COMMANDS:
            raise InvalidQuery("command", "is not known")
        if len(arguments or ()) > 1:
            raise InvalidQuery("arguments", "must hold one object")
        return structure(
            self._strict, arguments[0] if arguments else None, PARAMS[COMMANDS[command]]
        )

    def reply(self, fields: dict[str, Any], shape: type[Any] | None) -> Any:
        """Return the result in the client's answer to a request of ours.

        Raises:
            InvalidQuery: it does not fit `shape`.
        """
        return structure(self._lenient, fields, shape).result if shape else fields.get("result")

    def body(self, message: Any) -> str:
        """Write a message as JSON.

        Raises:
            TypeError, ValueError: it holds something that JSON has no word for, such as NaN.
        """
        return json.dumps(
            self._lenient.unstructure(message), allow_nan=False, separators=(",", ":")
        )


def _lsp_params(method: str) -> type[Any] | None:
    known: Mapping[str, tuple[Any, ...]] = cast("Any", lsp).METHOD_TO_TYPES
    return known[method][2] if method in known else None


def error(code: Code, message: str, **data: Any) -> dict[str, Any]:
    """Make the `error` member of an answer."""
    return {"code": int(code), "message": message} | ({"data": data} if data else {})


def error_for(problem: BaseException) -> dict[str, Any]:
    """Say what went wrong: the client's fault, a known problem, or a fault of Hunch itself."""
    if isinstance(problem, InvalidQuery):
        return error(Code.INVALID_PARAMS, str(problem), kind=problem.kind, field=problem.field)
    if isinstance(problem, HunchError):
        return error(Code.REQUEST_FAILED, str(problem), kind=problem.kind)
    if isinstance(problem, CancelledError):
        return error(Code.REQUEST_CANCELLED, "the request was cancelled")
    if isinstance(problem, JsonRpcException):
        return {"code": problem.code, "message": problem.message}
    bug = log_bug(problem)
    message = f"internal error {bug}; the server's log holds the details"
    return error(Code.INTERNAL_ERROR, message, kind=INTERNAL, id=bug)


def log_bug(problem: BaseException) -> str:
    """Log where an unexpected exception came from and return the id that the log shows it under.

    Its message is left out, since it may quote a document or a query.
    """
    bug = secrets.token_hex(4)
    where = "".join(traceback.format_tb(problem.__traceback__))
    log.error("internal error %s: %s\n%s", bug, type(problem).__name__, where)
    return bug
