"""A language client that sends whatever it is told to, well-formed or not."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections import defaultdict, deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

SERVE = (sys.executable, "-m", "hunch", "serve")
LIMIT = 60.0
"""Seconds that any wait may take."""


class RawClient:
    """Speaks LSP over a child's stdin and stdout, and keeps everything that the server sends."""

    def __init__(self, env: Mapping[str, str], command: Sequence[str] = SERVE) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **env},
        )
        assert self.process.stdin
        assert self.process.stdout
        assert self.process.stderr
        self._stdin = self.process.stdin
        self.inbox: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.seen: list[dict[str, Any]] = []
        """Every message of the server, in order."""
        self._answers = defaultdict[Any, deque[dict[str, Any]]](deque)
        self.answering: Callable[[str, Any], Any] = lambda _method, _params: None
        """Answers the server's requests; raising KeyError leaves one without an answer."""
        self.errors: list[bytes] = []
        self._threads = [
            threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True),
            threading.Thread(target=self.errors.extend, args=(self.process.stderr,), daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        self._next = 0

    def _read(self, stream: Any) -> None:
        while line := stream.readline():
            name, _, value = line.partition(b":")
            assert name == b"Content-Length", f"not a header: {line!r}"
            assert stream.readline() == b"\r\n"
            self.inbox.put(json.loads(stream.read(int(value)), parse_constant=_refuse))
        self.inbox.put(None)

    def send_bytes(self, body: bytes, header: str = "Content-Length") -> None:
        """Frame and send any body."""
        self._stdin.write(f"{header}: {len(body)}\r\n\r\n".encode() + body)
        self._stdin.flush()

    def send(self, message: Any) -> None:
        """Send any JSON value."""
        self.send_bytes(json.dumps(message).encode())

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def start(self, method: str, params: Any = None) -> int:
        """Send a request and return its id."""
        self._next += 1
        self.send({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params})
        return self._next

    def request(self, method: str, params: Any = None) -> dict[str, Any]:
        """Send a request and return its whole answer."""
        return self.answer_to(self.start(method, params))

    def result(self, method: str, params: Any = None) -> Any:
        """Send a request that must succeed and return its result."""
        answer = self.request(method, params)
        assert "error" not in answer, answer
        return answer["result"]

    def error(self, method: str, params: Any = None) -> dict[str, Any]:
        """Send a request that must fail and return its error."""
        answer = self.request(method, params)
        assert "error" in answer, answer
        return answer["error"]

    def answer_to(self, number: Any) -> dict[str, Any]:
        """Wait for the answer to a request, whatever is answered before it."""
        while not self._answers[number]:
            self.wait(lambda m: "method" not in m and m["id"] == number)
        return self._answers[number].popleft()

    def notification(
        self, method: str, fits: Callable[[Any], bool] = lambda _params: True
    ) -> dict[str, Any]:
        """Wait for the next notification (or request) of the server and return its params."""
        return self.wait(lambda m: m.get("method") == method and fits(m["params"]))["params"]

    def wait(self, fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Read on until a message fits, answering the server's requests meanwhile."""
        deadline = time.monotonic() + LIMIT
        for message in self._incoming(deadline):
            if fits(message):
                return message
        raise AssertionError(f"the server ended: {b''.join(self.errors).decode()}")

    def drain(self) -> None:
        """Read until the server has closed its output."""
        for _ in self._incoming(time.monotonic() + LIMIT):
            pass

    def _incoming(self, deadline: float) -> Iterator[dict[str, Any]]:
        while (message := self.inbox.get(timeout=deadline - time.monotonic())) is not None:
            self.seen.append(message)
            if "method" not in message:
                self._answers[message["id"]].append(message)
            if "method" in message and "id" in message:
                with contextlib.suppress(KeyError):
                    answer = self.answering(message["method"], message["params"])
                    self.send({"jsonrpc": "2.0", "id": message["id"], "result": answer})
            yield message

    def initialize(self, folders: Sequence[Path] = (), **changes: Any) -> dict[str, Any]:
        """Go through the handshake with the built-in embedder and return the result."""
        params = {
            "processId": None,
            "rootUri": None,
            "capabilities": {},
            "workspaceFolders": [{"uri": path.as_uri(), "name": path.name} for path in folders],
            "initializationOptions": {"embedder": "builtin"},
        }
        result = self.result("initialize", params | changes)
        self.notify("initialized", {})
        return result

    def until_ready(self) -> dict[str, Any]:
        """Wait until everything is indexed and return that state."""
        return self.notification("hunch/didChangeStatus", lambda state: state["state"] == "ready")

    def close(self) -> int:
        """Leave as the protocol asks and return the exit code."""
        self.request("shutdown")
        self.notify("exit")
        return self.end()

    def end(self) -> int:
        """Close the server's input, wait for it to end, and return the exit code."""
        with contextlib.suppress(BrokenPipeError):
            self._stdin.close()
        try:
            return self.process.wait(timeout=LIMIT)
        finally:
            self.kill()

    def kill(self) -> None:
        """End the server whatever it does, and let go of its streams."""
        self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(BrokenPipeError):
                stream.close()


def _refuse(constant: str) -> Any:
    raise AssertionError(f"{constant} is not JSON")


def private_env(folder: Path) -> dict[str, str]:
    """Return an environment in which Hunch neither reads nor writes anything of the user's."""
    names = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")
    home = {name: str(folder / name.lower()) for name in names}
    return {**home, "HUNCH_DB": str(folder / "index.db"), "OLLAMA_HOST": "127.0.0.1:9"}
