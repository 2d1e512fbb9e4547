"""What handlers return or raise becomes one well-formed answer; messages are handled in order."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types as lsp

from hunch.errors import (
    EmbedderUnavailable,
    IndexUnavailable,
    InvalidQuery,
    InvalidSetting,
    ModelMissing,
    RefusedFolder,
)
from hunch.lsp.dispatch import Dispatch
from hunch.lsp.documents import LiveWorkspace
from hunch.lsp.handlers import COMMANDS, FEATURES, register
from hunch.lsp.server import HunchServer
from hunch.lsp.transport import frames, receive

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.asyncio


class Wire:
    """Holds what a server writes."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.came = asyncio.Event()

    def write(self, data: bytes) -> None:
        """Take one framed message."""
        _, _, body = data.partition(b"\r\n\r\n")
        self.messages.append(json.loads(body, parse_constant=_refuse))
        self.came.set()

    def close(self) -> None:
        """Do nothing; there is nothing to close."""


def _refuse(constant: str) -> Any:
    raise AssertionError(f"{constant} is not JSON")


class Session:
    """A server in this process, past its handshake."""

    def __init__(self) -> None:
        self.server = HunchServer()
        register(self.server)
        self.wire = Wire()
        self.server.protocol.set_writer(self.wire)
        self.send("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, number=0)

    def send(self, method: str, params: Any = None, number: int | None = None) -> None:
        """Feed one message as it would come from the client."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        receive(
            self.server.protocol, json.dumps(message | ({} if number is None else {"id": number}))
        )

    async def answer(self, number: int) -> dict[str, Any]:
        """Wait for the answer to a request."""
        async with asyncio.timeout(10):
            while True:
                for message in self.wire.messages:
                    if message.get("id") == number and "method" not in message:
                        return message
                self.wire.came.clear()
                await self.wire.came.wait()

    async def outcome(self, handler: Callable[[Any, Any], Any]) -> dict[str, Any]:
        """Register a handler, ask it, and return the whole answer."""

        async def run(ls: Any, params: Any) -> Any:
            return handler(ls, params)

        self.server.feature("test/it")(run)
        self.send("test/it", {}, number=1)
        return await self.answer(1)


def returning(value: Any) -> Callable[[Any, Any], Any]:
    return lambda _ls, _params: value


def raising(error: BaseException) -> Callable[[Any, Any], Any]:
    def fail(_ls: Any, _params: Any) -> Any:
        raise error

    return fail


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        {"a": [float("-inf")]},
        {1, 2},
        object(),
        np.float32(1),
        np.ones(2),
    ],
    ids=repr,
)
async def test_results_that_json_cannot_hold(value: Any) -> None:
    """A result with no words in JSON is a fault of the server, and is answered as one."""
    error = (await Session().outcome(returning({"value": value})))["error"]
    assert error["code"] == -32603
    assert error["data"]["kind"] == "internal"


@pytest.mark.parametrize("value", [None, 0, False, "", [], {}, "\ud800", "😀", [1, {"a": None}]])
async def test_results_that_json_can_hold(value: Any) -> None:
    """Every plain result arrives as it is, the empty ones too."""
    assert (await Session().outcome(returning(value)))["result"] == value


@pytest.mark.parametrize(
    ("problem", "code", "kind"),
    [
        (InvalidQuery("limit", "must be less"), -32602, "invalid-query"),
        (InvalidSetting("embedder", "must be one"), -32803, "invalid-setting"),
        (IndexUnavailable("The index is locked."), -32803, "index-unavailable"),
        (EmbedderUnavailable("Ollama does not answer."), -32803, "embedder-unavailable"),
        (ModelMissing("Run `ollama pull`."), -32803, "model-missing"),
        (RefusedFolder("Too wide."), -32803, "refused-folder"),
    ],
)
async def test_known_problems_keep_their_kind(problem: Exception, code: int, kind: str) -> None:
    """A known problem is answered with its sentence and its kind."""
    error = (await Session().outcome(raising(problem)))["error"]
    assert (error["code"], error["data"]["kind"], error["message"]) == (code, kind, str(problem))


async def test_bugs_are_told_by_id(caplog: pytest.LogCaptureFixture) -> None:
    """A fault shows an id to the client, its place to the log, and its message to nobody."""
    with caplog.at_level(logging.ERROR, "hunch"):
        answer = await Session().outcome(raising(ValueError("my diary")))
    error = answer["error"]
    assert error["code"] == -32603
    assert error["data"]["id"] in error["message"]
    assert error["data"]["id"] in caplog.text
    assert "ValueError" in caplog.text
    assert "my diary" not in json.dumps(error) + caplog.text


async def test_a_cancelled_request_stops_its_work() -> None:
    """Cancelling ends what the handler waits for and is answered at once."""
    session, begun, stopped = Session(), asyncio.Event(), asyncio.Event()

    async def wait(ls: Any, params: Any) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    session.server.feature("test/wait")(wait)
    session.send("test/wait", {}, number=7)
    async with asyncio.timeout(10):
        await begun.wait()
        session.send("$/cancelRequest", {"id": 7})
        assert (await session.answer(7))["error"]["code"] == -32800
    assert stopped.is_set()


async def test_shutdown_cancels_what_runs() -> None:
    """Requests that run at shutdown are answered before it is."""
    session = Session()

    async def wait(ls: Any, params: Any) -> None:
        await asyncio.Event().wait()

    session.server.feature("test/wait")(wait)
    session.send("test/wait", {}, number=7)
    await asyncio.sleep(0)
    session.send("shutdown", None, number=8)
    assert (await session.answer(8))["result"] is None
    assert [m.get("id") for m in session.wire.messages] == [0, 7, 8]
    session.send("exit")
    assert session.server.exit_code == 0


async def test_notifications_leave_nothing_behind() -> None:
    """A thousand edits leave no bookkeeping, and the text is what was typed."""
    session = Session()
    uri = "untitled:diary"
    item = {"uri": uri, "languageId": "text", "version": 0, "text": ""}
    session.send("textDocument/didOpen", {"textDocument": item})
    for version in range(1_000):
        start = {"line": 0, "character": version}
        change = {"range": {"start": start, "end": start}, "text": "x"}
        document = {"uri": uri, "version": version}
        session.send(
            "textDocument/didChange", {"textDocument": document, "contentChanges": [change]}
        )
    assert session.server.live_text(uri) == "x" * 1_000
    assert len(session.server.protocol._request_futures) == 0


def question(session: Session) -> Any:
    """Ask the person something, as soon as it is awaited."""
    params = lsp.ShowMessageRequestParams(lsp.MessageType.Info, "?")
    return session.server.window_show_message_request_async(params)


async def test_a_late_answer_of_the_client_is_ignored() -> None:
    """An answer to a question that nobody waits for any more disturbs nothing."""
    session = Session()
    assert await session.server.ask(question(session), seconds=0.01) is None
    number = session.wire.messages[-1]["id"]
    answer = {"jsonrpc": "2.0", "id": number, "result": {"title": "yes"}}
    for _ in range(2):
        receive(session.server.protocol, json.dumps(answer))
    session.send("workspace/symbol", {"query": ""}, number=9)
    assert (await session.answer(9))["result"] == []


@pytest.mark.parametrize(
    ("answer", "expected"),
    [({"result": {"title": "yes"}}, "yes"), ({"error": {"code": -1, "message": "no"}}, None)],
)
async def test_answers_of_the_client(answer: dict[str, Any], expected: str | None) -> None:
    """An answer has its shape; a refusal is no answer."""
    session = Session()
    asking = asyncio.ensure_future(session.server.ask(question(session), seconds=10))
    async with asyncio.timeout(10):
        session.wire.came.clear()
        await session.wire.came.wait()
    number = session.wire.messages[-1]["id"]
    receive(session.server.protocol, json.dumps({"jsonrpc": "2.0", "id": number} | answer))
    chosen = await asking
    assert (chosen and chosen.title) == expected


async def test_a_closed_pipe_ends_the_session() -> None:
    """When nobody reads any more, the session is over, without a word."""

    class Broken(Wire):
        def write(self, data: bytes) -> None:
            raise BrokenPipeError

    session = Session()
    session.server.protocol.set_writer(Broken())
    session.send("workspace/symbol", {"query": ""}, number=1)
    async with asyncio.timeout(10):
        await session.server.stopped.wait()
    assert session.server.exit_code == 1


async def test_handlers_can_be_given_the_server() -> None:
    """Every handler calls its first parameter `ls`, by which pygls knows it."""
    for handler in FEATURES.values():
        assert handler.__code__.co_varnames[0] == "ls"
    session = Session()
    assert set(session.server.protocol.fm.commands) == set(COMMANDS)


edits = st.tuples(
    st.integers(0, 6), st.integers(0, 8), st.integers(0, 6), st.integers(0, 8), st.text("a\n\r\f\u2028😀", max_size=3)
)  # fmt: skip


@settings(deadline=None, max_examples=150)
@given(st.text("ab\n\r\f\x0b\x85\u2028😀", max_size=20), st.lists(edits, max_size=4))
async def test_edits_land_where_editors_mean_them(text: str, changes: list[Any]) -> None:
    """Edits of a live document agree with a model that counts lines and units as LSP does."""
    workspace = LiveWorkspace(None, lsp.TextDocumentSyncKind.Incremental)
    workspace.put_text_document(lsp.TextDocumentItem("untitled:x", "text", 0, text))
    identifier = lsp.VersionedTextDocumentIdentifier(1, "untitled:x")
    for line, character, last, end, typed in changes:
        first, second = sorted([(line, character), (last, end)])
        stretch = lsp.Range(lsp.Position(*first), lsp.Position(*second))
        change = lsp.TextDocumentContentChangePartial(stretch, typed)
        workspace.update_text_document(identifier, change)
        text = text[: _offset(text, *first)] + typed + text[_offset(text, *second) :]
    assert workspace.live_text("untitled:x") == text


def _offset(text: str, line: int, character: int) -> int:
    """Walk to a position one character at a time."""
    at = 0
    while line and at < len(text):
        at += 2 if text[at : at + 2] == "\r\n" else 1
        line -= text[at - 1] in "\r\n"
    units = 0
    while at < len(text) and text[at] not in "\r\n" and not line:
        units += 2 if text[at] > "\uffff" else 1
        if units > character:
            break
        at += 1
    return at


@settings(deadline=None, max_examples=100)
@given(st.lists(st.binary(min_size=1, max_size=30), max_size=5))
async def test_frames_are_read_as_they_were_written(bodies: list[bytes]) -> None:
    """Bodies come out of the stream as they went in, whatever bytes they hold."""
    stream = b"".join(
        b"Content-Length: %d\r\nContent-Type: x\r\n\r\n%b" % (len(b), b) for b in bodies
    )
    assert list(frames(io.BytesIO(stream))) == bodies


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=200))
async def test_any_bytes_are_survived(data: bytes) -> None:
    """Garbage yields no exception, and a half message at the end yields nothing."""
    list(frames(io.BytesIO(data)))
    assert list(frames(io.BytesIO(b"Content-Length: 500\r\n\r\n" + data))) == []


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
METHODS = st.sampled_from(
    [*FEATURES, "textDocument/didOpen", "textDocument/didChange", "$/setTrace"]
)


@settings(deadline=None, max_examples=150)
@given(METHODS, json_values)
async def test_any_params_are_understood_or_refused(method: str, params: Any) -> None:
    """The params of any method take any JSON without an error but the one for the client."""
    try:
        Dispatch().params(method, params) if method != lsp.INITIALIZE else None
    except InvalidQuery as error:
        assert error.field  # noqa: PT017 - not every value is refused
