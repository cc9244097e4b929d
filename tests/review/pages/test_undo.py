"""Undoing a decision in the browser, from a toast or from history (G3)."""

import uuid

import pytest
from django.test import Client

from hindsight_site.accounts.models import User
from memories.lifecycle import update_memory
from memories.models import Flag, Memory, Space
from memories.permissions import Actor
from review.decisions import decide
from review.models import Decision
from tests.people import conflict, member, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]


@pytest.fixture
def browser(reviewer: User) -> Client:
    return signed_in(reviewer)


@pytest.fixture
def decision(person: Actor, actor: Actor) -> Decision:
    flag = conflict(actor)
    decide(actor=person, flag_id=flag.pk, choice="keep_new", expected_versions=(1, 1))
    made: Decision = Decision.objects.get()
    return made


def address(decision: Decision) -> str:
    return f"/review/decisions/{decision.pk}/undo/"


def test_it_undoes_and_goes_back_to_the_item(browser: Client, decision: Decision) -> None:
    page = browser.post(f"{address(decision)}?kind=conflict", follow=True)
    assert page.redirect_chain == [(f"/review/{decision.flag_id}/?kind=conflict", 302)]
    assert "Undone: the new one is kept." in page.content.decode()
    assert Flag.objects.get().status == "open"


def test_it_goes_back_to_where_it_was_asked_for(browser: Client, decision: Decision) -> None:
    here = f"/memories/{decision.flag.memory_id}/"
    assert browser.post(address(decision), {"next": here})["Location"] == here


@pytest.mark.parametrize("there", ["https://elsewhere.example/", "//elsewhere.example", "", "j:x"])
def test_it_goes_nowhere_else(browser: Client, decision: Decision, there: str) -> None:
    answer = browser.post(address(decision), {"next": there})
    assert answer["Location"] == f"/review/{decision.flag_id}/"


def test_it_says_why_it_cannot_be_undone(
    browser: Client, decision: Decision, person: Actor
) -> None:
    update_memory(
        actor=person, memory_id=decision.flag.memory_id, expected_version=2, content="MySQL 9."
    )
    page = browser.post(address(decision), follow=True).content.decode()
    assert "“MySQL 9.” was changed since" in page
    assert Memory.objects.get(pk=decision.flag.memory_id).content == "MySQL 9."


def test_it_undoes_nothing_by_link(browser: Client, decision: Decision) -> None:
    assert browser.get(address(decision))["Location"] == f"/review/{decision.flag_id}/"
    assert Flag.objects.get().status == "resolved"


def test_a_viewer_cannot_undo(space: Space, decision: Decision) -> None:  # G4
    viewer = signed_in(member(space, "vera", "viewer"))
    assert viewer.post(address(decision)).status_code == 403
    assert Flag.objects.get().status == "resolved"


def test_another_spaces_decision_is_a_missing_one(decision: Decision) -> None:  # D1
    stranger = signed_in(member(Space.objects.create(slug="other", name="Other"), "sten"))
    missing = f"/review/decisions/{uuid.uuid4()}/undo/"
    answers = [stranger.post(url) for url in (address(decision), missing)]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].content == answers[1].content
