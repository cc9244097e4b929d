"""Searching and leafing through memories (H4, C3)."""

from datetime import UTC, datetime

import pytest
from django.test import override_settings
from pytest_django import DjangoAssertNumQueries

from hindsight_site.accounts.models import User
from memories.models import Memory, Recall, Space
from memories.pages.views import PAGE
from memories.permissions import Actor
from memories.writing import import_memories, write_memory
from memories.writing.draft import drafted
from tests.people import member, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]
URL = "/memories/"


@pytest.fixture
def known(actor: Actor) -> None:
    """Three memories that differ in everything one can filter by."""
    list(
        import_memories(
            actor=actor,
            drafts=[
                ("alice", drafted(content="docker 部署需要代理。", kind="lesson", tags=["docker"])),
                ("bo", drafted(content="Bo likes green tea.", kind="preference")),
                (
                    "",
                    drafted(
                        content="The move happened.", happened_at=datetime(2024, 3, 5, tzinfo=UTC)
                    ),
                ),
            ],
        )
    )


def found(user: User, query: str = "") -> set[str]:
    page = signed_in(user).get(f"{URL}?{query}").content.decode()
    names = {
        "docker": "docker 部署需要代理。",
        "tea": "Bo likes green tea.",
        "move": "The move happened.",
    }
    return {name for name, text in names.items() if text in page}


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", {"docker", "tea", "move"}),
        ("kind=lesson", {"docker"}),
        ("status=active", {"docker", "tea", "move"}),
        ("status=archived", set()),
        ("tag=docker", {"docker"}),
        ("agent=coder", {"docker", "tea", "move"}),
        ("agent=nobody", set()),
        ("user=bo", {"tea"}),
        ("since=2024-03-05&until=2024-03-05", {"move"}),
        ("since=2024-03-06", {"docker", "tea"}),
        ("until=2024-03-04", set()),
    ],
)
def test_it_filters(reviewer: User, query: str, names: set[str]) -> None:
    assert found(reviewer, query) == names


@pytest.mark.usefixtures("known")
def test_it_searches_as_agents_do(reviewer: User) -> None:
    page = signed_in(reviewer).get(f"{URL}?q=部署+docker")
    hits = page.context["result"].hits
    assert hits[0].memory.content == "docker 部署需要代理。"
    assert hits[0].explanation in page.content.decode()


@pytest.mark.usefixtures("known")
def test_it_searches_within_a_filter(reviewer: User) -> None:
    assert found(reviewer, "q=docker&kind=preference") <= {"tea"}


@pytest.mark.usefixtures("known")
def test_it_does_not_count_a_persons_look_as_a_recall(reviewer: User) -> None:
    found(reviewer, "q=docker")
    assert not Recall.objects.exists()


@pytest.mark.usefixtures("known")
@override_settings(EMBEDDER_URL="http://127.0.0.1:9/v1")
def test_it_says_when_meaning_is_missing(reviewer: User) -> None:
    page = signed_in(reviewer).get(f"{URL}?q=docker").content.decode()
    assert "The embedding service does not answer" in page
    assert "docker 部署需要代理。" in page


def test_it_says_what_is_wrong_with_a_filter(reviewer: User) -> None:
    page = signed_in(reviewer).get(f"{URL}?since=yesterdayish").content.decode()
    assert "Enter a valid date." in page


def test_it_tells_how_an_agent_connects_when_nothing_is_known(reviewer: User) -> None:
    page = signed_in(reviewer).get(URL).content.decode()
    assert "Nothing is remembered yet" in page
    assert "mcpServers" in page


@pytest.mark.usefixtures("known")
def test_it_shows_no_other_space() -> None:  # D1
    elsewhere = Space.objects.create(slug="other", name="Other")
    assert found(member(elsewhere, "sten")) == set()


def test_it_keeps_private_memories_from_viewers(space: Space, actor: Actor) -> None:  # D2
    write_memory(actor=actor, content="Bo likes green tea.", visibility="private")
    assert found(member(space, "vera", "viewer")) == set()
    assert found(member(space, "ada", "reviewer")) == {"tea"}


@pytest.mark.usefixtures("known")
def test_it_sends_only_the_results_to_htmx(reviewer: User) -> None:
    part = signed_in(reviewer).get(URL, headers={"HX-Request": "true"}).content.decode()
    assert "Bo likes green tea." in part
    assert "<html" not in part


def test_it_pages_and_keeps_the_filter(reviewer: User, actor: Actor) -> None:
    drafts = [("", drafted(content=f"Fact number {n}.", tags=["n"])) for n in range(PAGE + 1)]
    list(import_memories(actor=actor, drafts=drafts))
    client = signed_in(reviewer)
    first = client.get(f"{URL}?tag=n").context["page"]
    second = client.get(f"{URL}?{first.older}").context["page"]
    assert (len(first.rows), len(second.rows)) == (PAGE, 1)
    assert "tag=n" in first.older


@pytest.mark.usefixtures("known")
def test_it_asks_the_database_as_often_for_many_as_for_one(
    reviewer: User, actor: Actor, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client = signed_in(reviewer)
    drafts = [("", drafted(content=f"Fact number {n}.")) for n in range(10)]
    # session, person, membership; memories; spaces, count
    with django_assert_num_queries(6):
        client.get(URL)
    list(import_memories(actor=actor, drafts=drafts))
    with django_assert_num_queries(6):
        client.get(URL)


def test_it_lists_what_is_in_use_unless_asked_for_every_status(
    reviewer: User, actor: Actor
) -> None:  # E2
    Memory.objects.filter(
        pk=write_memory(actor=actor, content="Bo likes green tea.").memory.pk
    ).update(status="superseded")
    assert found(reviewer) == set()
    assert found(reviewer, "status=any") == {"tea"}
