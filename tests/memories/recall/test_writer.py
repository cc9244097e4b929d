"""What people found of a writer counts in the ranking of everything it wrote (F4)."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from memories.models import Agent, Memory, Policy, Space
from memories.permissions import Actor
from memories.policies import Credibility, RecallPolicy, credit
from memories.recall import RecallResult, recall
from memories.recall.arms import Proposed, propose
from memories.recall.explain import explained
from memories.recall.question import asked
from memories.recall.ranking import Ranked, Setting, ranked
from tests.memories.recall.helpers import NOW, candidate, jot

SETTING = Setting(now=NOW, unrelated=0.75)
COUNTS = st.integers(0, 10_000)


def only(setting: Setting = SETTING, **given: int) -> Ranked:
    return ranked(Proposed((candidate(**given),), 10.0, 0.7, 0.95), RecallPolicy(), setting)[0]


def judge(actor: Actor, *, upheld: int = 0, refuted: int = 0) -> None:
    Agent.objects.filter(name=actor.name).update(upheld=upheld, refuted=refuted)


def by_words(person: Actor) -> RecallResult:
    return recall(actor=person, query="docker", log=False)


@given(upheld=COUNTS, refuted=COUNTS)
def test_it_lowers_a_score_and_never_raises_it(upheld: int, refuted: int) -> None:
    plain, judged = only(), only(upheld=upheld, refuted=refuted)
    factor = credit(upheld, refuted, Credibility())
    assert judged.arms["writer"] == factor
    assert judged.score == pytest.approx(plain.score * factor)
    assert judged.score <= plain.score


def test_it_changes_nothing_for_a_writer_that_nobody_judged() -> None:
    assert only().arms["writer"] == 1.0
    assert only(upheld=5).score == only().score


@given(upheld=COUNTS, refuted=st.integers(1, 10_000), more=st.integers(1, 100))
def test_it_never_ranks_a_better_writer_lower(upheld: int, refuted: int, more: int) -> None:
    better, worse = (
        only(upheld=upheld, refuted=wrong).score for wrong in (refuted, refuted + more)
    )
    assert better >= worse


def test_it_weighs_as_the_policy_says() -> None:
    mild = Setting(now=NOW, unrelated=0.75, credibility=Credibility(least=1.0))
    assert only(mild, refuted=100).score == only().score


def test_it_says_so_when_it_counts_much() -> None:
    assert "found its writer wrong" in explained(only(refuted=20))
    assert "writer" not in explained(only(refuted=1))


@pytest.mark.usefixtures("embedder")
def test_a_refuted_writer_ranks_below_an_unjudged_one_with_the_same_text(
    actor: Actor, teammate: Actor, person: Actor
) -> None:
    its = jot(actor, "docker needs a proxy", visibility="private")
    other = jot(teammate, "docker needs a proxy", visibility="private")

    def order() -> list[UUID]:
        return [hit.memory.pk for hit in by_words(person).hits]

    judge(actor, refuted=10)
    assert order() == [other.pk, its.pk]
    judge(teammate, refuted=50)
    assert order() == [its.pk, other.pk]


@pytest.mark.usefixtures("embedder")
def test_it_takes_the_numbers_of_the_space(actor: Actor, person: Actor, space: Space) -> None:
    jot(actor, "docker needs a proxy")
    judge(actor, refuted=10**6)
    assert by_words(person).hits[0].arms["writer"] == pytest.approx(0.6, abs=1e-3)
    numbers = {"review": {"credibility": {"least": 0.9}}}
    Policy.objects.create(space=space, version=1, numbers=numbers)
    assert by_words(person).hits[0].arms["writer"] == pytest.approx(0.9, abs=1e-3)


def test_a_memory_without_an_agent_is_nobodys_fault(actor: Actor, person: Actor) -> None:
    judge(actor, upheld=3, refuted=7)
    its, nobodys = jot(actor, "docker needs a proxy"), jot(actor, "docker is a tool")
    Memory.objects.filter(pk=nobodys.pk).update(agent=None)
    scope = Memory.objects.visible_to(person)
    found = propose(scope, asked("docker", NOW), vector=None, model="", limit=9, recent=9)
    counts = {one.id: (one.upheld, one.refuted) for one in found.candidates}
    assert counts == {its.pk: (3, 7), nobodys.pk: (0, 0)}


@pytest.mark.usefixtures("embedder")
def test_it_costs_no_query(
    actor: Actor, person: Actor, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(5):
        jot(actor, f"docker {number}")
    judge(actor, refuted=3)
    by_words(person)  # which model and indexes the space has is known for a while, once asked
    with django_assert_num_queries(5):  # policy, scope, candidates, names, hits
        by_words(person)
