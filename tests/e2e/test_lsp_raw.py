"""Every request gets exactly one answer, whatever is sent."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from support.lsp_raw import RawClient, private_env
from support.lsp_workspace import FILES, make_workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_workspace(tmp_path_factory.mktemp("raw") / "shop")


@pytest.fixture(scope="module")
def client(root: Path) -> Iterator[RawClient]:
    client = RawClient(private_env(root.parent))
    client.initialize([root])
    client.until_ready()
    yield client
    assert client.close() == 0


WHERE = {"textDocument": {"uri": "untitled:nowhere"}, "position": {"line": 0, "character": 0}}


@pytest.mark.parametrize(
    ("method", "params", "field"),
    [
        ("hunch/search", None, "query"),
        ("hunch/search", [], "params"),
        ("hunch/search", "x", "params"),
        ("hunch/search", {"query": 5}, "query"),
        ("hunch/search", {"query": "x", "limit": 900}, "limit"),
        ("hunch/search", {"query": "x", "filter": {"include": ["ok", ""]}}, "filter.include[1]"),
        ("hunch/search", {"query": {"jsonrpc": "2.0", "method": "exit"}}, "query"),
        ("hunch/related", {}, "textDocument"),
        ("hunch/related", {"text": ""}, "text"),
        ("hunch/related", {"text": "x", **WHERE}, "text"),
        ("hunch/related", {"textDocument": {"uri": "file:///x.py"}}, "position"),
        ("hunch/related", {**WHERE, "range": {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}}, "position"),
        ("hunch/related", {**WHERE, "position": {"line": -1.5, "character": 0}}, "position.line"),
        ("hunch/related", {**WHERE, "position": {"line": -1, "character": 0}}, "position"),
        ("hunch/related", WHERE, "textDocument.uri"),
        ("hunch/related", {**WHERE, "textDocument": {"uri": "file:///etc/passwd"}}, "textDocument.uri"),
        ("hunch/reindex", {"force": "yes"}, "force"),
        ("hunch/reindex", {"folders": ["file:///nowhere"]}, "folders[0]"),
        ("workspace/symbol", {"query": 5}, "query"),
        ("workspace/symbol", {"query": "x" * 10_001}, "query"),
        ("textDocument/codeAction", {"textDocument": {"uri": "x"}}, "range"),
        ("workspaceSymbol/resolve", {"name": "x", "kind": 99, "location": {"uri": "a"}}, "kind"),
        ("workspace/executeCommand", {"command": "hunch.nothing"}, "command"),
        ("workspace/executeCommand", {"command": "hunch.search"}, "query"),
        ("workspace/executeCommand", {"command": "hunch.search", "arguments": [{"query": 1}]}, "query"),
        ("workspace/executeCommand", {"command": "hunch.search", "arguments": ["x"]}, "params"),
        ("workspace/executeCommand", {"command": "hunch.search", "arguments": [{}, {}]}, "arguments"),
    ],
)  # fmt: skip
def test_wrong_params_name_the_field(
    client: RawClient, method: str, params: Any, field: str
) -> None:
    """Params that do not fit are answered with InvalidParams and the field."""
    error = client.error(method, params)
    assert error["code"] == -32602
    assert error["data"] == {"kind": "invalid-query", "field": field}
    assert error["message"].startswith(f"{field}: ")


@pytest.mark.parametrize("method", ["hunch/nothing", "textDocument/hover", "$/nothing", ""])
def test_unknown_methods(client: RawClient, method: str) -> None:
    """A request that nobody answers is answered with MethodNotFound."""
    assert client.error(method, {})["code"] == -32601


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", -32700),
        (b"\xff\xfe", -32700),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "hunch/status", "params": {"x": NaN}}', -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b"7", -32600),
        (b"null", -32600),
        (b'{"id": 1, "method": "hunch/status"}', -32600),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "hunch/status"}', -32600),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "hunch/status"}', -32600),
        (b'{"jsonrpc": "2.0", "id": null, "method": 3}', -32600),
    ],
)
def test_what_is_no_message(client: RawClient, body: bytes, code: int) -> None:
    """What cannot be understood is answered with an error to nobody in particular."""
    client.send_bytes(body)
    assert client.answer_to(None)["error"]["code"] == code


def test_headers_in_any_case(client: RawClient) -> None:
    """The name of the length header is read in any case."""
    request = {
        "jsonrpc": "2.0",
        "id": "shout",
        "method": "workspace/symbol",
        "params": {"query": ""},
    }
    client.send_bytes(json.dumps(request).encode(), header="CONTENT-LENGTH")
    assert client.answer_to("shout")["result"] == []


def test_garbage_between_messages(client: RawClient) -> None:
    """Lines that are no headers are passed over."""
    client._stdin.write(b"hello\r\n\r\nContent-Length: x\r\n\r\n")
    assert client.result("workspace/symbol", {"query": ""}) == []


def test_bad_notifications_disturb_nothing(client: RawClient) -> None:
    """Notifications that do not fit are ignored, and the server goes on."""
    client.notify("textDocument/didChange", {"textDocument": 5})
    client.notify("textDocument/didChange", {"textDocument": {"uri": "file:///never/opened", "version": 1}, "contentChanges": [{"text": "x"}]})  # fmt: skip
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [{"uri": "vscode-remote://x/y", "name": "y"}], "removed": []}})  # fmt: skip
    client.notify("$/cancelRequest", {"id": 999_999})
    client.notify("window/workDoneProgress/cancel", {"token": "never"})
    client.notify("hunch/never", [1, 2])
    client.send({"jsonrpc": "2.0", "id": "never asked", "result": 1})
    assert client.result("hunch/status")["state"] in {"ready", "indexing"}


def test_a_second_initialize_is_refused(client: RawClient) -> None:
    """The handshake happens once."""
    params = {"processId": None, "rootUri": None, "capabilities": {}}
    assert client.error("initialize", params)["code"] == -32600


def test_cancelled_requests_say_so(client: RawClient) -> None:
    """A cancelled request is answered once: with the error, or its result if it was faster."""
    numbers = [client.start("hunch/search", {"query": "retry " * 1_000}) for _ in range(10)]
    for number in numbers:
        client.notify("$/cancelRequest", {"id": number})
    answers = [client.answer_to(number) for number in numbers]
    assert {answer.get("error", {"code": -32800})["code"] for answer in answers} == {-32800}
    assert any("error" in answer for answer in answers)


def test_cancelled_at_once(client: RawClient) -> None:
    """A request that is cancelled in the same breath is answered with RequestCancelled."""
    request = {"jsonrpc": "2.0", "id": "c", "method": "hunch/search", "params": {"query": "retry"}}
    cancel = {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "c"}}
    bodies = [json.dumps(message).encode() for message in (request, cancel)]
    client._stdin.write(b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(b), b) for b in bodies))
    client._stdin.flush()
    assert client.answer_to("c")["error"]["code"] == -32800


def _mixed(root: Path, seed: int) -> list[tuple[str, Any]]:
    uri = (root / "src/net/retry.py").as_uri()
    line = {"line": 12, "character": 4}
    good: list[tuple[str, Any]] = [
        ("hunch/search", {"query": "retry"}),
        ("hunch/search", {"query": "DEC-0054 \" NEAR * a.b 😀", "mode": "keyword"}),
        ("hunch/related", {"textDocument": {"uri": uri}, "position": line}),
        ("hunch/related", {"text": "def x(): pass"}),
        ("hunch/status", None),
        ("hunch/problems", {}),
        ("workspace/symbol", {"query": "send"}),
        ("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": {"start": line, "end": line}, "context": {"diagnostics": []}}),
        ("workspace/executeCommand", {"command": "hunch.status", "arguments": []}),
    ]  # fmt: skip
    bad: list[tuple[str, Any]] = [
        ("hunch/search", {"query": ""}),
        ("hunch/search", 7),
        ("hunch/unknown", {"query": "x"}),
        ("workspace/executeCommand", {"command": "x", "arguments": [{"jsonrpc": "2.0"}]}),
        ("initialize", {}),
    ]
    return random.Random(seed).choices(good * 2 + bad, k=200)


def test_exactly_one_answer_to_each(client: RawClient, root: Path) -> None:
    """Two hundred requests of all sorts, some cancelled, get two hundred answers."""
    before = len(client.seen)
    numbers = []
    for method, params in _mixed(root, seed=4):
        numbers.append(client.start(method, params))
        if len(numbers) % 7 == 0:
            client.notify("$/cancelRequest", {"id": numbers[-1]})
    last = client.start("hunch/status")
    for number in (*numbers, last):
        client.answer_to(number)
    # A second answer to any of them would have come before the answer to this.
    client.result("hunch/status")
    answers = [m for m in client.seen[before:] if m.get("id") in {*numbers}]
    assert Counter(m["id"] for m in answers) == dict.fromkeys(numbers, 1)
    assert all(("result" in m) != ("error" in m) for m in answers)
    assert -32603 not in {m["error"]["code"] for m in answers if "error" in m}


def test_the_code_action_leads_to_related_code(client: RawClient, root: Path) -> None:
    """The action's command, run as it was offered, returns code that is related."""
    uri = (root / "src/mail/resend.py").as_uri()
    here = {"start": {"line": 6, "character": 0}, "end": {"line": 15, "character": 0}}
    context = {"diagnostics": [], "triggerKind": 1}
    params = {"textDocument": {"uri": uri}, "range": here, "context": context}
    [command] = client.result("textDocument/codeAction", params)
    assert command["command"] == "hunch.showRelated"
    run = {"command": command["command"], "arguments": command["arguments"]}
    result = client.result("workspace/executeCommand", run)
    assert result["hits"][0]["detail"] == "src/net/retry.py"


def test_nothing_is_null(client: RawClient) -> None:
    """No key of a search's result is null, so that Lua sees no userdata."""
    client.result("hunch/search", {"query": "retry"})

    def check(value: Any) -> None:
        assert value is not None
        for inner in (
            value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        ):
            check(inner)

    check(client.result("hunch/search", {"query": "total price of the cart"}))


def test_nothing_private_in_the_log(client: RawClient) -> None:
    """Neither stderr nor the client's log shows a query, a document or a path."""
    client.result("hunch/search", {"query": "xylophone melody"})
    client.error("hunch/search", {"query": "xylophone melody", "mode": "melodic"})
    lines = [m["params"]["message"] for m in client.seen if m.get("method") == "window/logMessage"]
    log = b"".join(client.errors).decode() + "\n".join(lines)
    for private in ("xylophone", "melod", "send_with_retry", *FILES):
        assert private not in log
