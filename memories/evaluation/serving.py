"""The product's web and MCP processes on free ports of loopback, for as long as they are needed."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from urllib.parse import urlsplit

import httpx
from django.db import connection

PROJECT = Path(__file__).resolve().parent.parent.parent
START = 60.0  # seconds in which a process answers
STOP = 20.0
# Whoever measures must not be told to wait; a second's window keeps the count of calls short.
UNBOUNDED = {"API_RATE": "100000/second"}


class NotServing(Exception):
    """A process ended, or did not answer in time; the text is what it said last."""


@contextmanager
def web() -> Iterator[str]:
    """Serve the pages and REST as `manage.py up` does; yields the address."""
    port = free_port()
    with _running(web_command(port), port, "/health/", UNBOUNDED) as url:
        yield url


@contextmanager
def bridge() -> Iterator[str]:
    """Serve MCP over HTTP; yields the address."""
    port = free_port()
    command = (sys.executable, "manage.py", "run_mcp", "--http")
    with _running(command, port, "/health", {"MCP_PORT": str(port)}) as url:
        yield url


def web_command(port: int) -> Sequence[str]:
    """Return how the web process is started: as hindsight_site.local.product does."""
    return (
        *(sys.executable, "-m", "gunicorn", "hindsight_site.wsgi", "--bind", f"127.0.0.1:{port}"),
        *("--worker-class", "gthread", "--threads", "8", "--graceful-timeout", "5"),
        "--no-control-socket",
    )


def free_port() -> int:
    """Return a port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


@contextmanager
def _running(command: Sequence[str], port: int, health: str, own: dict[str, str]) -> Iterator[str]:
    url = f"http://127.0.0.1:{port}"
    with TemporaryFile() as log:
        process = subprocess.Popen(
            command,
            cwd=PROJECT,
            env=os.environ | {"DATABASE_URL": database_url(), "LOG_LEVEL": "WARNING"} | own,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C is for the command, which then ends this
        )
        try:
            if not _answers(url + health, process):
                log.seek(0)
                raise NotServing(log.read().decode(errors="replace")[-2_000:])
            yield url
        finally:
            process.terminate()
            try:
                process.wait(STOP)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _answers(url: str, process: "subprocess.Popen[bytes]") -> bool:
    """Wait until a process answers; return False when it ends first, or takes too long."""
    until = time.monotonic() + START
    with httpx.Client(trust_env=False) as client:
        while time.monotonic() < until and process.poll() is None:
            with suppress(httpx.TransportError):
                if client.get(url).status_code == 200:
                    return True
            time.sleep(0.1)
    return False


def database_url() -> str:
    """Return DATABASE_URL with the name of the database that this process uses, a test's too."""
    named = urlsplit(os.environ["DATABASE_URL"])
    return named._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
