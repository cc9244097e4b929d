"""Deciding for many in the browser: preview, confirm, watch, undo (G3)."""

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from hindsight_site.accounts.models import User
from memories.lifecycle import update_memory
from memories.models import Flag, Memory, Space
from memories.models.memory import Status
from memories.permissions import Actor
from review import bulk
from review.bulk import starting
from review.models import Batch, Decision
from tests.people import conflict, member, signed_in
from tests.review.flags import opened
from tests.review.many import complaints, remembered

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]


@pytest.fixture
def browser(reviewer: User) -> Client:
    return signed_in(reviewer)


def asked(browser: Client, flags: list[Flag], choice: str = "keep", **more: str) -> HttpResponse:
    form = {"flag": [str(flag.pk) for flag in flags], "choice": choice} | more
    answer = browser.post("/review/bulk/", form, follow=True)
    assert isinstance(answer, HttpResponse)
    return answer


def post(browser: Client, what: str) -> str:
    (batch,) = Batch.objects.all()
    answer = browser.post(f"/review/batches/{batch.pk}/{what}/", follow=True)
    return str(answer.content.decode())


def test_a_preview_says_what_would_happen(browser: Client, actor: Actor) -> None:  # G2
    flags = [*complaints(actor, 2), conflict(actor)]
    page = asked(browser, flags, "reject", reason="wrong", note="all of it").content.decode()
    assert "<h1>Reject as “wrong”: 3 items</h1>" in page
    assert "<dt>negative feedback</dt><dd>2</dd>" in page
    assert "2 × active → overturned" in page
    assert "1 × pending → overturned" in page
    assert "Room 1 seats 4 people." in page
    assert "all of it" in page
    assert "Decide 3 items" in page
    assert not Decision.objects.exists()


def test_it_tells_the_effect_of_the_reason(browser: Client, actor: Actor) -> None:
    page = asked(browser, complaints(actor, 1), "reject", reason="private").content.decode()
    assert "1 × active → deleted" in page


def test_a_memory_is_text_and_never_html(browser: Client, actor: Actor) -> None:  # F2
    memory = remembered(actor, "<script>alert(1)</script>")
    page = asked(browser, [opened(actor, "feedback", "wrong", memory)]).content.decode()
    assert "&lt;script&gt;" in page
    assert "<script>alert" not in page


def test_it_says_what_cannot_be_decided_and_why(browser: Client, actor: Actor) -> None:
    pair = conflict(actor)
    page = asked(browser, [pair, *complaints(actor, 1)]).content.decode()
    assert "1 item cannot be decided so" in page
    assert "does not exist for items of the kind “conflict”" in page
    assert f'href="/review/{pair.pk}/"' in page


def test_it_offers_no_confirmation_of_nothing(browser: Client, actor: Actor) -> None:
    page = asked(browser, [conflict(actor)]).content.decode()
    assert "Nothing in this batch can be decided." in page
    assert "/start/" not in page


def test_it_takes_all_that_match(browser: Client, actor: Actor) -> None:
    complaints(actor, 3)
    conflict(actor)
    page = asked(browser, [], all_matching="1", query="kind=feedback").content.decode()
    assert "3 items" in page
    assert 'href="/review/?kind=feedback"' in page


def test_what_is_wrong_with_it_leads_back_to_the_queue(browser: Client, actor: Actor) -> None:
    complaints(actor, 1)
    page = asked(browser, [], query="kind=feedback&nonsense=1")
    assert page.redirect_chain == [("/review/?kind=feedback", 302)]  # type: ignore[attr-defined]
    assert "Select at least one item." in page.content.decode()
    assert "by one of: wrong" in asked(browser, complaints(actor, 0), "reject").content.decode()


def test_it_drops_a_reason_that_was_ready_for_another_decision(
    browser: Client, actor: Actor
) -> None:
    asked(browser, complaints(actor, 1), reason="wrong")
    assert Batch.objects.get().reason == ""


def test_confirming_decides_and_tells_how_it_went(
    browser: Client, actor: Actor, person: Actor
) -> None:
    changed, *flags = complaints(actor, 3)
    asked(browser, [changed, *flags])
    update_memory(actor=person, memory_id=changed.memory_id, expected_version=1, content="Other.")
    page = post(browser, "start")
    assert "2 items decided. 1 was not." in page
    assert "changed since you opened this page" in page
    assert f'href="/review/{changed.pk}/"' in page
    assert "hx-trigger" not in page
    assert Decision.objects.count() == 2


def test_cancelling_forgets_it(browser: Client, actor: Actor) -> None:
    asked(browser, complaints(actor, 1))
    assert "Nothing was decided." in post(browser, "cancel")
    assert not Batch.objects.exists()


def test_a_long_one_shows_how_far_it_is(
    browser: Client, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starting, "AT_ONCE", 0)
    asked(browser, complaints(actor, 2))
    page = post(browser, "start")
    (batch,) = Batch.objects.all()
    assert "Being decided: 0 of 2" in page
    assert f'<a id="refresh" href="/review/batches/{batch.pk}/">' in page
    assert "Stop and undo all" in page
    bulk.carry_on(batch.pk, seconds=0.0)
    part = browser.get(f"/review/batches/{batch.pk}/", headers={"HX-Request": "true"})
    assert "Being decided: 1 of 2" in part.content.decode()
    assert "<html" not in part.content.decode()
    bulk.carry_on(batch.pk)
    part = browser.get(f"/review/batches/{batch.pk}/", headers={"HX-Request": "true"})
    assert "2 items decided." in part.content.decode()
    assert "hx-trigger" not in part.content.decode()


def test_one_button_undoes_all_of_it(browser: Client, actor: Actor, person: Actor) -> None:
    kept, *flags = complaints(actor, 3)
    asked(browser, [kept, *flags])
    assert "Undo all" in post(browser, "start")
    update_memory(actor=person, memory_id=kept.memory_id, expected_version=2, content="Other.")
    page = post(browser, "undo")
    assert "2 decisions undone. 1 was left as it is." in page
    assert "was changed since" in page
    assert "Undo all" not in page
    assert set(Memory.objects.values_list("status", flat=True)) == {Status.ACTIVE}


def test_it_lists_past_batches(browser: Client, actor: Actor, space: Space) -> None:
    assert (
        "Nothing was decided for many at once" in browser.get("/review/batches/").content.decode()
    )
    asked(browser, complaints(actor, 2), note="tidied up")
    post(browser, "start")
    ada = signed_in(member(space, "ada"))
    page = ada.get("/review/batches/").content.decode()
    assert "2 items decided." in page
    assert "tidied up" in page


def test_anybody_who_may_decide_can_take_a_batch_back(
    browser: Client, actor: Actor, space: Space
) -> None:
    asked(browser, complaints(actor, 2))
    post(browser, "start")
    ada = signed_in(member(space, "ada"))
    (batch,) = Batch.objects.all()
    assert "Undo all" in ada.get(f"/review/batches/{batch.pk}/").content.decode()
    page = ada.post(f"/review/batches/{batch.pk}/undo/", follow=True).content.decode()
    assert "2 decisions undone." in page


def test_a_list_of_many_batches_needs_no_more_queries(
    browser: Client, actor: Actor, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    flags = complaints(actor, 4)
    for choice in ("keep", "archive", "archive"):
        asked(browser, flags, choice)
    with CaptureQueriesContext(connection) as few:
        browser.get("/review/batches/")
    needed = len(few)
    for _draft in range(5):
        asked(browser, flags)
    with django_assert_num_queries(needed):
        browser.get("/review/batches/")


def test_a_viewer_gets_none_of_it(space: Space, actor: Actor) -> None:  # G4
    viewer = signed_in(member(space, "vera", "viewer"))
    assert asked(viewer, complaints(actor, 1)).status_code == 403
    assert viewer.get("/review/batches/").status_code == 403


def test_another_spaces_batch_is_a_missing_one(browser: Client, actor: Actor) -> None:  # D1
    asked(browser, complaints(actor, 1))
    stranger = signed_in(member(Space.objects.create(slug="other", name="Other"), "sten"))
    (batch,) = Batch.objects.all()
    assert stranger.get(f"/review/batches/{batch.pk}/").status_code == 404
    assert stranger.post(f"/review/batches/{batch.pk}/start/").status_code == 404


@pytest.mark.parametrize("what", ["start", "cancel", "undo"])
def test_it_takes_nothing_by_link(browser: Client, actor: Actor, what: str) -> None:
    asked(browser, complaints(actor, 1))
    (batch,) = Batch.objects.all()
    answer = browser.get(f"/review/batches/{batch.pk}/{what}/")
    assert answer["Location"] == f"/review/batches/{batch.pk}/"
    assert browser.get("/review/bulk/")["Location"] == "/review/"
    assert Batch.objects.get().state == "draft"
