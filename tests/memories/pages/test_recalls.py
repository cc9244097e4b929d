"""The log of recalls in the browser, and feedback on what was recalled (C6, D1)."""

import uuid

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from hindsight_site.accounts.models import User
from memories.lifecycle import give_feedback
from memories.models import Agent, Feedback, Flag, Hit, Space
from memories.pages.recalls import PAGE
from memories.permissions import Actor
from tests.memories.pages.recall_pages import URL, look, queries, texts
from tests.memories.recall.asked import asked
from tests.memories.recall.helpers import jot
from tests.people import member, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(reviewer: User) -> Client:
    return signed_in(reviewer)


@pytest.fixture
def viewer(space: Space) -> Client:
    return signed_in(member(space, "vera", "viewer"))


# --- the log --------------------------------------------------------------------------------------
def test_it_lists_recalls_newest_first_with_their_hits(client: Client, actor: Actor) -> None:
    tea, milk = jot(actor, "Tea at four."), jot(actor, "Milk first.")
    asked(actor, "When is tea?", tea, milk, user_id="alice", days=1)
    asked(actor, "Where is the key?", degraded=True)
    page = look(client)
    assert page.index("Where is the key?") < page.index("When is tea?")
    for word in ("Tea at four.", "0.50", "coder", "alice", "12 ms", "no answer", "by words alone"):
        assert word in page
    assert f'href="/memories/{milk.pk}/"' in page


def test_it_shows_the_first_hits_and_counts_the_others(client: Client, actor: Actor) -> None:
    asked(actor, "What?", *(jot(actor, f"Fact {n}.") for n in range(5)))
    page = look(client)
    assert "Fact 2." in page
    assert "Fact 3." not in page
    assert "and 2 more" in page


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("text=TEA", {"tea?"}),
        ("agent=helper", {"key?"}),
        ("agent=nobody", set()),
        ("user=alice", {"tea?"}),
        ("state=empty", {"key?"}),
        ("state=degraded", {"tea?"}),
        ("state=slow", {"key?"}),
        ("state=slow&agent=coder", set()),
        ("", {"tea?", "key?"}),
    ],
)
def test_it_filters(
    client: Client, actor: Actor, teammate: Actor, query: str, found: set[str]
) -> None:
    asked(actor, "tea?", jot(actor, "Tea at four."), user_id="alice", degraded=True)
    asked(teammate, "key?", took_ms=81)
    assert set(queries(client, f"?{query}")) == found


def test_it_lists_the_questions_that_found_a_memory(client: Client, actor: Actor) -> None:
    tea = jot(actor, "Tea at four.")
    asked(actor, "tea?", tea)
    asked(actor, "key?", jot(actor, "Under the mat."))
    page = client.get(f"/memories/{tea.pk}/").content.decode()
    assert f'href="/recalls/?memory={tea.pk}"' in page
    assert queries(client, f"?memory={tea.pk}") == ["tea?"]


def test_it_says_what_is_wrong_with_a_filter(client: Client) -> None:
    assert "Select a valid choice" in look(client, "?state=nonsense")
    assert "No recall under this filter" in look(client, "?text=nothing")
    assert "Nothing was recalled yet" in look(client)


def test_it_goes_on_to_older_recalls(client: Client, actor: Actor) -> None:
    for n in range(PAGE + 1):
        asked(actor, f"{n}?", days=PAGE - n)
    page = client.get(URL).context["page"]
    assert queries(client, f"?{page.older}") == ["0?"]


@pytest.mark.parametrize("query", ["before=x", "after=x~y", "memory=x", "text=%00", "user=%00"])
def test_a_broken_address_is_no_error(client: Client, actor: Actor, query: str) -> None:
    asked(actor, "tea?")
    look(client, f"?{query}")


def test_it_asks_the_database_as_often_for_many_recalls(
    client: Client, actor: Actor, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    memory = jot(actor, "Tea at four.")
    asked(actor, "tea?", memory)
    client.get(URL)
    with django_assert_num_queries(9):
        client.get(URL)
    for n in range(9):
        asked(actor, f"{n}?", memory, jot(actor, f"Fact {n}."))
    with django_assert_num_queries(9):
        client.get(URL)


def test_it_sends_only_the_list_to_htmx(client: Client, actor: Actor) -> None:
    asked(actor, "tea?")
    page = client.get(URL, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in page
    assert "tea?" in page


def test_it_shows_text_as_text(client: Client, actor: Actor) -> None:
    evil = "<script>alert(1)</script>\u200b"
    recall = asked(actor, evil, jot(actor, evil), user_id=evil, session=evil)
    for path in ("", f"{recall.pk}/", "most/"):
        page = look(client, path)
        assert "<script>alert" not in page
        assert "⟦U+200B⟧" in page


# --- who may read it ------------------------------------------------------------------------------
def test_what_was_asked_is_not_for_viewers(viewer: Client, actor: Actor) -> None:  # G4
    tea = jot(actor, "Tea at four.")
    recall = asked(actor, "our question", tea)
    for path in ("", f"?memory={tea.pk}", f"{recall.pk}/"):
        answer = viewer.get(f"{URL}{path}")
        assert answer.status_code == 403
        assert b"our question" not in answer.content
    for path in ("never/", "most/", "wrong/"):
        assert "our question" not in look(viewer, path)
    page = viewer.get(f"/memories/{tea.pk}/").content.decode()
    assert "/recalls/?memory=" not in page
    assert 'href="/recalls/never/"' in page  # where the frame leads instead


def test_another_space_has_its_own_log(client: Client, actor: Actor, stranger: Actor) -> None:  # D1
    theirs = jot(stranger, "Their secret.")
    recall = asked(stranger, "their question", theirs)
    assert queries(client) == []
    assert client.get(f"{URL}{recall.pk}/").status_code == 404
    assert client.get(f"{URL}{uuid.uuid4()}/").status_code == 404
    assert queries(client, f"?memory={theirs.pk}") == []
    for path in ("never/?days=7", "most/", "most/?span=all", "wrong/"):
        assert texts(client, path) == []


def test_nobody_reads_it_who_is_not_signed_in() -> None:
    assert Client().get(URL).status_code == 302


# --- one recall -----------------------------------------------------------------------------------
def test_it_shows_a_recall_with_every_arm(client: Client, actor: Actor) -> None:
    tea = jot(actor, "Tea at four.")
    filters = {"kinds": ["fact"]}
    recall = asked(actor, "When is tea?", tea, session="s-1", user_id="alice", filters=filters)
    page = look(client, f"{recall.pk}/")
    for word in ("When is tea?", "Tea at four.", "meaning", "feedback", "-0.20", "s-1", "alice"):
        assert word in page
    assert f'href="/agents/{actor.id}/"' in page


def test_it_can_be_asked_again_in_the_playground(client: Client, actor: Actor) -> None:
    recall = asked(actor, "tea & milk?", user_id="alice", session="s-1")
    again = f"?q=tea+%26+milk%3F&amp;agent={actor.id}&amp;user=alice&amp;session=s-1"
    assert f'href="/playground/{again}"' in look(client, f"{recall.pk}/")
    assert client.get(f"/playground/{again.replace('&amp;', '&')}").status_code == 200
    Agent.objects.update(is_active=False)
    assert "agent=" not in client.get(f"{URL}{recall.pk}/").context["again"]


def test_an_old_recall_lacks_some_arms(client: Client, actor: Actor) -> None:
    recall = asked(actor, "tea?", jot(actor, "Tea at four."))
    Hit.objects.update(arms={"trust": 0.5, "gone": 1})
    page = look(client, f"{recall.pk}/")
    assert "trust" in page
    assert "gone" in page


def test_it_says_that_nothing_was_found(client: Client, actor: Actor) -> None:
    assert "no memory came near enough" in look(client, f"{asked(actor, 'tea?').pk}/")


def test_it_takes_a_persons_word_on_a_hit(client: Client, actor: Actor) -> None:
    tea = jot(actor, "Tea at four.")
    recall = asked(actor, "When is tea?", tea)
    path = f"{URL}{recall.pk}/"
    assert f'name="recall_id" value="{recall.pk}"' in look(client, f"{recall.pk}/")
    form = {"verdict": "wrong", "recall_id": str(recall.pk), "next": path}
    answer = client.post(f"/memories/{tea.pk}/feedback/", form, follow=True)
    assert answer.redirect_chain == [(path, 302)]
    said = Feedback.objects.get()
    assert (said.recall_id, said.verdict, said.actor_name) == (recall.pk, "wrong", "rui")
    assert "said-wrong" in answer.content.decode()
    assert Flag.objects.open().get().kind == "feedback"


def test_no_word_names_a_recall_of_another_space(
    client: Client, actor: Actor, stranger: Actor
) -> None:  # D1
    tea, theirs = jot(actor, "Tea at four."), jot(stranger, "Theirs.")
    foreign, other = asked(stranger, "?", theirs), asked(actor, "?", jot(actor, "Milk."))
    for recall in (foreign, other):
        form = {"verdict": "wrong", "recall_id": str(recall.pk)}
        page = client.post(f"/memories/{tea.pk}/feedback/", form, follow=True)
        assert "No search of yours" in page.content.decode()
    assert not Feedback.objects.exists()


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example/", "javascript:1"])
def test_a_word_leads_to_no_other_site(client: Client, actor: Actor, target: str) -> None:
    tea = jot(actor, "Tea at four.")
    form = {"verdict": "useful", "next": target}
    answer = client.post(f"/memories/{tea.pk}/feedback/", form)
    assert answer["Location"] == f"/memories/{tea.pk}/"


def test_a_memory_tells_what_was_said_of_it(client: Client, viewer: Client, actor: Actor) -> None:
    tea = jot(actor, "Tea at four.")
    give_feedback(actor=actor, memory_id=tea.pk, verdict="stale", note="At five <now>.")
    for who in (client, viewer):
        page = who.get(f"/memories/{tea.pk}/").content.decode()
        assert "What was said of it" in page
        assert "At five &lt;now&gt;." in page


def test_a_search_offers_to_say_what_was_useful(
    client: Client, viewer: Client, actor: Actor, embedder: str
) -> None:
    tea = jot(actor, "Tea is at four.")
    action = f'action="/memories/{tea.pk}/feedback/"'
    assert action in client.get("/memories/?q=tea").content.decode()
    assert action not in viewer.get("/memories/?q=tea").content.decode()
