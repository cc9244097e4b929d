"""What each program shows while it loads, and what people are told about it."""

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hindsight_site.local.announce import Ready, block, http_client, stdio_client
from hindsight_site.local.processes import Look
from hindsight_site.local.product import Ports, embedder, programs

from .helpers import free_port

READY = Ready(
    web_url="http://127.0.0.1:8000/",
    api_url="http://127.0.0.1:8000/api/v1/",
    mcp_url="http://127.0.0.1:8765/mcp",
    embedder_url="http://127.0.0.1:8001/v1",
    username="demo",
    password="look-back",
    agent_key="hs_key",
    space="demo",
)


@contextmanager
def answering(status: int, body: dict[str, Any]) -> Iterator[int]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, *arguments: Any) -> None:
            """Keep the tests' output readable."""

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def look_at_embedder(code: int, **body: str) -> Look:
    with answering(code, body) as port:
        return embedder(port).look(0)


def test_it_tells_the_phase_in_which_the_embedder_loads() -> None:
    seen = look_at_embedder(503, status="loading", phase="unpacking", reason="")
    assert seen == Look(ready=False, note="unpacking")


def test_it_sees_when_the_embedder_has_loaded() -> None:
    assert look_at_embedder(200, status="ready") == Look(ready=True)


def test_it_goes_on_without_a_model_and_says_what_that_means() -> None:
    seen = look_at_embedder(503, status="failed", phase="failed", reason="No weights.")
    assert seen.ready
    assert "No weights. Until then, recall works by keywords" in seen.note


def test_it_sees_that_nobody_answers_yet() -> None:
    assert embedder(free_port()).look(0) == Look(ready=False)


def test_it_takes_only_a_file_of_this_start_for_a_sign_of_the_worker(home: Path) -> None:
    ports = Ports(web=1, mcp=2, embedder=None)
    worker = next(found for found in programs(home, ports) if found.name == "worker")
    sign = home / "run" / "worker-ready"
    assert not worker.look(0).ready
    sign.write_text("1")
    assert worker.look(sign.stat().st_mtime - 1).ready
    assert not worker.look(sign.stat().st_mtime + 1).ready


def test_it_gives_clients_a_configuration_to_copy() -> None:
    text = block(READY, stdio=stdio_client(READY, command=["python", "manage.py"], environment={}))
    assert http_client(READY) in text
    server = json.loads(http_client(READY))["mcpServers"]["hindsight"]
    assert server["url"] == READY.mcp_url
    assert server["headers"] == {"Authorization": "Bearer hs_key"}


def test_it_gives_a_bridge_its_key_by_the_environment() -> None:
    told = stdio_client(READY, command=["python", "manage.py", "run_mcp"], environment={"A": "b"})
    server = json.loads(told)["mcpServers"]["hindsight"]
    assert (server["command"], server["args"]) == ("python", ["manage.py", "run_mcp"])
    assert server["env"] == {"A": "b", "HINDSIGHT_AGENT_KEY": "hs_key"}
