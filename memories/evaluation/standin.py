"""An embedder that knows no model: corpus.vector() by OpenAI's protocol, at once.

With it the product's own way to vectors is measured as it is, without what a model would take.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from memories.evaluation.corpus import vector

STOPPED = 0.05  # seconds between two looks at whether to stop


class _Door(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = enumerate(asked["input"])
        data = [{"index": place, "embedding": vector(text)} for place, text in texts]
        body = json.dumps({"model": asked["model"], "data": data}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: object) -> None:
        """Say nothing: the command's own lines are what a person reads."""


@contextmanager
def standing_in() -> Iterator[str]:
    """Serve vectors on a free port of loopback; yields the base URL."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Door) as server:
        Thread(target=server.serve_forever, args=[STOPPED], daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        finally:
            server.shutdown()
