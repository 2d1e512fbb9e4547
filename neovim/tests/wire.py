"""Stands between Neovim and the server, writes down what they say, and holds answers back.

Called as `wire.py FOLDER COMMAND…`. Every message goes into FOLDER/wire.jsonl, with who sent it. The
answer to a request whose query holds the word `held` waits until FOLDER/release exists, and its
cancellation does not reach the server, as if that had come too late.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO

HELD = "held"
POLL_SECONDS = 0.02


class Wire:
    """Passes messages on between our own stdin and stdout and those of the server."""

    def __init__(self, folder: Path, command: list[str]) -> None:
        self.folder = folder
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.held: set[Any] = set()
        self.lock = threading.Lock()
        (folder / "server.pid").write_text(str(self.server.pid))

    def note(self, sender: str, message: dict[str, Any]) -> None:
        """Write a message down."""
        with self.lock, (self.folder / "wire.jsonl").open("a") as file:
            file.write(json.dumps({"from": sender, **message}) + "\n")

    def from_client(self) -> None:
        """Pass on what Neovim says until it says no more."""
        assert self.server.stdin
        for message in read(sys.stdin.buffer):
            self.note("client", message)
            params = message.get("params") or {}
            if HELD in str(params.get("query", "")):
                self.held.add(message["id"])
            if message.get("method") == "$/cancelRequest" and params["id"] in self.held:
                continue
            write(self.server.stdin, message)
        self.server.stdin.close()

    def from_server(self) -> None:
        """Pass on what the server says until it ends."""
        assert self.server.stdout
        for message in read(self.server.stdout):
            if "method" not in message and message["id"] in self.held:
                threading.Thread(target=self.later, args=(message,), daemon=True).start()
            else:
                self.send(message)

    def later(self, message: dict[str, Any]) -> None:
        """Pass an answer on once it is released."""
        pause = threading.Event()
        while not (self.folder / "release").exists():
            pause.wait(POLL_SECONDS)
        self.send(message)

    def send(self, message: dict[str, Any]) -> None:
        """Give a message to Neovim, and then write it down."""
        write(sys.stdout.buffer, message)
        self.note("server", message)


def read(stream: BinaryIO) -> Any:
    """Yield the messages of a stream."""
    while line := stream.readline():
        length = int(line.partition(b":")[2])
        while stream.readline().strip():
            pass
        yield json.loads(stream.read(length))


def write(stream: BinaryIO, message: dict[str, Any]) -> None:
    """Frame and send a message."""
    body = json.dumps(message).encode()
    stream.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    stream.flush()


def main() -> int:
    """Run until the server ends, and end as it did; any other command is just run."""
    if sys.argv[-1] != "serve":
        return subprocess.call(sys.argv[2:])
    wire = Wire(Path(sys.argv[1]), sys.argv[2:])
    threading.Thread(target=wire.from_client, daemon=True).start()
    wire.from_server()
    # The other thread may hold stdin, which an orderly end would wait for.
    os._exit(wire.server.wait() & 0xFF)


if __name__ == "__main__":
    sys.exit(main())
