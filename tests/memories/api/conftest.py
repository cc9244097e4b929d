"""Callers for the three personas; Redis is emptied so that no run is throttled by another."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache
from rest_framework.test import APIClient

from hindsight_site.accounts.models import User
from memories.identity import issue_key
from memories.models import Agent, Space
from tests.memories.api.client import Caller


@pytest.fixture(autouse=True)
def _fresh_counts() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def owner(embedder: str, agent_key: str) -> Caller:
    return Caller(agent_key)


@pytest.fixture
def record(agent_key: str) -> Caller:
    """The owner, where no embedder is needed."""
    return Caller(agent_key)


@pytest.fixture
def mate(space: Space) -> Caller:
    """Another agent of the space."""
    return Caller(issue_key(Agent.objects.create(space=space, name="mate"))[1])


@pytest.fixture
def outsider(db: None) -> Caller:
    """An agent of another space."""
    space = Space.objects.create(slug="far", name="Far")
    return Caller(issue_key(Agent.objects.create(space=space, name="outsider"))[1])


@pytest.fixture
def curator(reviewer: User) -> Caller:
    """A reviewer, signed in; CSRF is not checked (test_auth does that)."""
    client = APIClient()
    client.force_login(reviewer, "django.contrib.auth.backends.ModelBackend")
    return Caller(client=client)
