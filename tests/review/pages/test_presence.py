"""What happened while a page was open, told without touching what is typed (G3)."""

from datetime import timedelta

import pytest
import time_machine
from django.http import HttpResponse
from django.utils import timezone

from hindsight_site.accounts.models import User
from memories.identity import actor_for_user
from memories.lifecycle import update_memory
from memories.models import Flag, Space
from memories.permissions import Actor
from review.claims import claim
from review.decisions import decide
from review.handling import comment
from review.models import Claim
from tests.people import conflict, member, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]


@pytest.fixture
def flag(actor: Actor) -> Flag:
    return conflict(actor)


@pytest.fixture
def ada(space: Space) -> Actor:
    found = actor_for_user(member(space, "ada"))
    assert found is not None
    return found


def ask(user: User, flag: Flag, **more: str) -> HttpResponse:
    """Ask as the page of a person who has the claim does."""
    answer = signed_in(user).get(
        f"/review/{flag.pk}/presence/", {"mine": "1", "versions": "1 1"} | more
    )
    assert isinstance(answer, HttpResponse)
    return answer


def test_it_says_nothing_when_nothing_happened(reviewer: User, flag: Flag) -> None:
    answer = ask(reviewer, flag)
    assert (answer.status_code, answer.content.decode().strip()) == (200, "")


def test_it_renews_the_claim(reviewer: User, person: Actor, flag: Flag) -> None:
    first = claim(actor=person, flag=flag).expires_at
    with time_machine.travel(timezone.now() + timedelta(minutes=5)):
        ask(reviewer, flag)
    assert Claim.objects.get().expires_at > first


def test_it_says_who_took_it_over(reviewer: User, person: Actor, ada: Actor, flag: Flag) -> None:
    claim(actor=person, flag=flag)
    claim(actor=ada, flag=flag, take_over=True)
    assert "ada took this over" in ask(reviewer, flag).content.decode()
    assert Claim.objects.get().user_id == ada.id


def test_it_says_when_nobody_else_looks_any_more(reviewer: User, ada: Actor, flag: Flag) -> None:
    claim(actor=ada, flag=flag)
    assert "any more" not in ask(reviewer, flag, mine="").content.decode()
    Claim.objects.all().delete()
    assert (
        "Nobody else is looking at this any more." in ask(reviewer, flag, mine="").content.decode()
    )


def test_it_says_what_was_decided_and_asks_no_more(reviewer: User, ada: Actor, flag: Flag) -> None:
    decide(actor=ada, flag_id=flag.pk, choice="keep_old", expected_versions=(1, 1))
    answer = ask(reviewer, flag)
    assert answer.status_code == 286
    assert "ada decided this meanwhile: the old one is kept." in answer.content.decode()


def test_it_says_that_a_memory_changed(reviewer: User, person: Actor, flag: Flag) -> None:
    update_memory(
        actor=person, memory_id=flag.memory_id, expected_version=1, reflection="Seen in the log."
    )
    assert "A memory was changed meanwhile." in ask(reviewer, flag).content.decode()
    assert "changed" not in ask(reviewer, flag, versions="2 1").content.decode()


def test_it_tells_what_others_said_since(
    reviewer: User, person: Actor, ada: Actor, flag: Flag
) -> None:
    seen = comment(actor=ada, flag_id=flag.pk, text="Early.")
    comment(actor=person, flag_id=flag.pk, text="Mine.")
    comment(actor=ada, flag_id=flag.pk, text="<b>Late.</b>")
    said = ask(reviewer, flag, comment=str(seen.pk)).content.decode()
    assert "&lt;b&gt;Late.&lt;/b&gt;" in said
    assert "Early." not in said
    assert "Mine." not in said


def test_a_viewer_claims_nothing(space: Space, flag: Flag) -> None:  # G4
    assert ask(member(space, "vera", "viewer"), flag, mine="").content.decode().strip() == ""
    assert not Claim.objects.exists()


def test_it_knows_nothing_of_another_space(flag: Flag) -> None:  # D1
    stranger = member(Space.objects.create(slug="other", name="Other"), "sten")
    assert ask(stranger, flag).status_code == 404
