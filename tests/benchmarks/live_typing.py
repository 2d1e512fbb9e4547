"""How responsive the server stays while somebody types, and whether its memory stays flat.

    python tests/benchmarks/live_typing.py [SECONDS] [CHANGES]

A folder with one Python file of 5,000 lines is indexed with the built-in embedder and the file is
opened. For SECONDS (default 30) ten characters a second are typed into it while `hunch/status` and,
now and then, `hunch/search` are asked; then CHANGES (default 20,000) more are sent as fast as the
server takes them, and its memory is read before and after.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles

import psutil

sys.path.insert(0, str(Path(__file__).parent.parent))

from support.lsp_raw import RawClient

FUNCTION = '''\
def operation_{n}(left, right, *, limit={n}):
    """Combine two values as step {n} of the plan."""
    total = left.amount + right.amount * {n}
    if total > limit:
        raise ValueError("step {n} goes beyond its limit")
    return total


'''
LINES = 5_000
MEGABYTE = 1_048_576


def program() -> str:
    """Return a program of LINES lines."""
    height = FUNCTION.count("\n")
    return "".join(FUNCTION.format(n=n) for n in range(LINES // height))


class Typist:
    """Types at one place after the other of an open document."""

    def __init__(self, client: RawClient, uri: str) -> None:
        self.client, self.uri, self.version = client, uri, 1

    def open(self, text: str) -> None:
        """Open the document."""
        item = {"uri": self.uri, "languageId": "python", "version": 1, "text": text}
        self.client.notify("textDocument/didOpen", {"textDocument": item})

    def type(self) -> None:
        """Type one character."""
        self.version += 1
        place = {"line": 2 + 8 * (self.version // 20 % 600), "character": 4}
        change = {"range": {"start": place, "end": place}, "text": "abcdefghij"[self.version % 10]}
        document = {"uri": self.uri, "version": self.version}
        self.client.notify(
            "textDocument/didChange", {"textDocument": document, "contentChanges": [change]}
        )


def timed(client: RawClient, method: str, params: object = None) -> float:
    """Return how long a request takes, in milliseconds."""
    started = time.perf_counter()
    client.result(method, params)
    return (time.perf_counter() - started) * 1e3


def type_and_ask(client: RawClient, typist: Typist, seconds: float) -> dict[str, list[float]]:
    """Type ten times a second and ask in between; return how long the answers took."""
    took: dict[str, list[float]] = {"hunch/status": [], "hunch/search": []}
    started = time.perf_counter()
    typed = 0
    while (elapsed := time.perf_counter() - started) < seconds:
        while typed < elapsed * 10:
            typist.type()
            typed += 1
        took["hunch/status"].append(timed(client, "hunch/status"))
        if typed % 20 == 0:
            took["hunch/search"].append(timed(client, "hunch/search", {"query": "limit of a step"}))
        time.sleep(0.01)
    return took


def memory(client: RawClient) -> tuple[float, float]:
    """Return the resident megabytes of the server and of its workers."""
    server = psutil.Process(client.process.pid)
    workers = sum(child.memory_info().rss for child in server.children(recursive=True))
    return server.memory_info().rss / MEGABYTE, workers / MEGABYTE


def main() -> None:
    """Run both parts and print what they give."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 30
    changes = int(sys.argv[2]) if len(sys.argv) > 2 else 20_000
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "project")
        root.mkdir()
        (root / "operations.py").write_text(program(), "utf-8")
        client = RawClient({"HUNCH_DB": f"{folder}/index.db"})
        client.initialize([root])
        client.until_ready()
        typist = Typist(client, (root / "operations.py").as_uri())
        typist.open(program())
        for method, values in type_and_ask(client, typist, seconds).items():
            p95 = quantiles(values, n=20)[-1]
            print(
                f"{method}: {len(values)} asked, p50 {median(values):.1f} ms, p95 {p95:.1f} ms, most {max(values):.1f} ms"
            )
        for part in range(5):
            print("resident, server and workers: {:.1f} + {:.1f} MB".format(*memory(client)))
            for _ in range(changes // 4 if part < 4 else 0):
                typist.type()
                if typist.version % 50 == 0:
                    client.result("hunch/status")
        client.request("shutdown")
        client.notify("exit")
        client.process.wait(10)


if __name__ == "__main__":
    main()
