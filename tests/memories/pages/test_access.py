"""A space named in the address: gone to when it is one's own, else as if it did not exist (D1)."""

import pytest
from django.test import Client

from hindsight_site.accounts.models import User
from memories.models import Membership, Space
from tests.people import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def other(reviewer: User) -> Space:
    """Another space that the reviewer belongs to; by name it comes after the first."""
    space = Space.objects.create(slug="zoo", name="Zoo")
    Membership.objects.create(space=space, user=reviewer, role="viewer")
    return space


def space_of(client: Client, address: str) -> object:
    return client.get(address).context["actor"].space_id


@pytest.mark.parametrize("page", ["/review/", "/memories/", "/sessions/"])
def test_it_goes_to_the_space_and_stays_there(
    reviewer: User, space: Space, other: Space, page: str
) -> None:
    client = signed_in(reviewer)
    assert space_of(client, page) == space.pk
    assert space_of(client, f"{page}?space=zoo") == other.pk
    assert space_of(client, "/memories/") == other.pk
    assert space_of(client, f"{page}?space=team") == space.pk


def test_it_takes_the_role_of_that_space(reviewer: User, other: Space) -> None:
    verbs = signed_in(reviewer).get("/review/?space=zoo").context["actor"].verbs
    assert verbs == {"read"}


def test_it_answers_a_foreign_space_as_a_missing_one(reviewer: User) -> None:  # D1
    Space.objects.create(slug="foreign", name="Foreign")
    client = signed_in(reviewer)
    foreign, missing = (client.get(f"/review/?space={slug}") for slug in ("foreign", "nowhere"))
    assert foreign.status_code == missing.status_code == 404
    assert foreign.content.replace(b"foreign", b"") == missing.content.replace(b"nowhere", b"")


@pytest.mark.parametrize("slug", ["", "%00", "%ED%A0%80", "x" * 900])
def test_it_survives_any_slug(reviewer: User, slug: str) -> None:
    assert signed_in(reviewer).get(f"/review/?space={slug}").status_code == 404


def test_it_stays_where_it_was_after_a_wrong_address(reviewer: User, other: Space) -> None:
    client = signed_in(reviewer)
    client.get("/review/?space=zoo")
    client.get("/review/?space=nowhere")
    assert space_of(client, "/review/") == other.pk


def test_it_asks_to_sign_in_before_it_tells_anything() -> None:
    assert Client().get("/review/?space=zoo")["Location"] == "/login/?next=/review/%3Fspace%3Dzoo"


def test_it_lets_htmx_load_the_page_anew_when_one_has_to_sign_in() -> None:
    answer = Client().get("/review/", headers={"HX-Request": "true"})
    assert (answer.status_code, answer["HX-Refresh"]) == (204, "true")
