"""Claims: one person at a time (G3)."""

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from memories.errors import NotAllowed
from memories.identity import actor_for_user
from memories.models import Flag, Space
from memories.permissions import Actor
from review.claims import claim, claimed_by_other
from review.models import Claim
from tests.people import conflict, member

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]


@pytest.fixture
def flag(actor: Actor) -> Flag:
    return conflict(actor)


@pytest.fixture
def ada(space: Space) -> Actor:
    found = actor_for_user(member(space, "ada"))
    assert found is not None
    return found


def test_it_leaves_a_flag_to_whoever_came_first(person: Actor, ada: Actor, flag: Flag) -> None:
    claim(actor=person, flag=flag)
    assert claim(actor=ada, flag=flag).user_id == person.id


def test_it_hands_over_on_request(person: Actor, ada: Actor, flag: Flag) -> None:
    claim(actor=person, flag=flag)
    assert claim(actor=ada, flag=flag, take_over=True).user_id == ada.id
    assert Claim.objects.count() == 1


def test_it_lapses(person: Actor, ada: Actor, flag: Flag) -> None:
    claim(actor=person, flag=flag)
    with time_machine.travel(timezone.now() + timedelta(minutes=10, seconds=1)):
        assert claimed_by_other(Flag.objects.get(pk=flag.pk), ada) is None
        assert claim(actor=ada, flag=flag).user_id == ada.id


def test_it_is_renewed_by_looking_again(person: Actor, flag: Flag) -> None:
    first = claim(actor=person, flag=flag).expires_at
    with time_machine.travel(timezone.now() + timedelta(minutes=5)):
        assert claim(actor=person, flag=flag).expires_at > first


def test_it_is_only_for_people_who_may_decide(actor: Actor, flag: Flag) -> None:  # F5
    with pytest.raises(NotAllowed):
        claim(actor=actor, flag=flag)


def test_it_is_seen_by_others_only(person: Actor, ada: Actor, flag: Flag) -> None:
    claim(actor=person, flag=flag)
    seen = Flag.objects.get(pk=flag.pk)
    assert claimed_by_other(seen, person) is None
    held = claimed_by_other(seen, ada)
    assert held is not None
    assert held.user_id == person.id
