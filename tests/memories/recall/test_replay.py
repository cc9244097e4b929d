"""A question of the log asked again: as who asked it, then, within sight, without a trace (J5)."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from memories.errors import NotAllowed
from memories.models import Agent, Memory, Policy, Recall, Space
from memories.permissions import Actor
from memories.policies import RecallPolicy, policy_for
from memories.reading import Filters
from memories.recall import logbook, recall
from memories.recall.logbook import filters_of
from memories.recall.replay import FIRST, Replay, ask_again
from tests.memories.recall.helpers import jot, remember

pytestmark = pytest.mark.django_db
QUESTION = "Which database does the billing service use?"
DEFAULT = RecallPolicy()


def said(actor: Actor, query: str = QUESTION, **how: Any) -> Recall:
    """Ask as an agent does, and return what the log has of it."""
    found = recall(actor=actor, query=query, **how).id
    assert found
    assert logbook.settled()
    return Recall.objects.get(pk=found)


def again(person: Actor, one: Recall, about: set[UUID] | None = None) -> Replay:
    agent = Agent.objects.get(name=one.actor_name)
    numbers = policy_for(person.space_id)[1]
    return ask_again(actor=person, recall=one, agent=agent, numbers=numbers, about=about or set())


@pytest.fixture
def known(actor: Actor, embedder: str) -> list[Memory]:
    texts = ("PostgreSQL is the database of the billing service.", "Billing uses MySQL no more.")
    more = [f"The billing service number {n} has a database of its own." for n in range(8)]
    return [
        remember(actor, text, session=f"s{n % 3}", tags=["db"] if n % 2 else [])
        for n, text in enumerate([*texts, *more])
    ]


@pytest.mark.parametrize("numbers", [{}, {"graph_weight": 0.0}, {"keyword_weight": 0.9}])
def test_it_has_the_order_of_a_real_recall(
    person: Actor, actor: Actor, known: list[Memory], numbers: dict[str, float]
) -> None:
    """Also of two questions in one."""
    Policy.objects.create(space_id=actor.space_id, version=1, numbers={"recall": numbers})
    for query in (QUESTION, f"{QUESTION} Which service has number 3?"):
        one = said(actor, query, top_k=10, session="s1")
        real = list(one.hits.order_by("rank").values_list("memory", flat=True))
        assert len(real) > 5
        assert again(person, one).order(RecallPolicy(**numbers))[: len(real)] == real


def test_other_policies_cost_no_statement(person: Actor, actor: Actor, known: list[Memory]) -> None:
    replay = again(person, said(actor, session="s1"))
    with CaptureQueriesContext(connection) as asked:
        orders = [
            replay.order(DEFAULT.model_copy(update={"session_bonus": bonus}))
            for bonus in (0.0, 0.2, 1.0)
        ]
    assert not asked.captured_queries
    assert orders[0] != orders[-1]


def test_it_leaves_no_trace(person: Actor, actor: Actor, known: list[Memory]) -> None:  # C6
    one = said(actor)
    before = list(Memory.objects.order_by("pk").values_list("heat", "recall_count", "updated_at"))
    again(person, one)
    assert logbook.settled()
    assert Recall.objects.count() == 1
    after = list(Memory.objects.order_by("pk").values_list("heat", "recall_count", "updated_at"))
    assert after == before


def test_it_sees_what_the_agent_saw_and_the_person_may_see(
    space: Space, person: Actor, actor: Actor, teammate: Actor, embedder: str
) -> None:  # D1
    own = remember(actor, "The billing database is my secret.", visibility="private")
    foreign = remember(teammate, "The billing database of the helper.", visibility="private")
    hers = remember(actor, "The billing database of alice.", user_id="alice")
    his = remember(actor, "The billing database of bob.", user_id="bob")
    one = said(actor.acting_for("alice"), "billing database")
    assert again(person, one).known() == {own.pk, hers.pk}
    assert not {foreign.pk, his.pk} & again(person, one, {foreign.pk, his.pk}).known()
    viewer = Actor("user", None, "vi", space.pk, frozenset({"read"}))
    assert again(viewer, one).known() == {hers.pk}


def test_it_asks_with_the_filters_the_session_and_the_day(
    person: Actor, actor: Actor, known: list[Memory]
) -> None:
    since = datetime(2020, 1, 1, tzinfo=UTC)
    filters = Filters(tags=["db"], since=since)
    one = said(actor, filters=filters, session="s1")
    assert filters_of(one) == filters
    replay = again(person, one)
    assert replay.known() == {memory.pk for memory in known if memory.tags}
    asking = replay.found[0][0].asking
    assert (asking.session, asking.now) == ("s1", one.created_at)


def test_it_keeps_the_first_what_it_is_about_and_its_company(
    person: Actor, actor: Actor, settings: Settings
) -> None:
    settings.EMBEDDER_URL = "http://127.0.0.1:9/v1"
    for n in range(FIRST + 10):
        jot(actor, f"billing database {n} " + "and more words " * n)
    last = jot(actor, "billing " + "and nothing else " * 60, session="s")
    beside = jot(actor, "billing " + "or something else " * 70, session="s")
    one = said(actor, "billing database")
    assert len(again(person, one).known()) == FIRST
    found = again(person, one, {last.pk}).known()
    assert {last.pk, beside.pk} <= found
    assert len(found) == FIRST + 2
    assert again(person, one).degraded


def test_an_agent_of_another_user_is_not_asked_as(
    person: Actor, actor: Actor, agent: Agent, known: list[Memory]
) -> None:  # D1
    one = said(actor.acting_for("alice"))
    Agent.objects.filter(pk=agent.pk).update(user_id="bob")
    with pytest.raises(NotAllowed):
        again(person, one)


def test_who_may_not_read_asks_nothing(actor: Actor, known: list[Memory], space: Space) -> None:
    one = said(actor)
    with pytest.raises(NotAllowed):
        again(Actor("user", None, "nobody", space.pk, frozenset()), one)
