"""Three personas and their space; a stranger in another one. Services are real."""

import contextlib
import os
import signal
import time
from collections.abc import Iterator

import httpx
import pytest
import pytest_django
from django.conf import settings
from django.db import connection
from django.utils import translation

from hindsight_site.accounts.models import User
from memories.identity import actor_for_key, actor_for_user, issue_key
from memories.models import Agent, Membership, Space
from memories.permissions import Actor
from memories.recall import logbook


def pytest_configure() -> None:
    """Ctrl-C can be heard: a shell has what it starts in the background ignore it, for ever."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown() -> None:
    """What a test recalled is written down before its rows are taken away."""
    assert logbook.settled()


@pytest.fixture(scope="session")
def django_db_setup(
    django_db_setup: None, django_db_blocker: pytest_django.DjangoDbBlocker
) -> Iterator[None]:
    """At the end, end the connections that threads of the tests still hold, so that it can go."""
    yield
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


@pytest.fixture(autouse=True)
def _in_english() -> Iterator[None]:
    """Each test begins in the default language, whatever a request in the one before has left."""
    with translation.override(settings.LANGUAGE_CODE):
        yield


@pytest.fixture(scope="session")
def embedder() -> str:
    """The real embedder's URL, once it has loaded its model."""
    url = os.environ["EMBEDDER_URL"]
    health = url.removesuffix("/v1") + "/health"
    deadline = time.monotonic() + 120
    with httpx.Client() as client:
        while time.monotonic() < deadline:
            with contextlib.suppress(httpx.TransportError):
                if client.get(health).status_code == 200:
                    return url
            time.sleep(0.1)
    raise AssertionError(f"the embedder did not become ready at {health}")


@pytest.fixture
def space(db: None) -> Space:
    return Space.objects.create(slug="team", name="Team")


@pytest.fixture
def agent(space: Space) -> Agent:
    return Agent.objects.create(space=space, name="coder")


@pytest.fixture
def agent_key(agent: Agent) -> str:
    return issue_key(agent)[1]


@pytest.fixture
def actor(agent_key: str) -> Actor:
    """The owner: an agent that may read and write."""
    found = actor_for_key(agent_key)
    assert found is not None
    return found


@pytest.fixture
def teammate(space: Space) -> Actor:
    """Another agent of the same space."""
    found = actor_for_key(issue_key(Agent.objects.create(space=space, name="helper"))[1])
    assert found is not None
    return found


@pytest.fixture
def stranger(db: None) -> Actor:
    """An agent of another space."""
    elsewhere = Space.objects.create(slug="elsewhere", name="Elsewhere")
    found = actor_for_key(issue_key(Agent.objects.create(space=elsewhere, name="stranger"))[1])
    assert found is not None
    return found


@pytest.fixture
def reviewer(space: Space) -> User:
    user = User.objects.create_user("rui", password="look-back-1")
    Membership.objects.create(space=space, user=user, role=Membership.Role.REVIEWER)
    return user


@pytest.fixture
def person(reviewer: User) -> Actor:
    """The reviewer as an actor."""
    found = actor_for_user(reviewer)
    assert found is not None
    return found


@pytest.fixture
def admin(space: Space) -> Actor:
    """A space admin as an actor."""
    user = User.objects.create_user("ada", password="look-back-1")
    Membership.objects.create(space=space, user=user, role=Membership.Role.ADMIN)
    found = actor_for_user(user)
    assert found is not None
    return found
