"""What stands behind a flag's texts on its page (G2), and nothing of anybody else (D1)."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from hindsight_site.accounts.models import User
from memories.identity import actor_for_user
from memories.models import Agent, Flag, Memory, Space
from memories.models.feedback import Feedback
from memories.models.recall import Hit, Recall
from memories.permissions import Actor
from memories.policies import Credibility
from memories.writing import write_memory
from review.handling import comment
from review.pages.background import credit_of, similar_to
from tests.people import OLD, conflict, member, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]


@pytest.fixture
def flag(actor: Actor) -> Flag:
    return conflict(actor)


def text_of(user: User, flag: Flag) -> str:
    return signed_in(user).get(f"/review/{flag.pk}/").content.decode()


def asked(flag: Flag, query: str, space: Space | None = None) -> None:
    recall = Recall.objects.create(
        space=space or flag.space,
        actor_kind="agent",
        actor_name="scout",
        query=query,
        policy_version=0,
        took_ms=1,
    )
    Hit.objects.create(recall=recall, memory=flag.memory, rank=3, score=0.5)


def said(flag: Flag, number: int) -> None:
    Feedback.objects.create(
        memory=flag.memory,
        memory_version=1,
        verdict="wrong",
        note=f"note {number}",
        actor_kind="agent",
        actor_id=Agent.objects.create(space=flag.space, name=f"agent {number}").pk,
        actor_name=f"agent {number}",
    )


def test_it_shows_the_last_recalls_that_returned_it(reviewer: User, flag: Flag) -> None:
    for number in range(7):
        asked(flag, f"<i>question {number}</i>")
    page = text_of(reviewer, flag)
    assert "<strong>scout</strong> asked <a" in page
    assert "“&lt;i&gt;question 6&lt;/i&gt;”</a>" in page
    assert "answer 3" in page
    assert "question 2" in page
    assert "question 1" not in page


def test_it_shows_no_recall_of_another_space(reviewer: User, flag: Flag) -> None:  # D1
    asked(flag, "our question")
    asked(flag, "their question", Space.objects.create(slug="other", name="Other"))
    page = text_of(reviewer, flag)
    assert "our question" in page
    assert "their question" not in page


def test_it_keeps_what_was_asked_from_viewers(space: Space, flag: Flag) -> None:  # G4
    asked(flag, "our question")
    assert "our question" not in text_of(member(space, "vera", "viewer"), flag)


def test_it_shows_how_credible_its_writer_is(reviewer: User, flag: Flag) -> None:  # F4
    Agent.objects.filter(name="coder").update(upheld=12, refuted=2)
    assert "upheld 12 of 14 · credibility 83%" in text_of(reviewer, flag)


def test_a_person_has_no_record() -> None:
    assert credit_of(None, Credibility()) is None


def test_it_shows_what_the_same_owner_holds_about_the_same_thing(
    reviewer: User, person: Actor, actor: Actor, flag: Flag
) -> None:
    write_memory(actor=actor, content="Invoices are kept in the billing database for ten years.")
    write_memory(actor=actor, content="The canteen closes at two.")
    near = similar_to(person, flag.memory, [flag.memory])
    assert near[0].content == OLD
    assert [memory.content[:8] for memory in near] == [OLD[:8], "Invoices"]  # not the canteen
    page = text_of(reviewer, flag)
    assert "Nearest memories" in page
    assert "Invoices are kept in the billing database" in page


def test_it_shows_nothing_of_another_owner(
    person: Actor, actor: Actor, stranger: Actor, flag: Flag
) -> None:  # D1
    text = "The billing service uses MySQL since May."
    for who, more in (
        (actor.acting_for("ann"), {"user_id": "ann"}),
        (actor, {"visibility": "private"}),
        (stranger, {}),
    ):
        write_memory(actor=who, content=text, **more)
    assert text not in [memory.content for memory in similar_to(person, flag.memory, [])]


def test_it_shows_nothing_private_to_a_viewer(space: Space, actor: Actor) -> None:  # D1
    private = write_memory(actor=actor, content="Mine alone.", visibility="private").memory
    write_memory(actor=actor, content="Mine alone, too.", visibility="private")
    viewer = actor_for_user(member(space, "vera", "viewer"))
    assert viewer is not None
    assert similar_to(viewer, private, []) == []


def test_nothing_is_near_a_text_that_was_not_embedded_yet(
    reviewer: User, person: Actor, flag: Flag
) -> None:
    Memory.objects.filter(pk=flag.memory_id).update(embedding=None, embedding_model="")
    assert similar_to(person, flag.memory, []) == []
    assert "Nearest memories" not in text_of(reviewer, flag)


def test_it_tells_what_happened_to_the_item(reviewer: User, person: Actor, flag: Flag) -> None:
    comment(actor=person, flag_id=flag.pk, text="<b>Which</b> cluster?")
    page = text_of(reviewer, flag)
    assert "<strong>coder</strong> found a contradiction" in page
    assert "<strong>rui</strong> commented on it" in page
    assert "&lt;b&gt;Which&lt;/b&gt; cluster?" in page


def test_it_asks_the_database_as_often_for_much_as_for_little(
    reviewer: User,
    person: Actor,
    flag: Flag,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    client = signed_in(reviewer)
    grown(person, flag, 1)
    counted = queries_of(client, flag)
    assert counted <= 40
    grown(person, flag, 30)
    with django_assert_num_queries(counted):
        client.get(f"/review/{flag.pk}/")


def grown(person: Actor, flag: Flag, count: int) -> None:
    first = Feedback.objects.count()
    for number in range(first, first + count):
        asked(flag, f"question {number}")
        said(flag, number)
        comment(actor=person, flag_id=flag.pk, text=f"comment {number}")


def queries_of(client: Client, flag: Flag) -> int:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client.get(f"/review/{flag.pk}/")
    with CaptureQueriesContext(connection) as queries:
        client.get(f"/review/{flag.pk}/")
    return len(queries)
