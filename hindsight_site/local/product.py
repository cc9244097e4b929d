"""Which programs the product consists of, where they listen and how each shows it has loaded."""

import http.client
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .processes import Look, Program
from .system import PROJECT, LocalError, port_is_free


@dataclass(frozen=True, kw_only=True)
class Ports:
    """The ports of one run, all on 127.0.0.1; `embedder` is None when another server embeds."""

    web: int
    mcp: int
    embedder: int | None

    @classmethod
    def from_environment(cls) -> "Ports":
        """Read WEB_PORT, MCP_PORT and EMBEDDER_PORT; raises LocalError when one cannot be used."""
        own_embedder = not os.environ.get("EMBEDDER_URL")
        return cls(
            web=_usable_port("WEB_PORT", 8000),
            mcp=_usable_port("MCP_PORT", 8765),
            embedder=_usable_port("EMBEDDER_PORT", 8001) if own_embedder else None,
        )


def _usable_port(variable: str, default: int) -> int:
    text = os.environ.get(variable) or str(default)
    if not text.isdigit() or not 0 < int(text) < 65_536:
        raise LocalError(f"{variable} is {text!r}: set it to a port number from 1 to 65535.")
    if not port_is_free(int(text)):
        raise LocalError(
            f"Port {text} cannot be used, probably because another program listens there: end that "
            f"program, or set {variable} to a free port."
        )
    return int(text)


def get(port: int, path: str) -> tuple[int, bytes]:
    """Return status and body of 127.0.0.1:port `path`, 0 without an answer; uses no proxy."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read()
    except (OSError, http.client.HTTPException):
        return 0, b""
    finally:
        connection.close()


def _answers(port: int, path: str) -> Callable[[float], Look]:
    """Return a look at whether a program answers GET `path` with 200."""
    return lambda _: Look(ready=get(port, path)[0] == 200)


def _has_written(folder: Path, pattern: str) -> Callable[[float], Look]:
    """Return a look at whether a program has written its file since it was started."""

    def look(started: float) -> Look:
        # File systems round the time of a change; loading takes longer than this.
        return Look(any(path.stat().st_mtime > started - 0.02 for path in folder.glob(pattern)))

    return look


def _look_at_embedder(port: int) -> Look:
    """Tell the phase of loading; one that failed for now is no reason to keep people waiting."""
    status, body = get(port, "/health")
    if status != 503:
        return Look(ready=status == 200)
    told = json.loads(body)
    if told["status"] != "failed":
        return Look(ready=False, note=told["phase"])
    return Look(
        ready=True,
        note=f"the model did not load and is tried again: {told['reason']} Until then, recall "
        "works by keywords and recency.",
    )


def programs(home: Path, ports: Ports) -> list[Program]:
    """Return the programs of the product, in the order they are started."""
    python, manage, run = sys.executable, str(PROJECT / "manage.py"), home / "run"
    celery = (python, "-m", "celery", "-A", "hindsight_site")
    web = (
        *(python, "-m", "gunicorn", "hindsight_site.wsgi", "--bind", f"127.0.0.1:{ports.web}"),
        *("--worker-class", "gthread", "--threads", "8", "--graceful-timeout", "5"),
        "--no-control-socket",
    )
    worker = (
        *(*celery, "worker", "--pool", "threads", "--concurrency", "2", "--loglevel", "INFO"),
        *("--include", "hindsight_site.local.worker_ready", "--without-gossip", "--without-mingle"),
    )
    beat = (*celery, "beat", "--schedule", str(run / "beat"), "--pidfile", "", "--loglevel", "INFO")
    mcp = (python, manage, "run_mcp", "--http")
    return [
        Program(name="web", argv=web, look=_answers(ports.web, "/health/")),
        Program(name="mcp", argv=mcp, look=_answers(ports.mcp, "/health")),
        Program(name="worker", argv=worker, look=_has_written(run, "worker-ready")),
        Program(name="beat", argv=beat, look=_has_written(run, "beat*")),
    ]


def embedder(port: int) -> Program:
    """Return the program that computes embeddings; it needs neither database nor Redis."""
    argv = (sys.executable, str(PROJECT / "manage.py"), "run_embedder")
    return Program(name="embedder", argv=argv, look=lambda _: _look_at_embedder(port))
