"""Two hops: question, memories, their names, other memories (J1, D1)."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from memories.graph import link_all
from memories.identity import agent_actor
from memories.models import Agent, Memory, Policy
from memories.models.ids import new_id
from memories.permissions import Actor
from memories.policies import RecallPolicy
from memories.recall import RecallResult, recall
from memories.recall.arms import Proposed, propose
from memories.recall.explain import explained
from memories.recall.graph import Ties, followed
from memories.recall.question import asked
from memories.recall.ranking import Setting, ranked
from tests.memories.recall.helpers import NOW, candidate, jot, remember

SETTING = Setting(now=NOW, unrelated=0.75)


def weighing(actor: Actor, weight: float) -> None:
    Policy.objects.create(
        space_id=actor.space_id,
        version=Policy.objects.filter(space_id=actor.space_id).count() + 1,
        numbers={"recall": {"graph_weight": weight}},
    )


def found(actor: Actor, query: str, **more: Any) -> RecallResult:
    return recall(actor=actor, query=query, top_k=50, log=False, **more)


def ties(actor: Actor, query: str, limit: int = 50) -> Ties:
    """Where names lead, when words alone propose `limit` candidates."""
    scope = Memory.objects.visible_to(actor).live()
    question = asked(query, NOW)
    proposed = propose(scope, question, vector=None, model="", limit=limit, recent=0)
    best = ranked(proposed, RecallPolicy(), SETTING)
    return followed(scope, question, actor, proposed=proposed, best=best, vector=None, model="")


@pytest.fixture
def told(actor: Actor) -> tuple[Memory, Memory, Memory]:
    """A question's answer, what shares a rare name with it, and what shares nothing."""
    seed = jot(actor, "The nightly report is written by Heron.")
    near = jot(actor, "Heron needs 4 GB to start.")
    far = jot(actor, "Lunch is at noon.")
    link_all(actor.space_id)
    return seed, near, far


def test_it_leads_from_a_hit_to_what_shares_its_name(
    actor: Actor, told: tuple[Memory, Memory, Memory]
) -> None:
    seed, near, far = told
    to = ties(actor, "nightly report").to
    assert set(to[near.pk]) == {seed.pk}
    assert to[near.pk][seed.pk] == pytest.approx(1.0)
    assert far.pk not in to


def test_it_proposes_what_no_arm_did(actor: Actor, told: tuple[Memory, Memory, Memory]) -> None:
    seed, near, _far = told
    assert [one.id for one in ties(actor, "nightly report").fresh] == [near.pk]
    assert seed.pk != near.pk


def test_it_leads_from_a_name_in_the_question_by_any_alias(actor: Actor) -> None:
    memory = jot(actor, "The cluster runs on Kubernetes.")
    jot(actor, "nothing else was said about this")
    link_all(actor.space_id)
    assert set(ties(actor, "what else about k8s").to[memory.pk]) == {None}


def test_it_follows_no_name_that_many_mention(actor: Actor) -> None:
    seed = jot(actor, "The nightly report is written by Heron.")
    for n in range(8):
        jot(actor, f"Heron note {n}")
    link_all(actor.space_id)
    assert ties(actor, "nightly report").to == {}
    assert seed.pk


def test_it_follows_nothing_out_of_sight(
    actor: Actor, teammate: Actor, stranger: Actor, told: tuple[Memory, Memory, Memory]
) -> None:  # D1
    seed, near, _far = told
    before = ties(actor, "nightly report")
    text = "Heron was seen here, too."
    jot(teammate, text, visibility="private")
    jot(actor, text, user_id="u1")
    jot(actor, text + "!", withheld=True)
    jot(actor, text + "?", status="archived")
    jot(stranger, text)
    link_all(actor.space_id)
    link_all(stranger.space_id)
    assert ties(actor, "nightly report") == before
    assert set(before.to) == {near.pk}
    assert seed.pk


def test_it_reads_no_name_from_a_private_memory_of_others(
    actor: Actor, teammate: Actor
) -> None:  # D1
    jot(teammate, "Heron (Egret) is slow.", visibility="private")
    jot(actor, "Ask Egret about it.")
    jot(actor, "The nightly report is written by Heron.")
    link_all(actor.space_id)
    assert ties(actor, "nightly report").to == {}


def test_it_joins_a_users_memories_with_the_shared_ones(actor: Actor) -> None:
    hers = jot(actor, "The nightly report is written by Heron.", user_id="u1")
    near = jot(actor, "Heron needs 4 GB to start.")
    link_all(actor.space_id)
    assert set(ties(actor.acting_for("u1"), "nightly report").to[near.pk]) == {hers.pk}


def test_it_is_switched_off_by_weight(
    actor: Actor, told: tuple[Memory, Memory, Memory], embedder: str
) -> None:  # J1
    def queries(weight: float) -> str:
        weighing(actor, weight)
        with CaptureQueriesContext(connection) as asked_for:
            result = found(actor, "nightly report by Heron")
        assert all(("graph" in hit.arms) == (weight > 0) for hit in result.hits)
        assert result.hits
        return " ".join(query["sql"] for query in asked_for)

    assert "memories_mention" not in queries(0.0)
    assert "memories_mention" in queries(0.1)


def test_it_ranks_a_neighbour_up_but_not_over_its_hit(actor: Actor, embedder: str) -> None:  # J1
    seed = remember(actor, "The nightly sales report is written by Heron.")
    near = remember(actor, "Heron failed last night, the report was late.")
    others = [remember(actor, f"The {word} is watered.") for word in ("garden", "lawn", "hedge")]
    link_all(actor.space_id)

    def scores(weight: float) -> dict[Any, float]:
        weighing(actor, weight)
        hits = found(actor, "who writes the nightly sales report?").hits
        return {hit.memory.pk: hit.score for hit in hits}

    off, on = scores(0.0), scores(0.3)
    assert on.get(near.pk, 0.0) > off.get(near.pk, 0.0)
    assert on[seed.pk] == pytest.approx(off[seed.pk])
    assert on[near.pk] < on[seed.pk]
    assert all(on.get(one.pk) == pytest.approx(off.get(one.pk)) for one in others if one.pk in off)


@given(
    near=st.floats(0.80, 0.95),
    seed=st.floats(0.80, 0.95),
    weight=st.floats(0.01, 1.0),
    specific=st.floats(0.0, 1.0),
)
def test_it_never_lets_a_neighbour_outrank(
    near: float, seed: float, weight: float, specific: float
) -> None:
    hit, other = candidate(cosine=max(near, seed)), candidate(cosine=min(near, seed))
    proposed = Proposed((hit, other), 10.0, 0.7, 0.95)
    policy = RecallPolicy(graph_weight=weight)
    both = Ties((), {other.id: {hit.id: specific}, hit.id: {other.id: specific}})
    plain = {one.candidate.id: one.score for one in ranked(proposed, policy, SETTING)}
    led = {one.candidate.id: one.score for one in ranked(proposed, policy, SETTING, both)}
    assert led.keys() == plain.keys()
    for one in (hit, other):
        if one.id in led:
            assert led[one.id] >= plain[one.id]
    if {hit.id, other.id} <= led.keys():
        assert led[hit.id] == plain[hit.id]
        assert led[other.id] <= led[hit.id]


def test_it_says_why() -> None:  # C4
    hit, near = candidate(cosine=0.95), candidate(cosine=0.87)
    proposed = Proposed((hit, near), 10.0, 0.7, 0.95)
    led = Ties((), {near.id: {hit.id: 1.0}})
    one = ranked(proposed, RecallPolicy(graph_weight=0.1), SETTING, led)[1]
    assert one.candidate.id == near.id
    assert "shares a rare word" in explained(one)


def test_it_takes_a_seed_that_is_gone_for_nothing() -> None:
    near = candidate(cosine=0.9)
    led = Ties((), {near.id: {new_id(): 1.0}})
    proposed = Proposed((near,), 10.0, 0.7, 0.95)
    plain = ranked(proposed, RecallPolicy(), SETTING)
    assert [
        one.score for one in ranked(proposed, RecallPolicy(graph_weight=1.0), SETTING, led)
    ] == [one.score for one in plain]


def test_it_does_not_count_the_private_owners_of_a_name(  # D1
    actor: Actor, told: tuple[Memory, Memory, Memory]
) -> None:
    """Six more who know it would make the name too common; nobody may tell that from an order."""
    seed, near, _far = told
    for number in range(6):
        other = Agent.objects.create(space_id=actor.space_id, name=f"private-{number}")
        jot(agent_actor(other), f"Note {number} was told by Heron.", visibility="private")
    link_all(actor.space_id)
    assert near.pk in ties(actor, "Who writes the nightly report?", limit=1).to
    assert seed.pk not in ties(actor, "Who writes the nightly report?", limit=1).to
