"""A process that ends in good order has written down every recall it answered (C6)."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import httpx
import pytest

from memories.models import Recall
from memories.permissions import Actor
from tests.mcp_bridge.bridges import Bridge
from tests.mcp_bridge.sessions import bridge_environment, over_http, over_stdio
from tests.memories.recall.helpers import jot
from tests.services import PROJECT, free_port

ASKED = 7
STOPS = [signal.SIGTERM, signal.SIGINT]
COMMAND = """
from memories.identity import actor_for_key
from memories.recall import recall
for _n in range({asked}):
    recall(actor=actor_for_key("{key}"), query="docker")
{end}
"""


@pytest.fixture
def environment(committed: None, database_url: str, actor: Actor) -> dict[str, str]:
    """For processes on the test database, which holds something to find, without an embedder."""
    jot(actor, "deploy with docker")
    return bridge_environment(database_url, EMBEDDER_URL="http://127.0.0.1:9/v1")


@pytest.mark.parametrize("stop", STOPS)
def test_the_bridge_loses_no_recall_over_http(
    environment: dict[str, str], agent_key: str, tmp_path: Path, stop: signal.Signals
) -> None:
    bridge = Bridge(environment, tmp_path / "log").start()
    assert bridge.process is not None
    try:
        with over_http(bridge.url, agent_key) as session:
            for _n in range(ASKED):
                session.said("search_memory", query="docker")
            bridge.process.send_signal(stop)
    finally:
        bridge.stop()
    assert Recall.objects.count() == ASKED


def test_the_bridge_loses_no_recall_over_stdio(
    environment: dict[str, str], agent_key: str, tmp_path: Path
) -> None:
    with over_stdio(agent_key, environment, tmp_path / "log") as session:
        for _n in range(ASKED):
            session.said("search_memory", query="docker")
    assert Recall.objects.count() == ASKED


@pytest.mark.parametrize("stop", STOPS)
def test_the_web_process_loses_no_recall(
    environment: dict[str, str], agent_key: str, tmp_path: Path, stop: signal.Signals
) -> None:
    with _web(environment, tmp_path / "log") as (url, process):
        for _n in range(ASKED):
            answer = httpx.post(
                f"{url}/api/v1/search",
                json={"query": "docker"},
                headers={"Authorization": f"Bearer {agent_key}"},
                trust_env=False,
                timeout=30,
            )
            assert answer.status_code == 200, answer.text
        process.send_signal(stop)
        process.wait(30)
    assert Recall.objects.count() == ASKED


@pytest.mark.parametrize("end", ["", "raise KeyboardInterrupt"])
def test_a_command_loses_no_recall(environment: dict[str, str], agent_key: str, end: str) -> None:
    code = COMMAND.format(asked=ASKED, key=agent_key, end=end)
    shell = [sys.executable, "manage.py", "shell", "--command", code]
    done = subprocess.run(
        shell, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False
    )
    assert Recall.objects.count() == ASKED, done.stderr


@contextmanager
def _web(environment: dict[str, str], log: Path) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """Serve the site as manage.py up does."""
    url = f"127.0.0.1:{free_port()}"
    argv = [
        *(sys.executable, "-m", "gunicorn", "hindsight_site.wsgi", "--bind", url),
        *("--worker-class", "gthread", "--threads", "4", "--graceful-timeout", "5"),
        "--no-control-socket",
    ]
    with log.open("wb") as out:
        process = subprocess.Popen(argv, cwd=PROJECT, env=environment, stdout=out, stderr=out)
    try:
        _wait(f"http://{url}/health/", log)
        yield f"http://{url}", process
    finally:
        process.terminate()
        process.wait(30)


def _wait(url: str, log: Path) -> None:
    deadline = monotonic() + 60
    with httpx.Client(trust_env=False) as client:
        while monotonic() < deadline:
            try:
                client.get(url)
            except httpx.TransportError:
                sleep(0.1)
            else:
                return
    raise AssertionError(f"no answer: {log.read_text()}")
