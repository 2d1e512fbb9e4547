"""How long a search takes, and how long from starting the server to its first answer.

    python tests/benchmarks/latency.py FOLDER [COPIES]

FOLDER is indexed with the built-in embedder, COPIES times over (default 1), each copy with other
names in its code, so that an index of any size can be had from a small folder. A request is the
whole thing: embedding the query, both retrievers, ranking, snippets; 40 queries, three rounds.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles

os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).parent.parent))

from hunch.app import App
from hunch.config import DEFAULTS
from hunch.model import Mode, Query
from hunch.sources import folder
from support.lsp_raw import RawClient

QUERIES = """where are failed requests retried
how is configuration loaded
parse command line arguments
open a database connection
validate user input
write log messages to a file
convert between time zones
error handling and exceptions
thread pool and worker threads
cache with expiry
serialize an object to json
read a file line by line
http headers and cookies
authentication and access tokens
string formatting
compute a hash
sort a list of items
regular expression matching
unit test helpers
memory allocation
event loop and callbacks
render a template
url routing
compression of data
random numbers
dependency injection
build script and packaging
socket timeout
tree traversal
date parsing
lock and mutex
iterate over a map
plugin loading
signal handling
version comparison
get set return new value
buffer
Client.send
parse_args
to_string""".splitlines()


def multiply(root: Path, target: Path, copies: int) -> None:
    """Write copies of a folder's text files; every defined name of copy n ends in `_n`."""
    defined = re.compile(r"\b(def|class|func|function|fn|struct|interface|type|void|int) (\w+)")
    limit = DEFAULTS.index_max_file_bytes
    for file in folder.scan(root, max_file_bytes=limit).files:
        text = getattr(folder.read(root, file.path, max_file_bytes=limit), "text", None)
        for copy in range(copies if text is not None else 0):
            path = target / f"copy{copy}" / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(defined.sub(rf"\1 \2_{copy}", text) if copy else text, "utf-8")


async def searches(root: Path, database: Path) -> None:
    """Index a folder and print the latencies of searches in it."""
    settings = replace(DEFAULTS, embedder="builtin", database=str(database))
    async with await App.open(settings) as app:
        app.index.open_folder(root)
        state = await app.index.until_settled()
        print(f"{state.counts.chunks} chunks, {state.counts.documents} documents")
        for mode in Mode:
            times: list[float] = []
            for _ in range(3):
                for query in QUERIES:
                    started = time.perf_counter()
                    await app.search.search(Query(query, mode=mode, roots=(root,)))
                    times.append((time.perf_counter() - started) * 1e3)
            print(
                f"{mode:9} p50 {median(times):6.1f} ms   p95 {quantiles(times, n=20)[-1]:6.1f} ms"
            )


def first_answer(root: Path, database: Path) -> None:
    """Print the time from starting the server to its first answer, and its memory then."""
    times: list[float] = []
    memory = None
    for _ in range(5):
        started = time.perf_counter()
        client = RawClient({"HUNCH_DB": str(database)})
        client.initialize([root])
        client.result("hunch/search", {"query": QUERIES[0]})
        times.append(time.perf_counter() - started)
        status = Path(f"/proc/{client.process.pid}/status")
        memory = re.search(r"VmRSS:\s+(\d+)", status.read_text()) if status.exists() else None
        client.close()
    print(f"first answer {median(times):.2f} s after the start")
    if memory:
        print(f"resident memory {int(memory[1]) / 1024:.0f} MiB")


def main() -> None:
    """Measure the folder that the first argument names."""
    root, copies = Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory() as scratch:
        target, database = Path(scratch).resolve() / "folder", Path(scratch) / "index.db"
        multiply(root, target, copies)
        asyncio.run(searches(target, database))
        first_answer(target, database)


if __name__ == "__main__":
    main()
