"""Small things that several tests of this room need."""

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hindsight_site.local.system import alive


def kill(pid: int | None) -> None:
    """End a process the hard way and wait until it is gone."""
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not alive(pid))


def wait_until(condition: Callable[[], object], *, seconds: float = 30) -> None:
    """Poll until the condition holds; fail when it never does."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.05)


@contextmanager
def listening(port: int = 0) -> Iterator[int]:
    """Occupy a port of the loopback interface; yields its number."""
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(("127.0.0.1", port))
        server.listen()
        yield server.getsockname()[1]


def free_port() -> int:
    """Return a port that nobody uses at the moment."""
    with listening() as port:
        return port
