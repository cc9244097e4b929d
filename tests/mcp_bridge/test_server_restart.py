"""PostgreSQL dies and comes back under open sessions; it is a server of these tests' own."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from hindsight_site.local import bootstrap
from hindsight_site.local.postgres import Postgres
from hindsight_site.local.system import make_home
from tests.hindsight_site.local.helpers import kill
from tests.mcp_bridge.bridges import Bridge
from tests.mcp_bridge.sessions import Session, bridge_environment, over_http, over_stdio
from tests.services import PROJECT

SEED = """
from memories.identity import issue_key
from memories.models import Agent, Space
space = Space.objects.create(slug="s", name="S")
print(issue_key(Agent.objects.create(space=space, name="a"))[1])
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    home = tmp_path_factory.mktemp("restart") / "home"
    make_home(home)
    postgres = bootstrap.postgres(home)
    postgres.start()
    yield postgres
    postgres.stop()


def manage(environment: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=PROJECT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout


@pytest.fixture(scope="module")
def environment(server: Postgres, embedder: str) -> dict[str, str]:
    url = server.url()
    assert url is not None
    environment = bridge_environment(url)
    manage(environment, "migrate", "--verbosity", "0")
    return environment


@pytest.fixture(scope="module")
def sessions(
    environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[Session]]:
    """One open session over each transport, on one database; they live through all tests here."""
    key = manage(environment, "shell", "--verbosity", "0", "-c", SEED).strip().splitlines()[-1]
    logs: Path = tmp_path_factory.mktemp("logs")
    bridge = Bridge(environment, logs / "http").start()
    with ExitStack() as stack:
        stack.callback(bridge.stop)
        yield [
            stack.enter_context(over_http(bridge.url, key)),
            stack.enter_context(over_http(bridge.url, key, "legacy")),
            stack.enter_context(over_stdio(key, environment, logs / "stdio")),
        ]


def written_by(session: Session) -> str:
    said = session.said("write_memory", content="The cat is called Miso.", source="user_input")
    return str(said["memory"]["id"])


def test_it_waits_for_a_server_that_was_killed(sessions: list[Session], server: Postgres) -> None:
    known = written_by(sessions[0])
    kill(server.pid())
    starter = threading.Thread(target=server.start)
    starter.start()
    for session in sessions:
        assert session.said("get_memory", memory_id=known)["memory"]["id"] == known
        assert written_by(session) == known
    starter.join()


def test_it_says_when_a_server_stays_away_and_goes_on_when_it_is_back(
    sessions: list[Session], server: Postgres
) -> None:
    known = written_by(sessions[0])
    server.stop()
    with ThreadPoolExecutor() as together:
        said = list(
            together.map(lambda session: session.refused("get_memory", memory_id=known), sessions)
        )
    server.start()
    assert all("not available at the moment" in one for one in said)
    for session in sessions:
        assert session.said("get_memory", memory_id=known)["memory"]["id"] == known
