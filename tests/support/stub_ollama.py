"""An Ollama that holds no model: a real HTTP server with Ollama's real answers.

Its vectors are deterministic and know nothing but words: texts that share words are near each other.
What it refuses is scripted, for the next requests (`script`) or for texts that hold a word (`poison`).
"""

from __future__ import annotations

import json
import re
import threading
from collections import deque
from hashlib import blake2b
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Trouble = Literal[
    "context", "eof", "eof400", "nan", "nan400", "busy", "too many", "unavailable",
    "drop", "wrong width", "zeros", "infinite", "garbage", "too few", "not a number", "truncated",
]  # fmt: skip
"""What can go wrong with one request."""

_ERRORS: dict[str, tuple[int, str]] = {
    "context": (400, "the input length exceeds the context length"),
    "eof": (500, 'do embedding request: Post "http://127.0.0.1:40123/embedding": EOF'),
    "eof400": (400, 'do embedding request: Post "http://127.0.0.1:40123/embedding": EOF'),
    "nan": (500, "failed to encode response: json: unsupported value: NaN"),
    "nan400": (400, "embedding contains NaN or Inf values"),
    "busy": (503, "server busy, please try again.  maximum pending requests exceeded"),
    "too many": (429, "too many requests"),
    "unavailable": (502, "bad gateway"),
}
_WORD = re.compile(r"\w+")
_PREFIX = re.compile(r"search_(?:document|query): ")
_WEIGHTS = 16


class StubOllama:
    """Use as a context manager: it listens on a port of its own while the block runs.

    Everything may be changed between requests.
    """

    def __init__(
        self,
        *,
        dimensions: int = 768,
        models: tuple[str, ...] = ("nomic-embed-text:latest",),
        delay: float = 0,
    ) -> None:
        self.dimensions = dimensions
        """Length of the vectors."""
        self.digests = {name: blake2b(name.encode(), digest_size=32).hexdigest() for name in models}
        """The models it has, with their digests."""
        self.salt = ""
        """Another one makes other vectors, as another model does."""
        self.delay = delay
        """Seconds that every batch takes."""
        self.max_chars = 0
        """Longer inputs are refused with the context error; 0 takes any length."""
        self.poison: dict[str, Trouble] = {}
        """A word → what goes wrong with every request in which a text holds it."""
        self.script: deque[Trouble | None] = deque()
        """What goes wrong with the next requests, one each; `None` lets one pass."""
        self.batches: list[list[str]] = []
        """The inputs of every request to `/api/embed`, in the order of their arrival."""
        self.arrived = threading.Event()
        """Set whenever a request to `/api/embed` arrives; a test may clear it."""
        self.gate = threading.Event()
        """Requests to `/api/embed` wait until it is set; it is, unless a test clears it."""
        self.gate.set()
        self.hold_after = 0
        """Once so many texts have arrived, the gate closes, this time only; 0 leaves it open."""
        self.busy_most = 0
        """How many requests to `/api/embed` were under way at once, at most."""
        self.connections = 0
        """How many connections were opened."""
        self._busy = 0
        self._lock = threading.Lock()
        self._port = 0
        self._server: ThreadingHTTPServer | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def calls(self) -> int:
        """Count the requests to `/api/embed`."""
        return len(self.batches)

    @property
    def texts(self) -> int:
        """Count the texts in them."""
        return sum(map(len, self.batches))

    def start(self) -> Self:
        """Listen; after `stop`, on the same port again."""
        handler = type("Handler", (_Handler,), {"stub": self})
        self._server = _Server(("127.0.0.1", self._port), handler)
        self._port = self._server.server_port
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self._thread.start()
        return self

    def stop(self) -> None:
        """Be gone, open connections included."""
        if self._server and self._thread:
            self._server.shutdown()
            self._server.close_connections()
            self._server.server_close()
            self._thread.join()
            self._server = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.gate.set()
        self.stop()

    def vector(self, text: str) -> NDArray[np.float64]:
        """Return the unit vector of a text: a few fixed weights for each of its words."""
        vector = np.zeros(self.dimensions)
        for word in _WORD.findall(_PREFIX.sub("", text, count=1).lower()) or [""]:
            digest = np.frombuffer(
                blake2b((word + self.salt).encode(), digest_size=4 * _WEIGHTS).digest(), "<u4"
            )
            np.add.at(vector, digest % self.dimensions, np.where(digest & 0x8000_0000, 1.0, -1.0))
        return vector / (float(np.linalg.norm(vector)) or 1.0)

    def answer(self, model: str, texts: list[str]) -> tuple[int, Any] | None:
        """Return status and body for a batch; `None` drops the connection."""
        if _full_name(model) not in self.digests:
            return 404, {"error": f'model "{model}" not found, try pulling it first'}
        trouble = self._trouble(texts)
        if trouble == "drop":
            return None
        if trouble in _ERRORS:
            status, message = _ERRORS[trouble]
            return status, {"error": message}
        success = self._success(model, texts, trouble)
        if trouble == "truncated":
            return 200, json.dumps(success)[:-200]
        return 200, success

    def _success(self, model: str, texts: list[str], trouble: Trouble | None) -> Any:
        rows = [self.vector(text).round(6).tolist() for text in texts]
        guilty = [any(word in text for word in self.poison) for text in texts]
        if not any(guilty):
            guilty = [True] * len(texts)
        for number, row in enumerate(rows):
            if guilty[number]:
                rows[number] = _spoiled(row, trouble)
        if trouble == "garbage":
            return {"hello": "world"}
        if trouble == "too few":
            rows.pop()
        return {
            "model": model,
            "embeddings": rows,
            "total_duration": 14143917,
            "load_duration": 1019500,
            "prompt_eval_count": sum(len(text) // 4 for text in texts),
        }

    def _trouble(self, texts: list[str]) -> Trouble | None:
        with self._lock:
            if self.script:
                return self.script.popleft()
        if self.max_chars and any(len(text) > self.max_chars for text in texts):
            return "context"
        for word, trouble in self.poison.items():
            if any(word in text for text in texts):
                return trouble
        return None

    def embed(self, request: dict[str, Any]) -> tuple[int, Any] | None:
        """Note a request to `/api/embed`, take the time it takes, and answer it."""
        texts = request["input"] if isinstance(request["input"], list) else [request["input"]]
        with self._lock:
            self.batches.append(texts)
            if self.hold_after and self.texts >= self.hold_after:
                self.hold_after = 0
                self.gate.clear()
            self._busy += 1
            self.busy_most = max(self.busy_most, self._busy)
        self.arrived.set()
        self.gate.wait()
        if self.delay:
            threading.Event().wait(self.delay)
        answer = self.answer(request["model"], texts)
        with self._lock:
            self._busy -= 1
        return answer

    def tags(self) -> Any:
        """Return what `/api/tags` answers."""
        return {
            "models": [
                {
                    "name": name,
                    "model": name,
                    "modified_at": "2025-05-10T08:06:48.639712648-07:00",
                    "size": 274302450,
                    "digest": digest,
                    "details": {"format": "gguf", "family": "nomic-bert"},
                }
                for name, digest in self.digests.items()
            ]
        }


def _spoiled(row: list[float], trouble: Trouble | None) -> list[float]:
    if trouble == "wrong width":
        return row[:-1]
    if trouble == "zeros":
        return [0.0] * len(row)
    if trouble == "infinite":
        return [1e308] * len(row)
    if trouble == "not a number":
        return [float("nan")] * len(row)
    return row


def _full_name(model: str) -> str:
    return model if ":" in model else f"{model}:latest"


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, *arguments: Any) -> None:
        self._open: set[Any] = set()
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def close_connections(self) -> None:
        """Close what clients keep alive."""
        for request in list(self._open):
            self.shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that hang up."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    stub: StubOllama

    def setup(self) -> None:
        super().setup()
        self.stub.connections += 1

    def do_GET(self) -> None:
        if self.path == "/api/version":
            self._send(200, {"version": "0.12.6"})
        elif self.path == "/api/tags":
            self._send(200, self.stub.tags())
        else:
            self._send(404, "404 page not found")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = self.stub.embed(body) if self.path == "/api/embed" else (404, "404 page not found")
        if answer is None:
            self.close_connection = True
        else:
            self._send(*answer)

    def _send(self, status: int, body: Any) -> None:
        content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- the name in http.server
        """Keep quiet."""
