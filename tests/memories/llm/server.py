"""A loopback server that speaks chat completions and says whatever a test tells it to."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pytest_django import Settings

from memories.llm.client import client_for


@dataclass(frozen=True)
class Sent:
    """One HTTP response. `cut` ends the connection before its last byte; `drip` waits so many
    seconds before each byte.
    """

    status: int = 200
    content: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False
    drip: float = 0.0


Answer = Sent | Callable[[dict[str, Any]], Sent]


@dataclass
class FakeLlm:
    """`got` are the requests so far, as bodies with their `path` and `authorization`."""

    url: str
    got: list[dict[str, Any]]

    def configure(self, settings: Settings) -> None:
        """Make it the project's LLM for one test, with a client that remembers no other server."""
        client_for.cache_clear()
        settings.LLM_BASE_URL, settings.LLM_MODEL = self.url, "fake"
        settings.LLM_API_KEY = "sk-of-the-tests"


def says(text: Any, **message: Any) -> Sent:
    """A chat completion; what is not text is said as JSON. `message` changes the message."""
    said = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
    return completion({"role": "assistant", "content": said} | message)


def completion(message: Any, finish_reason: str | None = "stop") -> Sent:
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    return raw({"id": "c-1", "object": "chat.completion", "model": "fake", "choices": [choice]})


def raw(body: Any, status: int = 200, **headers: str) -> Sent:
    """Any JSON under any status; retry_after="3" becomes a header."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Sent(status, json.dumps(body).encode(), named)


def fails(status: int, code: str = "", **headers: str) -> Sent:
    """An error as servers of this kind send it, with the user's words in its sentence."""
    error = {"message": "cannot answer: I live in Lisbon", "type": "error", "code": code or None}
    return raw({"error": error}, status, **headers)


def only(*forms: str, refused: int = 400) -> Callable[[Sent], Callable[[dict[str, Any]], Sent]]:
    """A server that takes only these forms ("json_schema", "json_object", "text")."""

    def answering(answer: Sent) -> Callable[[dict[str, Any]], Sent]:
        return lambda body: answer if form_of(body) in forms else fails(refused)

    return answering


def form_of(body: Mapping[str, Any]) -> str:
    """The form in which a request asks for JSON."""
    return str(body.get("response_format", {"type": "text"})["type"])


def pieces(sent: Sent) -> Iterator[bytes]:
    if not sent.drip:
        yield sent.content
        return
    for byte in sent.content:
        time.sleep(sent.drip)
        yield bytes([byte])


@contextmanager
def llm(*answers: Answer) -> Iterator[FakeLlm]:
    """Serve the answers, one a request; the last one again and again."""
    fake = FakeLlm("", [])

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # head and body are sent apart

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            place = min(len(fake.got), len(answers) - 1)
            heard = {"path": self.path, "authorization": self.headers.get("Authorization")}
            fake.got.append(body | heard)
            answer = answers[place]
            self.reply(answer if isinstance(answer, Sent) else answer(body))

        def reply(self, sent: Sent) -> None:
            self.send_response(sent.status)
            for name, value in sent.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(sent.content) + sent.cut))
            self.end_headers()
            self.close_connection = sent.cut
            try:
                for piece in pieces(sent):
                    self.wfile.write(piece)
            except OSError:
                self.close_connection = True  # the client has gone meanwhile

        def log_message(self, *args: object) -> None:
            """Keep the tests' output quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    fake.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
