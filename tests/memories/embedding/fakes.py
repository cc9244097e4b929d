"""A stub engine, and a loopback server that answers whatever a test tells it to."""

import json
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import uvicorn
from starlette.applications import Starlette

from memories.embedding.batching import Encoded
from memories.embedding.service import listen


class StubEngine:
    """Vectors that tell their text: [length, 1]. `gate` holds each forward pass until it is set."""

    model = "stub@1"
    dimension = 2

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Event()

    def encode(self, texts: Sequence[str]) -> Encoded:
        self.batches.append(list(texts))
        self.entered.set()
        assert self.gate.wait(60)
        if "explode" in texts:
            raise RuntimeError("a bad text")
        return Encoded([[float(len(text)), 1.0] for text in texts], [len(text) for text in texts])


@contextmanager
def running(app: Starlette) -> Iterator[str]:
    """Serve the app on a free port; yields its address once it listens there."""
    bound = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    thread.start()
    try:
        deadline = time.monotonic() + 20
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            assert time.monotonic() < deadline, "the server does not start"
            time.sleep(0.01)
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        bound.close()


Answer = Callable[[dict[str, Any]], tuple[int, bytes]]


@contextmanager
def answering(answer: Answer) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server that gives `answer(body)` to every request; yields its base URL and what it got."""
    got: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            got.append(body | {"authorization": self.headers.get("Authorization")})
            status, content = answer(body)
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args: object) -> None:
            """Keep the tests' output quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", got
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


def vectors_for(body: dict[str, Any], model: str = "fake@1") -> dict[str, Any]:
    """A good answer: one vector [1 + length, 0] a text, in reverse order, as the API allows."""
    data = [
        {"object": "embedding", "index": i, "embedding": [1.0 + len(text), 0.0]}
        for i, text in enumerate(body["input"])
    ]
    return {"object": "list", "model": model, "data": data[::-1]}


OLD, NEW = "team/old", "team/new"
DIMENSIONS = {OLD: 48, NEW: 64}


class TwoModels:
    """A server's answers for two models of different dimensions, by the words of a text.

    `refused`: a text with this word is refused by the new model, alone or among others. `away`:
    models that are not to be had now. `asked` holds (model, texts) in order.
    """

    def __init__(self) -> None:
        self.refused = ""
        self.away: set[str] = set()
        self.asked: list[tuple[str, list[str]]] = []

    def __call__(self, body: dict[str, Any]) -> tuple[int, bytes]:
        name, texts = str(body["model"]), [str(text) for text in body["input"]]
        if name not in DIMENSIONS or name in self.away:
            return 503, b'{"error": {"message": "It is loading."}}'
        self.asked.append((name, texts))
        if name == NEW and self.refused and any(self.refused in text for text in texts):
            return 500, b'{"error": {"message": "A bad text."}}'
        data = [{"index": i, "embedding": worded(text, name)} for i, text in enumerate(texts)]
        return 200, json.dumps({"model": f"{name}@1", "data": data}).encode()


def worded(text: str, name: str) -> list[float]:
    """A vector with a one for each word, at another place for each model."""
    vector = [0.01] * DIMENSIONS[name]
    for word in text.lower().split():
        vector[zlib.crc32(f"{name} {word}".encode()) % len(vector)] += 1.0
    return vector
