"""Everything that Hunch does differently from pygls 2.1, in one place.

Each override says why it is there and when it can go. Together they make one promise: every
request gets exactly one answer, whatever is sent.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import logging
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException, JsonRpcMethodNotFound
from pygls.protocol import LanguageServerProtocol, lsp_method

from hunch import session_uris
from hunch.errors import InvalidQuery
from hunch.lsp.dispatch import Dispatch, error, error_for, log_bug
from hunch.lsp.documents import LiveWorkspace
from hunch.protocol import methods
from hunch.protocol.errors import Code

if TYPE_CHECKING:
    from collections.abc import Generator

    from cattrs import Converter

    from hunch.lsp.server import HunchServer

log = logging.getLogger(__name__)

_DRAIN = 1.0
"""Seconds that cancelled requests have at `shutdown`; closing the engine may take as long again."""


class HunchProtocol(LanguageServerProtocol):
    """pygls' protocol with strict params, plain results, and an answer to everything."""

    _server: HunchServer  # pyright: ignore[reportIncompatibleVariableOverride] - pygls is not generic in it

    def __init__(self, server: HunchServer, converter: Converter) -> None:
        super().__init__(server, converter)
        self.dispatch = Dispatch()
        self._initialized = False
        self._writing: set[asyncio.Future[Any]] = set()

    def structure_message(self, data: dict[str, Any]) -> dict[str, Any]:
        """Leave the JSON as it is; the handlers below give it a shape.

        pygls calls this for every nested object, takes any that has a key `jsonrpc` for a message,
        and answers nothing to params that do not fit. Can go when it answers InvalidParams.
        """
        return data

    def handle_message(self, message: Any) -> None:
        """Sort a message into request, notification and reply; refuse everything else.

        pygls drops what it does not understand, serves requests before `initialize`, and is silent
        after `shutdown`. Can go when it answers all three.
        """
        fields = cast("dict[str, Any]", message) if isinstance(message, dict) else {}
        number, method = fields.get("id"), fields.get("method")
        if fields.get("jsonrpc") != "2.0" or type(number) not in {int, str, type(None)}:
            self.answer(None, error=error(Code.INVALID_REQUEST, "not a JSON-RPC 2.0 message"))
        elif isinstance(method, str) and "id" in fields:
            run = contextvars.copy_context().run
            run(self._handle_request, cast("Any", number), method, fields.get("params"))
        elif isinstance(method, str):
            self._handle_notification(method, fields.get("params"))
        elif "result" in fields or "error" in fields:
            self._take_reply(fields)
        else:
            self.answer(number, error=error(Code.INVALID_REQUEST, "the method is missing"))

    def _handle_request(self, msg_id: Any, method_name: str, params: Any) -> None:
        """Gate a request, give its params their shape, and run its handler.

        pygls sends tracebacks with local paths. Can go with `_send_handler_result`.
        """
        refusal = self._refusal(method_name)
        if refusal is not None:
            self.answer(msg_id, error=refusal)
            return
        try:
            handler = self._get_handler(method_name)
            shaped = self.dispatch.params(method_name, params)
            answer = partial(self._send_handler_result, msg_id=msg_id)
            self._execute_handler(msg_id, handler, answer, args=(shaped,))
        except Exception as problem:  # noqa: BLE001 - the edge where faults become answers
            self.answer(msg_id, error=error_for(problem))

    def _refusal(self, method: str) -> dict[str, Any] | None:
        if self._shutdown:
            return error(Code.INVALID_REQUEST, "the server is shutting down")
        if self._initialized == (method == lsp.INITIALIZE):
            if self._initialized:
                return error(Code.INVALID_REQUEST, "initialize was sent before")
            return error(Code.SERVER_NOT_INITIALIZED, "initialize must be sent first")
        return None

    def _send_handler_result(self, future: Any, *, msg_id: Any) -> None:
        """Answer a request, once, with its result or its error.

        pygls sends tracebacks with local paths, and nothing at all for results that JSON cannot
        hold. Can go when it maps errors and results through hooks.
        """
        self._request_futures.pop(msg_id, None)
        try:
            result = future.result()
        except (Exception, asyncio.CancelledError) as problem:  # noqa: BLE001 - as above
            self.answer(msg_id, error=error_for(problem))
        else:
            self.answer(msg_id, result=result)

    def _handle_notification(self, method_name: str, params: Any) -> None:
        """Give a notification's params their shape and run its handler.

        pygls keeps a future of every notification for ever. Can go when it forgets them by itself
        (its issues 607 and 608).
        """
        if method_name != lsp.EXIT and (self._shutdown or not self._initialized):
            return
        key = cast("Any", object())
        try:
            shaped = self.dispatch.params(method_name, params)
            if method_name == lsp.CANCEL_REQUEST:
                self._handle_cancel_notification(shaped.id)
                return
            handler = self._get_handler(method_name)
            self._execute_handler(key, handler, self._check_handler_result, args=(shaped,))
        except JsonRpcMethodNotFound:
            log.debug("a notification of an unknown method was ignored")
        except InvalidQuery as problem:
            log.warning("%s was ignored: %s", method_name, problem)
        finally:
            self._request_futures.pop(key, None)

    def _check_handler_result(self, future: Any) -> None:
        """Log the failure of a notification.

        pygls shows it in a popup, with a message that may quote a document. Can go when it only
        logs.
        """
        problem = None if future.cancelled() else future.exception()
        if problem is not None:
            log_bug(problem)

    def _handle_cancel_notification(self, msg_id: Any) -> None:
        """Cancel a running request of the client; its answer follows at once.

        pygls would as well cancel its own requests to the client. Can go when it does not.
        """
        running = cast("Any", self._request_futures.get(msg_id))
        if isinstance(running, asyncio.Future):
            running.cancel()

    def _take_reply(self, fields: dict[str, Any]) -> None:
        """Hand the client's answer to whoever asked.

        pygls fails when the asker has gone in the meantime (its issue 621). Can go when it does not.
        """
        shape = self._result_types.pop(fields["id"], None)
        waiting = cast("Any", self._request_futures.get(fields["id"]))
        if not isinstance(waiting, Future) or waiting.done():
            return
        del self._request_futures[fields["id"]]
        try:
            if fields.get("error"):
                raise JsonRpcException("the client refused", code=int(Code.REQUEST_FAILED))
            cast("Any", waiting).set_result(self.dispatch.reply(fields, shape))
        except (JsonRpcException, InvalidQuery) as problem:
            waiting.set_exception(problem)

    def answer(self, msg_id: Any, *, result: Any = None, error: Any = None) -> None:
        """Send the one answer to a request; `error` wins over `result`."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": msg_id}
        try:
            body = self.dispatch.body(message | ({"error": error} if error else {"result": result}))
        except Exception as problem:  # noqa: BLE001 - a result that JSON cannot hold is a fault of ours
            body = self.dispatch.body(message | {"error": error_for(problem)})
        self._write(body)

    def _send_data(self, data: Any) -> None:
        """Send a notification or a request of ours as finite JSON.

        pygls writes NaN, and reports a closed pipe into the closed pipe. Can go when it does not.
        """
        self._write(self.dispatch.body(data))

    def _write(self, body: str) -> None:
        # The body is ASCII, since `json` escapes the rest: characters are bytes.
        framed = f"Content-Length: {len(body)}\r\n\r\n{body}" if self._include_headers else body
        try:
            sent = self.writer.write(framed.encode("ascii")) if self.writer else None
        except (OSError, ValueError):  # a closed pipe, a closed file
            self._server.stop(1)
            return
        if inspect.isawaitable(sent):
            writing = asyncio.ensure_future(sent)
            self._writing.add(writing)
            writing.add_done_callback(self._writing.discard)

    @lsp_method(lsp.INITIALIZE)
    def lsp_initialize(self, params: lsp.InitializeParams) -> Generator[Any, Any, Any]:
        """Settle on UTF-16, announce what pygls has no place for, and keep live documents of ours.

        pygls takes the encoding that the client likes best, and its builder knows nothing of
        `experimental` and `textDocumentContent`. Can go when all three can be chosen.
        """
        self._initialized = True
        if params.capabilities.general:
            params.capabilities.general.position_encodings = None
        result = yield from super().lsp_initialize(params)
        self._workspace = LiveWorkspace(None, self._server.sync_kind)
        if result.capabilities.workspace:
            result.capabilities.workspace.text_document_content = lsp.TextDocumentContentOptions(
                [session_uris.SCHEME]
            )
        result.capabilities.experimental = {
            "hunch": {"version": methods.VERSION, "methods": list(methods.REQUESTS)}
        }
        return result

    @lsp_method(lsp.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(self, params: lsp.ExecuteCommandParams) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride] - a coroutine can be cancelled
        """Run a command with its one argument.

        pygls coerces arguments, and cancelling a command leaves its work running. Can go when
        commands are tasks and hooks may structure arguments.
        """
        argument = self.dispatch.arguments(params.command, params.arguments)
        return await cast("Any", self.fm).commands[params.command](argument)

    @lsp_method(lsp.SHUTDOWN)
    async def lsp_shutdown(self, *_: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] - it waits for the engine
        """Refuse further requests, cancel those that run, and close the engine.

        pygls walks over a dictionary that changes meanwhile (its issue 606). Can go when it copies.
        """
        self._shutdown = True
        running = {task for task in self._tasks() if task is not asyncio.current_task()}
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running, timeout=_DRAIN)
        await self._server.aclose()

    def _tasks(self) -> list[asyncio.Future[Any]]:
        futures = cast("dict[Any, Any]", self._request_futures).values()
        return [future for future in futures if isinstance(future, asyncio.Future)]

    @lsp_method(lsp.EXIT)
    def lsp_exit(self, *_: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] - nothing to wait for
        """End the session with the exit code that LSP asks for.

        pygls raises SystemExit, which it then swallows, so that the code is always 0. Can go when
        it returns the code.
        """
        self._server.stop(0 if self._shutdown else 1)
