"""An embedder that knows no model: vectors.vector() by OpenAI's protocol, at once.

With it the product's own way to vectors is measured as it is, without what a model would take; or
with what it takes, when a real embedder stands behind it, whose vectors would not lie as those of
the corpus do. It runs in a process of its own, as an embedder does.
"""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing import get_context
from multiprocessing.connection import Connection

import django
from django.conf import settings

from memories.embedding.client import EmbedderClient, EmbedderDown
from memories.embedding.profiles import profile_for
from memories.evaluation.vectors import vector

MODEL = "stand-in/multilingual-e5-small"
"""What the vectors are called: thresholds as e5 has, and never taken for the model's own."""
_PREFIX = profile_for(MODEL).prefix


@dataclass(frozen=True, slots=True)
class Embedder:
    """An embedding server, and the model that is asked for."""

    url: str
    api_key: str
    model: str

    def client(self) -> EmbedderClient:
        return EmbedderClient(self.url, api_key=self.api_key, model=self.model)


def configured() -> Embedder:
    """Return the embedder that the settings name."""
    return Embedder(settings.EMBEDDER_URL, settings.EMBEDDER_API_KEY, settings.EMBEDDING_MODEL)


class _Door(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # One packet an answer: a second one would wait for the client's delayed acknowledgement.
    wbufsize = -1
    disable_nagle_algorithm = True

    def __init__(self, client: EmbedderClient | None, *args: object) -> None:
        self._client = client
        super().__init__(*args)  # type: ignore[arg-type]  # as the server calls it

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = [text.removeprefix(_PREFIX) for text in asked["input"]]
        try:
            if self._client:
                self._client.embed(texts)
        except EmbedderDown as error:
            self._answer(503, {"error": {"message": str(error)}})
            return
        data = [{"index": place, "embedding": vector(text)} for place, text in enumerate(texts)]
        self._answer(200, {"model": asked["model"], "data": data})

    def _answer(self, status: int, content: object) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: object) -> None:
        """Say nothing: the command's own lines are what a person reads."""


class _Server(ThreadingHTTPServer):
    # So many callers may come at once; of more than the five that are usual one is turned away.
    request_queue_size = 128


@contextmanager
def standing_in(behind: Embedder | None = None) -> Iterator[str]:
    """Serve vectors on a free port of loopback, as late as `behind` would; yields the base URL."""
    spawn = get_context("spawn")
    receiver, sender = spawn.Pipe(duplex=False)
    process = spawn.Process(target=_serve, args=(sender, behind), daemon=True)
    process.start()
    sender.close()
    try:
        yield f"http://127.0.0.1:{receiver.recv()}/v1"
    finally:
        process.terminate()
        process.join()


def _serve(sender: Connection, behind: Embedder | None) -> None:
    # Ctrl-C reaches every process of the terminal; the command ends this one when it is done.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if behind:
        django.setup()  # its client tells in the user's language what went wrong
    door = partial(_Door, behind.client() if behind else None)
    with _Server(("127.0.0.1", 0), door) as server:
        sender.send(server.server_address[1])
        server.serve_forever()


@contextmanager
def embedding_by_standin(behind: Embedder | None = None) -> Iterator[None]:
    """Let this process and those it starts embed at a stand-in."""
    usual, named = settings.EMBEDDER_URL, os.environ.get("EMBEDDER_URL", "")
    with standing_in(behind) as url:
        settings.EMBEDDER_URL = os.environ["EMBEDDER_URL"] = url
        try:
            yield
        finally:
            settings.EMBEDDER_URL, os.environ["EMBEDDER_URL"] = usual, named or usual
