"""What was made of a session: each verdict with its reason; what other numbers would do (B2)."""

import uuid

import pytest
from pytest_django import DjangoAssertNumQueries

from hindsight_site.accounts.models import User
from memories.models import Candidate, Session, Space
from memories.pages.session_places import SIZE
from memories.pages.session_words import VERDICTS
from memories.permissions import Actor
from memories.writing import write_memory
from tests.memories.pages.looked_back import (
    QUOTE,
    URL,
    at,
    candidate,
    context_of,
    looked_back,
    page_of,
    recorded,
)
from tests.people import conflict, member, signed_in

pytestmark = pytest.mark.django_db


def test_it_shows_each_verdict_with_its_reason(reviewer: User, actor: Actor) -> None:  # B2, A6
    session = recorded(actor)
    looked_back(
        session,
        candidate(),
        candidate("merged", "duplicate"),
        candidate("flagged", "low_confidence"),
        candidate("dropped", "greeting", content="Hello!"),
        distiller="llm",
        model="a-model",
        note="The LLM was away.",
        policy_version=7,
    )
    page = page_of(reviewer, at(session))
    for word in (
        "it became a memory.",
        "A memory says the same already.",
        "too low to be stored as active",
        "A greeting or an acknowledgement.",
        "How do we indent?",
        "Code that fits in.",
        "a-model",
        "The LLM was away.",
        "version 7",
    ):
        assert word in page


def test_it_leads_from_a_candidate_to_its_turn_and_back(reviewer: User, actor: Actor) -> None:
    session = recorded(actor)
    looked_back(session, candidate())
    page = page_of(reviewer, at(session))
    assert f'<mark class="kept">{QUOTE}</mark>' in page
    assert 'href="#turn-1"' in page
    assert 'href="#candidate-1"' in page


def test_it_leads_to_turns_and_candidates_that_are_on_another_page(
    reviewer: User, actor: Actor
) -> None:
    session = recorded(actor, [{"content": f"Word {n}."} for n in range(1, SIZE + 100)])
    far = SIZE + 90
    many = [candidate("dropped", "greeting") for _n in range(60)]
    looked_back(session, candidate(turns=[far]), *many, candidate("dropped", "secret", turns=[2]))
    context = context_of(reviewer, at(session))
    [source] = context["look"].groups[0].shown[0].sources
    shown = context_of(reviewer, at(session, source.href.partition("#")[0]))
    assert far in [entry.turn.number for entry in shown["trace"]]
    [mark] = context["trace"][1].all_marks
    shown = context_of(reviewer, at(session, mark.href.partition("#")[0]))
    assert mark.href.endswith("#candidate-62")
    assert 62 in shown["look"].positions


def test_it_leafs_through_a_large_group(reviewer: User, actor: Actor) -> None:
    session = recorded(actor)
    run = looked_back(session, *[candidate("dropped", "greeting") for _n in range(60)])
    *_rest, dropped = context_of(reviewer, at(session))["look"].groups
    assert (dropped.total, len(dropped.shown), dropped.next_after) == (60, 50, 50)
    query = f"?run={run.pk}&dropped_after={dropped.next_after}"
    *_rest, dropped = context_of(reviewer, at(session, query))["look"].groups
    assert (dropped.total, len(dropped.shown), dropped.next_after) == (60, 10, None)


@pytest.mark.usefixtures("embedder")
def test_it_links_the_memory_and_the_open_question(reviewer: User, actor: Actor) -> None:
    flag = conflict(actor)
    session = recorded(actor)
    looked_back(session, candidate("flagged", "conflict", memory=flag.memory))
    page = page_of(reviewer, at(session))
    assert f'href="/memories/{flag.memory_id}/"' in page
    assert f'href="/review/{flag.pk}/"' in page


@pytest.mark.usefixtures("embedder")
def test_it_does_not_link_a_memory_that_may_not_be_seen(space: Space, actor: Actor) -> None:  # D1
    memory = write_memory(actor=actor, content="Quiet.", visibility="private").memory
    session = recorded(actor)
    looked_back(session, candidate("merged", "duplicate", memory=memory))
    viewer = member(space, "vera", "viewer")
    assert str(memory.pk) not in page_of(viewer, at(session))
    assert str(memory.pk) in page_of(member(space, "ada"), at(session))


def test_it_shows_the_run_over_the_turns_and_any_other_on_request(
    reviewer: User, actor: Actor
) -> None:
    session = recorded(actor)
    broken = looked_back(session, state="failed", turns=(1, 2), note="It broke off.")
    first = looked_back(session, candidate(content="Early."), turns=(1, 2))
    second = looked_back(session, candidate(content="Late.", turns=[3]), turns=(3, 4))
    for query, run in (
        ("", first),
        ("?from=3", second),
        (f"?run={broken.pk}", broken),
        (f"?run={uuid.uuid4()}", first),
        ("?run=nonsense", first),
    ):
        assert context_of(reviewer, at(session, query))["look"].run == run
    assert context_of(reviewer, URL)["rows"][0].looked_back.counts["kept"] == 2


@pytest.mark.usefixtures("embedder")
def test_it_asks_the_database_as_often_for_many_candidates(
    reviewer: User, actor: Actor, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client, memory = signed_in(reviewer), conflict(actor).memory
    few, many = recorded(actor, key="few"), recorded(actor, key="many")
    for session, times in ((few, 1), (many, 30)):
        made = [candidate(verdict, memory=memory) for verdict in VERDICTS for _n in range(times)]
        looked_back(session, *made)
    for session in (few, many):
        with django_assert_num_queries(18):
            client.get(at(session))


# --- other numbers ------------------------------------------------------------------------------


@pytest.fixture
def tried(actor: Actor) -> Session:
    session = recorded(actor)
    looked_back(
        session,
        candidate(content="Strong.", worth=0.9),
        candidate(content="Middling.", worth=0.6),
        candidate("dropped", "no_value", content="Weak.", worth=0.4),
        candidate("dropped", "greeting", content="Hello!"),
    )
    return session


def test_it_shows_what_other_numbers_would_change(reviewer: User, tried: Session) -> None:
    page = page_of(reviewer, at(tried, "numbers/?keep_from=0.3"))
    assert "1 more would be kept." in page
    assert "3 stay as they are." in page
    assert "Weak." in page
    assert "Strong." not in page
    higher = page_of(reviewer, at(tried, "numbers/?keep_from=0.8"))
    assert "1 would be dropped." in higher
    assert "Middling." in higher


def test_it_stores_nothing_of_a_trial(reviewer: User, tried: Session) -> None:
    before = list(Candidate.objects.order_by("pk").values())
    page_of(reviewer, at(tried, "numbers/?keep_from=0&store_from=0&doubtful=review"))
    assert list(Candidate.objects.order_by("pk").values()) == before
    assert tried.runs.count() == 1


def test_it_begins_with_the_numbers_in_force(reviewer: User, tried: Session) -> None:
    form = context_of(reviewer, at(tried))["numbers"]
    assert {name: form[name].value() for name in form.fields} == {
        "keep_from": 0.5,
        "store_from": 0.6,
        "doubtful": "drop",
    }


def test_it_sends_only_the_differences_to_htmx(reviewer: User, tried: Session) -> None:
    address = at(tried, "numbers/?keep_from=0.3")
    page = signed_in(reviewer).get(address, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in page
    assert "1 more would be kept." in page


@pytest.mark.parametrize("query", ["keep_from=2", "store_from=many", "doubtful=maybe"])
def test_it_says_what_is_wrong_with_a_number(reviewer: User, tried: Session, query: str) -> None:
    page = page_of(reviewer, at(tried, f"numbers/?{query}"))
    assert 'role="alert"' in page
    assert "would be kept" not in page


def test_it_has_nothing_to_try_before_a_look_back(reviewer: User, actor: Actor) -> None:
    address = at(recorded(actor), "numbers/")
    assert signed_in(reviewer).get(address).status_code == 404
