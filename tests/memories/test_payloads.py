"""What every door tells of a memory's age (A5, E5)."""

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from memories.models import Memory
from memories.payloads import memory_payload
from memories.permissions import Actor
from memories.reading import get_memory, memories_of
from review.queue import flags_of
from tests.memories.lifecycle.old import aging, old
from tests.review.flags import opened

pytestmark = pytest.mark.django_db


def warm(actor: Actor, content: str = "The cache is cleared on deploy.") -> Memory:
    """Store a memory whose heat was 4 when it was recalled 30 days ago."""
    since = timezone.now() - timedelta(days=30)
    return old(actor, content, heat=4.0, last_recalled_at=since)


def test_it_tells_what_is_left_of_the_heat(actor: Actor) -> None:  # E5
    memory = get_memory(actor=actor, memory_id=warm(actor).pk)
    assert memory_payload(memory)["heat"] == 2.0


def test_it_cools_as_the_space_says(actor: Actor) -> None:  # E5
    aging(actor, half_life_days=15)
    memory = warm(actor)
    assert memory_payload(get_memory(actor=actor, memory_id=memory.pk))["heat"] == 1.0
    assert memory_payload(memory)["heat"] == 1.0


def test_another_number_of_the_policy_leaves_the_half_life(actor: Actor) -> None:
    aging(actor, season_days=3)
    assert memory_payload(get_memory(actor=actor, memory_id=warm(actor).pk))["heat"] == 2.0


def test_a_list_asks_once(actor: Actor, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    for number in range(3):
        warm(actor, f"Cache {number}.")
    with django_assert_num_queries(1):
        told = [memory_payload(memory) for memory in memories_of(actor)]
    assert [one["heat"] for one in told] == [2.0] * 3


def test_the_queue_asks_no_policy_for_each_memory(
    actor: Actor, person: Actor, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    opened(actor, "feedback", "wrong", warm(actor))
    (flag,) = flags_of(person)
    with django_assert_num_queries(0):
        assert memory_payload(flag.memory)["heat"] == 2.0


def test_it_tells_of_pin_and_expiry(actor: Actor) -> None:  # A5
    until = timezone.now()
    told = memory_payload(old(actor, pinned=True, expires_at=until))
    assert (told["pinned"], told["expires_at"]) == (True, until.isoformat())
