"""What people do with a flag besides deciding it (G3)."""

import uuid
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from hindsight_site.accounts.models import User
from memories.errors import Invalid, NotAllowed, NotFound, Stale
from memories.identity import actor_for_user
from memories.models import Event, Flag, Membership, Space
from memories.permissions import Actor
from review.claims import claim
from review.decisions import decide
from review.handling import assign, comment, comments_of, people_of, snooze, wake
from review.models import Claim
from tests.people import conflict, member

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]
SERVICES: dict[str, Callable[[Actor, uuid.UUID], object]] = {
    "snooze": lambda who, key: snooze(actor=who, flag_id=key, until=later()),
    "wake": lambda who, key: wake(actor=who, flag_id=key),
    "assign": lambda who, key: assign(actor=who, flag_id=key, user_id=None),
    "comment": lambda who, key: comment(actor=who, flag_id=key, text="Hm."),
}


def later(hours: float = 24) -> datetime:
    return timezone.now() + timedelta(hours=hours)


def verbs() -> list[str]:
    return list(Event.objects.order_by("id").values_list("verb", flat=True))


@pytest.fixture
def flag(actor: Actor) -> Flag:
    return conflict(actor)


def test_it_puts_a_flag_off(person: Actor, flag: Flag) -> None:
    until = later()
    snooze(actor=person, flag_id=flag.pk, until=until)
    flag.refresh_from_db()
    assert flag.snoozed_until == until
    assert verbs()[-1] == "snoozed"


def test_it_lets_go_of_what_is_put_off(person: Actor, flag: Flag) -> None:
    claim(actor=person, flag=flag)
    snooze(actor=person, flag_id=flag.pk, until=later())
    assert not Claim.objects.exists()


@pytest.mark.parametrize("hours", [-1, 24 * 400])
def test_it_refuses_a_time_that_is_past_or_far_away(
    person: Actor, flag: Flag, hours: float
) -> None:
    with pytest.raises(Invalid, match="between now and a year from now"):
        snooze(actor=person, flag_id=flag.pk, until=later(hours))


def test_it_wakes_once(person: Actor, flag: Flag) -> None:
    snooze(actor=person, flag_id=flag.pk, until=later())
    for _again in range(2):
        assert wake(actor=person, flag_id=flag.pk).snoozed_until is None
    assert verbs().count("woken") == 1


def test_it_says_who_should_decide(person: Actor, space: Space, flag: Flag) -> None:
    ada = member(space, "ada")
    assign(actor=person, flag_id=flag.pk, user_id=ada.pk)
    flag.refresh_from_db()
    assert flag.assignee == ada
    assert Event.objects.latest("id").data["to"] == "ada"
    assert assign(actor=person, flag_id=flag.pk, user_id=None).assignee is None


def test_it_names_only_somebody_who_may_decide_here(
    person: Actor, space: Space, flag: Flag
) -> None:
    elsewhere = Space.objects.create(slug="other", name="Other")
    for somebody in (member(space, "vera", "viewer"), member(elsewhere, "sten")):
        with pytest.raises(Invalid, match="may decide in this space"):
            assign(actor=person, flag_id=flag.pk, user_id=somebody.pk)


def test_it_knows_who_may_decide(person: Actor, reviewer: User, space: Space) -> None:
    ada = member(space, "ada", "admin")
    member(space, "vera", "viewer")
    gone = member(space, "gone")
    gone.is_active = False
    gone.save()
    # Of two roles, each in a space of its own, only the one here counts.
    other = Space.objects.create(slug="other", name="Other")
    Membership.objects.create(space=other, user=ada, role="reviewer")
    assert list(people_of(person)) == [ada, reviewer]


def test_it_keeps_what_people_say_in_order(person: Actor, flag: Flag) -> None:
    comment(actor=person, flag_id=flag.pk, text="  Which cluster? ")
    comment(actor=person, flag_id=flag.pk, text="Staging.")
    assert [said.text for said in comments_of(flag)] == ["Which cluster?", "Staging."]
    assert comments_of(flag)[0].user_name == "rui"
    assert verbs()[-1] == "commented"


@pytest.mark.parametrize("text", ["", "   ", "x" * 2001])
def test_it_refuses_a_comment_of_no_or_too_many_words(person: Actor, flag: Flag, text: str) -> None:
    with pytest.raises(Invalid, match="1 to 2000 characters"):
        comment(actor=person, flag_id=flag.pk, text=text)


def test_it_talks_on_about_what_is_decided_but_does_not_put_it_off(
    person: Actor, flag: Flag
) -> None:
    decide(actor=person, flag_id=flag.pk, choice="keep_new", expected_versions=(1, 1))
    comment(actor=person, flag_id=flag.pk, text="Thank you.")
    for refused in ("snooze", "wake", "assign"):
        with pytest.raises(Stale, match="decided already"):
            SERVICES[refused](person, flag.pk)


@pytest.mark.parametrize("name", SERVICES)
def test_it_is_for_people_who_may_decide(
    name: str, actor: Actor, space: Space, flag: Flag
) -> None:  # F5, G4
    viewer = actor_for_user(member(space, "vera", "viewer"))
    assert viewer is not None
    for who in (actor, viewer):
        with pytest.raises(NotAllowed):
            SERVICES[name](who, flag.pk)


@pytest.mark.parametrize("name", SERVICES)
def test_it_knows_nothing_of_another_space(name: str, flag: Flag) -> None:  # D1
    elsewhere = Space.objects.create(slug="other", name="Other")
    sten = actor_for_user(member(elsewhere, "sten"))
    assert sten is not None
    for key in (flag.pk, uuid.uuid4()):
        with pytest.raises(NotFound, match="no such review item"):
            SERVICES[name](sten, key)
