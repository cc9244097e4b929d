"""The queue as people see it (G2, H4)."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from hindsight_site.accounts.models import User
from memories.models import Flag, Memory, Space
from memories.permissions import Actor
from review.claims import claim
from review.pages.views import PAGE
from tests.people import NEW, OLD, conflict, member, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]
QUEUE = "/review/"


def text_of(user: User, url: str = QUEUE, **headers: str) -> str:
    return signed_in(user).get(url, headers=headers).content.decode()


def copies(flag: Flag, count: int) -> None:
    """Add open flags like this one, on memories of their own."""
    for number in range(count):
        new, old = (
            Memory.objects.create(
                space=flag.space,
                agent=flag.memory.agent,
                content=f"{text} {number}",
                content_hash=f"{text[-20:]}{number}",
                confidence=1.0,
            )
            for text in (NEW, OLD)
        )
        Flag.objects.create(
            space=flag.space,
            kind=flag.kind,
            reason=flag.reason,
            memory=new,
            memory_version=1,
            counterpart=old,
            counterpart_version=1,
        )


def test_it_asks_to_sign_in_first() -> None:
    assert Client().get(QUEUE)["Location"] == f"/login/?next={QUEUE}"


def test_it_shows_both_texts_and_the_reason(reviewer: User, actor: Actor) -> None:
    conflict(actor)
    page = text_of(reviewer)
    assert "The new one says “MySQL” where the old one says “PostgreSQL”." in page
    assert "<del>PostgreSQL</del>" in page
    assert "<ins>MySQL</ins>" in page


def test_it_tells_how_an_agent_connects_when_nothing_waits(reviewer: User) -> None:
    page = text_of(reviewer)
    assert "Nothing to decide" in page
    assert "http://testserver:8765/mcp" in page


def test_it_counts_what_waits_in_the_navigation(reviewer: User, actor: Actor) -> None:
    conflict(actor)
    assert '<span class="count">1<' in text_of(reviewer, "/memories/")


def test_it_shows_no_other_space(actor: Actor) -> None:  # D1
    conflict(actor)
    elsewhere = Space.objects.create(slug="other", name="Other")
    assert NEW not in text_of(member(elsewhere, "sten"))


def test_it_sends_only_the_part_that_changed_to_htmx(reviewer: User, actor: Actor) -> None:
    conflict(actor)
    part = text_of(reviewer, QUEUE, **{"HX-Request": "true"})
    assert "MySQL" in part
    assert "<html" not in part


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", True),
        ("kind=conflict", True),
        ("kind=near_duplicate", False),
        ("reason=value_replaced", True),
        ("reason=negation", False),
        ("age=day", True),
        ("age=older", False),
        ("age=nonsense", True),
        ("before=nonsense", True),
    ],
)
def test_it_filters(reviewer: User, actor: Actor, query: str, shown: bool) -> None:
    conflict(actor)
    assert ("<ins>MySQL</ins>" in text_of(reviewer, f"{QUEUE}?{query}")) is shown


def test_it_finds_old_ones_by_age(reviewer: User, actor: Actor) -> None:
    flag = conflict(actor)
    Flag.objects.filter(pk=flag.pk).update(created_at=timezone.now() - timedelta(days=8))
    assert "<ins>MySQL</ins>" in text_of(reviewer, f"{QUEUE}?age=older")


def test_it_leads_to_the_next_page_and_back(reviewer: User, actor: Actor) -> None:
    copies(conflict(actor), PAGE)
    client = signed_in(reviewer)
    first = client.get(QUEUE).context["page"]
    second = client.get(f"{QUEUE}?{first.older}").context["page"]
    assert (len(first.rows), len(second.rows), second.older) == (PAGE, 1, "")
    back = client.get(f"{QUEUE}?{second.newer}").context["page"]
    assert [flag.pk for flag in back.rows] == [flag.pk for flag in first.rows]


def test_it_says_who_is_looking(reviewer: User, person: Actor, space: Space, actor: Actor) -> None:
    claim(actor=person, flag=conflict(actor))
    assert "rui is looking at this" in text_of(member(space, "ada"))
    assert "is looking at this" not in text_of(reviewer)


def test_it_asks_the_database_as_often_for_many_as_for_one(
    reviewer: User, actor: Actor, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    flag, client = conflict(actor), signed_in(reviewer)
    client.get(QUEUE)
    # session, person, membership; flags, two sides; spaces, count
    with django_assert_num_queries(8):
        client.get(QUEUE)
    copies(flag, 10)
    with django_assert_num_queries(8):
        client.get(QUEUE)
