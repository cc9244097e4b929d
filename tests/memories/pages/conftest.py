"""Who looks at the pages of jobs."""

import pytest
from django.test import Client

from hindsight_site.accounts.models import User
from memories.permissions import Actor
from tests.people import signed_in


@pytest.fixture
def boss(admin: Actor) -> Client:
    return signed_in(User.objects.get(username=admin.name))


@pytest.fixture
def watcher(reviewer: User) -> Client:
    """A reviewer: sees everything, starts nothing."""
    return signed_in(reviewer)
