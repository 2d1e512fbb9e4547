"""The real server while its client floods it, falls silent or dies, and what it says meanwhile."""

from __future__ import annotations

import array
import importlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from support.lsp_raw import LIMIT, SERVE, RawClient, private_env
from support.lsp_workspace import make_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_NEARLY_FULL = 60_000
"""Bytes of the 64 kB that a pipe takes."""
EXIT_SECONDS = 5.0
"""After the end of its client, the server has so long to end with all that it started."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project that takes some seconds to index."""
    root = make_workspace(tmp_path / "shop")
    for number in range(300):
        lines = (f"def part_{number}_{line}(a): return a + {line}\n" for line in range(60))
        (root / f"part{number}.py").write_text("".join(lines), "utf-8")
    return root


@pytest.fixture
def client(tmp_path: Path) -> Iterator[RawClient]:
    """A client past nothing yet."""
    client = RawClient(private_env(tmp_path))
    yield client
    client.kill()


def family(pid: int) -> list[psutil.Process]:
    """Return a process and everything that it started."""
    process = psutil.Process(pid)
    return [process, *process.children(recursive=True)]


def assert_gone(processes: list[psutil.Process]) -> None:
    """See that all of them end in time."""
    _, alive = psutil.wait_procs(processes, timeout=EXIT_SECONDS)
    assert [process.cmdline() for process in alive] == []


def until_indexing(client: RawClient) -> None:
    """Wait until files are being cut, in processes of their own."""
    client.notification("hunch/didChangeStatus", lambda state: state["counts"]["documents"] > 0)


@pytest.mark.parametrize("busy", [False, True], ids=["at rest", "while indexing"])
def test_a_client_that_closes_its_pipe(client: RawClient, root: Path, busy: bool) -> None:
    """The server and its workers end within five seconds."""
    client.initialize([root])
    until_indexing(client) if busy else client.until_ready()
    processes = family(client.process.pid)
    client._stdin.close()
    assert_gone(processes)


EDITOR = """
import json, subprocess, sys
server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    server.stdin.write(b"Content-Length: %d\\r\\n\\r\\n%b" % (len(body), body))
    server.stdin.flush()
root = sys.argv[1]
send({"id": 1, "method": "initialize", "params": {
    "processId": None, "rootUri": None, "capabilities": {},
    "workspaceFolders": [{"uri": root, "name": "shop"}],
    "initializationOptions": {"embedder": "builtin"}}})
send({"method": "initialized", "params": {}})
while True:
    line = server.stdout.readline()
    length = int(line.split(b":")[1])
    server.stdout.readline()
    message = json.loads(server.stdout.read(length))
    if message.get("params", {}).get("counts", {}).get("documents"):
        print(server.pid, flush=True)
        break
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is of Unix")
def test_a_client_that_is_killed(root: Path, tmp_path: Path) -> None:
    """After kill -9 of the editor during indexing, nothing of the server is left."""
    editor = subprocess.Popen(
        [sys.executable, "-c", EDITOR, root.as_uri(), *SERVE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **private_env(tmp_path)},
    )
    with editor:
        assert editor.stdout is not None
        processes = family(int(editor.stdout.readline()))
        assert len(processes) > 1
        editor.send_signal(signal.SIGKILL)
        editor.wait()
        assert_gone(processes)


def until_full(descriptor: int) -> None:
    """Wait until so much lies unread in a pipe that whoever writes into it has to wait."""
    fcntl = importlib.import_module("fcntl")
    termios = importlib.import_module("termios")
    unread, deadline = array.array("i", [0]), time.monotonic() + LIMIT
    while unread[0] < _NEARLY_FULL:
        fcntl.ioctl(descriptor, termios.FIONREAD, unread)
        assert time.monotonic() < deadline


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe cannot be asked there how full it is")
def test_a_client_that_stops_reading(root: Path, tmp_path: Path) -> None:
    """With a megabyte of answers unread, the end of the client is the end of the server."""
    server = subprocess.Popen(
        SERVE,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **private_env(tmp_path)},
    )
    assert server.stdin is not None
    assert server.stdout is not None
    bodies = [
        b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"processId":null,"rootUri":null,'
        b'"capabilities":{},"workspaceFolders":[{"uri":"%b","name":"shop"}],'
        b'"initializationOptions":{"embedder":"builtin"}}}' % root.as_uri().encode(),
        b'{"jsonrpc":"2.0","method":"initialized","params":{}}',
    ]
    bodies += [b'{"jsonrpc":"2.0","id":%d,"method":"hunch/no"}' % n for n in range(1, 12_000)]
    stream = b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in bodies)

    def feed() -> None:
        # The server does not take all of it: it waits for us, as we do not read.
        try:
            os.write(server.stdin.fileno(), stream) if server.stdin else None
        except OSError:
            return

    feeding = threading.Thread(target=feed, daemon=True)
    with server:
        feeding.start()
        until_full(server.stdout.fileno())
        processes = family(server.pid)
        server.stdout.close()
        feeding.join(EXIT_SECONDS)
        server.stdin.close()
        assert_gone(processes)


def test_a_thousand_requests_while_everything_changes(client: RawClient, root: Path) -> None:
    """Sent at once, cancelled at random, while documents change and files are indexed: one answer each."""
    client.initialize([root])
    until_indexing(client)
    chance = random.Random(11)
    uri = (root / "src/net/retry.py").as_uri()
    text = "def live(): pass\n"
    client.notify(
        "textDocument/didOpen",
        {"textDocument": {"uri": uri, "languageId": "python", "version": 0, "text": text}},
    )
    here = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 5}}
    choice: list[tuple[str, Any]] = [
        ("hunch/search", {"query": "retry after failure", "mode": "keyword"}),
        ("hunch/search", {"query": "total price"}),
        ("hunch/search", {"query": 7}),
        ("hunch/related", here),
        ("hunch/status", None),
        ("hunch/problems", None),
        ("workspace/symbol", {"query": "send"}),
        ("hunch/never", {}),
    ]
    before, numbers = len(client.seen), []
    for version in range(1, 1_001):
        [(method, params)] = chance.choices(choice, weights=[1, 1, 5, 1, 5, 1, 1, 5])
        numbers.append(client.start(method, params))
        if chance.random() < 0.5:
            client.notify("$/cancelRequest", {"id": chance.choice(numbers[-20:])})
        if version % 10 == 0:
            start = {"line": 0, "character": 0}
            change = {"range": {"start": start, "end": start}, "text": f"# {version}\n"}
            document = {"uri": uri, "version": version}
            client.notify(
                "textDocument/didChange", {"textDocument": document, "contentChanges": [change]}
            )
    for number in numbers:
        client.answer_to(number)
    client.result("hunch/status")
    answers = [m for m in client.seen[before:] if m.get("id") in {*numbers} and "method" not in m]
    assert Counter(m["id"] for m in answers) == dict.fromkeys(numbers, 1)
    codes = {m["error"]["code"] for m in answers if "error" in m}
    assert codes <= {-32800, -32602, -32601}


def messages(client: RawClient, method: str) -> list[Any]:
    """Return the params of all notifications of a sort."""
    return [m["params"] for m in client.seen if m.get("method") == method]


def check_progress(client: RawClient, runs: Callable[[int], bool]) -> None:
    """See that every bar begins, moves upwards and ends, one after the other."""
    bars: dict[str, list[Any]] = {}
    for params in messages(client, "$/progress"):
        bars.setdefault(params["token"], []).append(params["value"])
    assert runs(len(bars))
    for values in bars.values():
        kinds = [value["kind"] for value in values]
        assert kinds == ["begin", *["report"] * (len(kinds) - 2), "end"]
        shares = [value["percentage"] for value in values[:-1]]
        assert shares == sorted(shares)
        assert all(0 <= share <= 100 for share in shares)


def test_the_state_can_be_believed(client: RawClient, root: Path) -> None:
    """Over two runs and a pause: bars are paired, "ready" means all is in, problems are as counted."""
    client.initialize([root], capabilities={"window": {"workDoneProgress": True}})
    until_indexing(client)
    client.result("hunch/pause")
    client.notification("hunch/didChangeStatus", lambda state: state["state"] == "paused")
    client.result("hunch/resume")
    client.until_ready()
    client.result("hunch/reindex", {"force": True})
    client.notification("hunch/didChangeStatus", lambda state: state["state"] == "indexing")
    client.until_ready()
    counts = client.result("hunch/status")["counts"]
    assert counts["documents"] == 306
    states = Counter(problem["state"] for problem in client.result("hunch/problems"))
    assert states["skipped"] == counts["skipped"] == 1
    assert states["failed"] == counts["failed"] == 0
    assert states["not understood"] == counts["notUnderstood"] == 0
    assert client.close() == 0
    check_progress(client, lambda bars: bars >= 2)
    told = messages(client, "hunch/didChangeStatus")
    ready = [state["counts"] for state in told if state["state"] == "ready"]
    assert all((c["pending"], c["documents"]) == (0, 306) for c in ready)
    said = [p["value"].get("message", "") for p in messages(client, "$/progress")]
    assert any("part" in message and " of 306 files" in message for message in said)
