"""Bridges on this run's test database."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from memories.identity import issue_key
from memories.models import Agent, Space
from memories.permissions import Actor
from tests.mcp_bridge.bridges import Bridge
from tests.mcp_bridge.sessions import (
    Session,
    bridge_environment,
    inside,
    over_http,
    over_stdio,
)


@pytest.fixture(scope="session")
def database_url(django_db_setup: None) -> str:
    """The test database, as other processes reach it."""
    server = os.environ["DATABASE_URL"].rpartition("/")[0]
    return f"{server}/{connection.settings_dict['NAME']}"


@pytest.fixture(scope="session")
def bridge(
    database_url: str, embedder: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Bridge]:
    """An HTTP bridge that all tests of this run share; it must be stopped before the database."""
    log = tmp_path_factory.mktemp("bridge") / "log"
    running = Bridge(bridge_environment(database_url), log).start()
    yield running
    running.stop()


@pytest.fixture
def committed(transactional_db: None) -> None:
    """Other threads and processes must see what the test writes."""


@pytest.fixture
def key(committed: None) -> str:
    """The key of an agent in a new space."""
    return issue_key(Agent.objects.create(space=_space("team"), name="coder"))[1]


@pytest.fixture
def inner(committed: None, embedder: str, actor: Actor) -> Iterator[Session]:
    """A session of the owner with a server in this process."""
    with inside(actor) as session:
        yield session


@pytest.fixture
def http(bridge: Bridge, key: str) -> Iterator[Session]:
    with over_http(bridge.url, key) as session:
        yield session


@pytest.fixture(params=["http", "stdio"])
def session(request: pytest.FixtureRequest, key: str) -> Iterator[Session]:
    """A session over each real transport."""
    with _open(request, key) as opened:
        yield opened


def _open(request: pytest.FixtureRequest, key: str) -> AbstractContextManager[Session]:
    value: Any = request.getfixturevalue
    if request.param == "http":
        return over_http(value("bridge").url, key)
    value("embedder")
    log: Path = value("tmp_path") / "stderr"
    return over_stdio(key, bridge_environment(value("database_url")), log)


def _space(slug: str) -> Space:
    return Space.objects.get_or_create(slug=slug, defaults={"name": slug})[0]
