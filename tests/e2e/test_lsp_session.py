"""How sessions begin and end, and what they cope with meanwhile."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from support.lsp_raw import RawClient, private_env
from support.lsp_workspace import make_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

Start = "Callable[..., RawClient]"


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., RawClient]]:
    """Start servers in a private environment, and end them after the test."""
    clients: list[RawClient] = []

    def start(code: str = "", **env: str) -> RawClient:
        serve = f"{code}\nimport sys\nfrom hunch.lsp.main import serve\nsys.exit(serve())"
        command = (sys.executable, "-c", serve)
        clients.append(RawClient({**private_env(tmp_path), **env}, command))
        return clients[-1]

    yield start
    for client in clients:
        client.kill()


@pytest.mark.parametrize("method", ["hunch/search", "hunch/status", "workspace/symbol", "shutdown"])
def test_nothing_before_initialize(start: Callable[..., RawClient], method: str) -> None:
    """Requests before the handshake are answered with ServerNotInitialized."""
    assert start().error(method, {"query": "x"})["code"] == -32002


def test_nothing_after_shutdown(start: Callable[..., RawClient]) -> None:
    """Requests after shutdown are answered with InvalidRequest, and exit still ends with 0."""
    client = start()
    client.initialize()
    assert client.result("shutdown") is None
    assert client.error("hunch/search", {"query": "x"})["code"] == -32600
    assert client.error("shutdown")["code"] == -32600
    client.notify("exit")
    client.drain()
    assert client.end() == 0


def test_the_handshake(start: Callable[..., RawClient]) -> None:
    """The server says what it can do, counts in UTF-16 and announces Hunch's requests."""
    offered = {"general": {"positionEncodings": ["utf-8", "utf-16"]}}
    result = start().initialize(capabilities=offered)
    capabilities = result["capabilities"]
    assert capabilities["positionEncoding"] == "utf-16"
    assert capabilities["experimental"]["hunch"]["version"] == 1
    assert "hunch/search" in capabilities["experimental"]["hunch"]["methods"]
    assert "hunch/content" in capabilities["experimental"]["hunch"]["methods"]
    assert capabilities["workspace"]["textDocumentContent"] == {"schemes": ["hunch-session"]}
    assert capabilities["textDocumentSync"] == {"openClose": True, "change": 2, "save": True}
    assert capabilities["workspaceSymbolProvider"] == {"resolveProvider": True}
    assert result["serverInfo"]["name"] == "hunch"


def test_bad_initialize_can_be_repeated(start: Callable[..., RawClient]) -> None:
    """A handshake that made no sense is refused, and the next one is taken."""
    client = start()
    assert client.error("initialize", {"capabilities": 5})["code"] == -32602
    assert client.initialize()["capabilities"]


@pytest.mark.parametrize(
    ("leave", "code"),
    [
        (lambda client: client.notify("exit"), 1),
        (lambda client: None, 1),
        (lambda client: client.request("shutdown"), 1),
    ],
    ids=["exit alone", "end of input", "shutdown alone"],
)
def test_exit_codes(
    start: Callable[..., RawClient], leave: Callable[[RawClient], Any], code: int
) -> None:
    """Only shutdown followed by exit ends with 0."""
    client = start()
    client.initialize()
    leave(client)
    assert client.end() == code


def test_exit_ends_the_process_with_its_input_open(start: Callable[..., RawClient]) -> None:
    """The process ends at exit even though the client keeps its end of the pipe open."""
    client = start()
    client.initialize()
    client.request("shutdown")
    client.notify("exit")
    assert client.process.wait(timeout=30) == 0


def test_the_server_follows_its_client(start: Callable[..., RawClient]) -> None:
    """The process ends when the process that started it is gone."""
    editor = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    client = start()
    client.initialize(processId=editor.pid)
    client.until_ready()
    client.result("hunch/status")
    editor.communicate(b"\n")
    assert client.process.wait(timeout=30) == 1


def test_stray_prints_are_harmless(start: Callable[..., RawClient]) -> None:
    """What a library prints goes to stderr and leaves the messages intact."""
    noise = (
        "import os, threading\n"
        "def noise():\n"
        "    while True:\n"
        "        print('stray', flush=True)\n"
        "        threading.Event().wait(0.01)\n"
        "threading.Timer(0.2, lambda: threading.Thread(target=noise, daemon=True).start()).start()\n"
        "import hunch.lsp.main as main\n"
        "take = main._take_stdio\n"
        "taken = threading.Event()\n"
    )
    # The noise begins once the streams have been taken, which is before anything is read.
    noise = noise.replace("threading.Timer(0.2, lambda: ", "start = (lambda: ").replace(
        ".start()).start()\n", ".start())\n"
    ) + ("main._take_stdio = lambda: (take(), start())[0]\n")
    client = start(noise)
    client.initialize()
    for _ in range(20):
        client.result("hunch/status")
    assert client.close() == 0
    assert b"stray\n" in client.errors


def test_a_database_that_cannot_be_opened(start: Callable[..., RawClient], tmp_path: Path) -> None:
    """Without an index the server says so in its state and in its errors, and goes on."""
    (tmp_path / "file").write_text("not a folder", "utf-8")
    client = start(HUNCH_DB=str(tmp_path / "file" / "index.db"))
    client.initialize()
    state = client.notification("hunch/didChangeStatus")
    assert state["state"] == "failed"
    assert state["message"]
    error = client.error("hunch/search", {"query": "x"})
    assert (error["code"], error["data"]["kind"]) == (-32803, "index-unavailable")
    assert client.result("hunch/status")["state"] == "failed"
    assert client.close() == 0


def test_a_wide_folder_is_refused(start: Callable[..., RawClient], tmp_path: Path) -> None:
    """A home directory is not indexed, and the person is told once."""
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    (home / "secret.py").write_text("def secret_of_the_house(): pass\n", "utf-8")
    client = start(HOME=str(home), USERPROFILE=str(home))
    client.initialize([home])
    assert client.notification("window/showMessage")["type"] == 2
    client.until_ready()
    assert client.result("hunch/search", {"query": "secret of the house"})["hits"] == []
    client.request("shutdown")
    assert [m for m in client.seen if m.get("method") == "window/showMessage"][1:] == []


@pytest.mark.parametrize("form", ["rootUri", "rootPath"])
def test_older_clients_name_a_root(
    start: Callable[..., RawClient], tmp_path: Path, form: str
) -> None:
    """Without workspace folders, the root is the folder."""
    root = make_workspace(tmp_path / "shop")
    value = root.as_uri() if form == "rootUri" else str(root)
    client = start()
    client.initialize(workspaceFolders=None, **{form: value})
    assert [source["uri"] for source in client.until_ready()["sources"]] == [root.as_uri()]


def test_settings_are_asked_for(start: Callable[..., RawClient]) -> None:
    """Settings of the client win over its options; wrong ones are named and not used."""
    asked: list[Any] = []

    def answer(method: str, params: Any) -> Any:
        asked.append((method, params))
        settings = {"embedder": "builtin", "ollama": {"batchSize": 0}, "nonsense": 1}
        return [settings] if method == "workspace/configuration" else None

    client = start()
    client.answering = answer
    client.initialize(
        capabilities={"workspace": {"configuration": True}},
        initializationOptions={"embedder": "ollama"},
    )
    message = client.notification("window/showMessage")["message"]
    assert "ollama.batchSize" in message
    assert "nonsense" in message
    assert client.until_ready()["embedder"]["provider"] == "builtin"
    assert asked[0] == ("workspace/configuration", {"items": [{"section": "hunch"}]})


def test_a_client_that_never_answers(start: Callable[..., RawClient]) -> None:
    """A client that leaves questions open gets its index all the same."""

    def silence(method: str, params: Any) -> Any:
        raise KeyError(method)

    client = start()
    client.answering = silence
    capabilities = {
        "workspace": {
            "configuration": True,
            "didChangeWatchedFiles": {"dynamicRegistration": True},
        },
        "window": {"workDoneProgress": True},
    }
    client.initialize(capabilities=capabilities)
    assert client.until_ready()["state"] == "ready"
    assert client.close() == 0


def test_changed_settings_are_taken_over(start: Callable[..., RawClient]) -> None:
    """Settings that are pushed replace those before."""
    client = start()
    client.initialize()
    client.until_ready()
    client.notify(
        "workspace/didChangeConfiguration", {"settings": {"hunch": {"embedder": "ollama"}}}
    )
    changed = client.notification(
        "hunch/didChangeStatus", lambda state: state["embedder"]["provider"] == "ollama"
    )
    assert changed["embedder"]["available"] is False


def test_progress_can_be_cancelled(start: Callable[..., RawClient], tmp_path: Path) -> None:
    """The progress bar begins, and cancelling it pauses indexing and ends the bar."""
    root = make_workspace(tmp_path / "shop")
    for number in range(400):
        lines = (f"def part_{number}_{line}(a): return a + {line}\n" for line in range(60))
        (root / f"part{number}.py").write_text("".join(lines), "utf-8")
    client = start()
    client.initialize([root], capabilities={"window": {"workDoneProgress": True}})
    begin = client.notification("$/progress")
    assert (begin["value"]["kind"], begin["value"]["cancellable"]) == ("begin", True)
    client.notify("window/workDoneProgress/cancel", {"token": begin["token"]})
    client.notification("$/progress", lambda params: params["value"]["kind"] == "end")
    assert client.result("hunch/status")["state"] == "paused"
    assert client.close() == 0
    kinds = [m["params"]["value"]["kind"] for m in client.seen if m.get("method") == "$/progress"]
    assert kinds == ["begin", *["report"] * (len(kinds) - 2), "end"]


def test_a_person_chooses_related_code(start: Callable[..., RawClient], tmp_path: Path) -> None:
    """A client without a view for hits is asked which one to open, and opens it."""
    root = make_workspace(tmp_path / "shop")
    shown: list[Any] = []

    def answer(method: str, params: Any) -> Any:
        shown.append((method, params))
        return params["actions"][0] if method == "window/showMessageRequest" else {"success": True}

    client = start()
    client.answering = answer
    client.initialize([root], capabilities={"window": {"showDocument": {"support": True}}})
    client.until_ready()
    where = {"textDocument": {"uri": (root / "src/mail/resend.py").as_uri()}, "position": {"line": 8, "character": 0}, "show": True}  # fmt: skip
    run = {"command": "hunch.showRelated", "arguments": [where]}
    best = client.result("workspace/executeCommand", run)["hits"][0]
    opened = client.notification("window/showDocument")
    assert (opened["uri"], opened["selection"]) == (best["uri"], best["range"])


def test_tcp(tmp_path: Path) -> None:
    """For debugging, one client is served over TCP."""
    code = "from hunch.lsp.main import serve; import sys; sys.exit(serve(tcp='127.0.0.1:0'))"
    env = {**os.environ, **private_env(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, env=env) as server:
        assert server.stderr is not None
        port = int(server.stderr.readline().split()[-1])
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "hunch/status"}).encode()
            connection.sendall(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            with connection.makefile("rb") as stream:
                length = int(stream.readline().split(b":")[1])
                stream.readline()
                assert json.loads(stream.read(length))["error"]["code"] == -32002
        assert server.wait(timeout=30) == 1


@pytest.mark.parametrize("address", ["nonsense", ":1", "host:", "host:99999"])
def test_addresses_must_make_sense(address: str) -> None:
    """An address that is not HOST:PORT is refused before anything is started."""
    from hunch.errors import InvalidSetting
    from hunch.lsp.main import serve

    with pytest.raises(InvalidSetting, match="HOST:PORT"):
        serve(tcp=address)


def test_nothing_heavy_is_imported_to_say_hello() -> None:
    """The first answer needs neither NumPy nor the engine."""
    code = (
        "import sys, hunch.lsp.main\n"
        "print({'numpy', 'httpx', 'tree_sitter', 'hunch.app'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
