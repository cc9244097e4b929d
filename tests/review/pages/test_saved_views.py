"""Saved views: a filter kept under a name, each person's own (G, inbox)."""

from typing import Any

import pytest

from hindsight_site.accounts.models import User
from memories.models import Space
from review.models import SavedView
from tests.people import member, signed_in

pytestmark = pytest.mark.django_db
QUEUE, SAVE, DELETE = "/review/", "/review/views/save/", "/review/views/delete/"


def save(user: User, name: str = "Mine", query: str = "text=docker&kind=conflict") -> Any:
    return signed_in(user).post(SAVE, {"name": name, "query": query}, follow=True)


def kept() -> list[tuple[str, str]]:
    return list(SavedView.objects.values_list("name", "query"))


def test_it_keeps_the_filter_and_goes_back_to_it(reviewer: User) -> None:
    answer = save(reviewer, query="text=docker&kind=conflict&before=x&nonsense=1")
    assert kept() == [("Mine", "kind=conflict&text=docker")]
    assert answer.redirect_chain == [(f"{QUEUE}?kind=conflict&text=docker", 302)]
    page = answer.content.decode()
    assert "The view “Mine” is saved." in page
    assert 'href="/review/?kind=conflict&amp;text=docker" aria-current="page">Mine<' in page


def test_it_replaces_a_view_of_that_name(reviewer: User) -> None:
    save(reviewer)
    save(reviewer, query="state=snoozed")
    assert kept() == [("Mine", "state=snoozed")]


@pytest.mark.parametrize(
    ("name", "said"), [("  ", "Give the view a name."), ("x" * 61, "at most 60 fit")]
)
def test_it_says_what_is_wrong_with_a_name(reviewer: User, name: str, said: str) -> None:
    assert said in save(reviewer, name=name).content.decode()
    assert kept() == []


def test_it_refuses_a_filter_too_long_to_keep(reviewer: User) -> None:
    answer = save(reviewer, query=f"text={'部署' * 100}&agent={'署' * 200}&user_id={'户' * 200}")
    assert "too long to be saved" in answer.content.decode()
    assert kept() == []


def test_it_deletes_ones_own(reviewer: User) -> None:
    save(reviewer)
    signed_in(reviewer).post(DELETE, {"view": SavedView.objects.get().pk})
    assert kept() == []


def test_it_shows_and_deletes_nobody_elses(reviewer: User, space: Space) -> None:
    save(reviewer, name="Secret plan")
    ada = signed_in(member(space, "ada"))
    assert "Secret plan" not in ada.get(QUEUE).content.decode()
    assert ada.post(DELETE, {"view": SavedView.objects.get().pk}).status_code == 404
    assert len(kept()) == 1


@pytest.mark.parametrize("view", ["", "x", "99999", "9" * 40, "²"])
def test_it_misses_a_view_that_is_not_there(reviewer: User, view: str) -> None:
    assert signed_in(reviewer).post(DELETE, {"view": view}).status_code == 404


def test_it_is_only_of_its_space(reviewer: User) -> None:
    save(reviewer, name="Secret plan")
    SavedView.objects.update(space=Space.objects.create(slug="other", name="Other"))
    assert "Secret plan" not in signed_in(reviewer).get(QUEUE).content.decode()


@pytest.mark.parametrize("address", [SAVE, DELETE])
def test_it_leads_a_link_to_the_queue(reviewer: User, address: str) -> None:
    assert signed_in(reviewer).get(address)["Location"] == QUEUE
