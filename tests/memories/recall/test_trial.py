"""A recall tried out: the same answer as a real one, what was left out and why, and no trace."""

from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from memories.embedding.client import Embeddings
from memories.embedding.remembered import embed_question
from memories.errors import Invalid, NotFound
from memories.identity import actor_for_key, issue_key
from memories.lifecycle import delete_memory
from memories.models import Agent, Hit, Memory, Recall, Space
from memories.permissions import Actor
from memories.policies import PolicyNumbers, RecallPolicy
from memories.reading import Filters
from memories.recall import recall
from memories.recall.graph import Ties
from memories.recall.trial import BELOW, Answer, Left, try_recall
from tests.memories.recall.helpers import jot, remember

QUESTION = "Which database does the billing service use?"
POSTGRES = "The billing service uses PostgreSQL."


def numbers(**recall_numbers: Any) -> PolicyNumbers:
    return PolicyNumbers(recall=RecallPolicy(**recall_numbers))


def tried(actor: Actor, query: str = QUESTION, **said: Any) -> Answer:
    said.setdefault("policies", [PolicyNumbers()])
    return try_recall(actor=actor, query=query, **said).answers[0]


def left(answer: Answer, memory: Memory) -> Left:
    (found,) = [one for one in answer.left if one.memory == memory]
    return found


def contents(answer: Answer) -> list[str]:
    return [hit.memory.content for hit in answer.hits]


@pytest.fixture
def known(actor: Actor, embedder: str) -> Memory:
    remember(actor, "The user's cat is called Momo and sleeps on the sofa.")
    remember(actor, "The invoices are sent every Monday.")
    return remember(actor, POSTGRES)


# --- the answer -----------------------------------------------------------------------------------


def test_it_answers_as_a_real_recall_would(known: Memory, person: Actor, actor: Actor) -> None:
    real = recall(actor=actor, query=QUESTION, log=False).hits
    told = tried(person, as_agent=actor.id).hits
    assert [(hit.memory, hit.rank) for hit in told] == [(hit.memory, hit.rank) for hit in real]
    assert [hit.score for hit in told] == pytest.approx([hit.score for hit in real], abs=1e-4)
    assert sum(told[0].parts.values()) == pytest.approx(told[0].score)  # C4


def test_it_leaves_no_trace(known: Memory, person: Actor, actor: Actor) -> None:  # C6
    tried(person, as_agent=actor.id)
    known.refresh_from_db()
    assert (known.heat, known.recall_count) == (0, 0)
    assert not Recall.objects.exists()
    assert not Hit.objects.exists()


def test_it_answers_for_each_policy_and_embeds_the_question_once(
    known: Memory, person: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def counted(space_id: UUID, text: str) -> Embeddings:
        asked.append(text)
        return embed_question(space_id, text)

    monkeypatch.setattr("memories.recall.looking.embed_question", counted)
    policies = [PolicyNumbers(), numbers(top_k=1, candidates=200), numbers(minimum_relevance=1.0)]
    answers = try_recall(actor=person, query=QUESTION, policies=policies).answers
    assert [len(answer.hits) for answer in answers][1:] == [1, 0]
    assert asked == [QUESTION]


def test_a_number_outside_the_section_on_recall_counts_too(
    person: Actor, actor: Actor
) -> None:  # F4, E5
    jot(actor, POSTGRES, heat=50.0)
    Agent.objects.update(refuted=20)
    strict = PolicyNumbers.model_validate({"review": {"credibility": {"least": 0.0}}})
    cool = PolicyNumbers.model_validate({"aging": {"half_life_days": 1e-6}})
    plain, strict_one, cool_one = (
        answer.hits[0]
        for answer in try_recall(
            actor=person, query=QUESTION, policies=[PolicyNumbers(), strict, cool]
        ).answers
    )
    assert strict_one.arms["writer"] < plain.arms["writer"]
    assert cool_one.arms["importance"] < plain.arms["importance"]


def test_as_many_hits_as_wanted_or_as_the_policy_says(person: Actor, actor: Actor) -> None:
    for n in range(8):
        jot(actor, f"The billing service uses database number {n}.")
    assert len(tried(person).hits) == 5
    assert len(tried(person, top_k=7).hits) == 7
    assert len(tried(person, policies=[numbers(top_k=2)]).hits) == 2


def test_it_says_that_meaning_is_missing(
    settings: Settings, person: Actor, actor: Actor
) -> None:  # the embedder is away
    settings.EMBEDDER_URL = "http://127.0.0.1:9/v1"
    jot(actor, POSTGRES)
    trial = try_recall(actor=person, query=QUESTION, policies=[PolicyNumbers()])
    assert trial.degraded
    assert contents(trial.answers[0]) == [POSTGRES]


# --- whom it answers (D1) -------------------------------------------------------------------------


@pytest.fixture
def viewer(person: Actor) -> Actor:
    """Somebody who sees what is shared and no more."""
    return Actor("user", person.id, "vi", person.space_id, frozenset({"read"}))


def test_as_an_agent_it_finds_what_is_private_to_that_agent(
    person: Actor, actor: Actor, teammate: Actor
) -> None:
    jot(actor, POSTGRES, visibility="private")
    assert contents(tried(person, as_agent=actor.id)) == [POSTGRES]
    assert contents(tried(person, as_agent=teammate.id)) == []


def test_a_viewer_sees_nothing_private_by_asking_as_its_agent(viewer: Actor, actor: Actor) -> None:
    jot(actor, POSTGRES, visibility="private")
    jot(actor, "The billing service used Oracle.", visibility="private", status="archived")
    answer = tried(viewer, as_agent=actor.id)
    assert (answer.hits, answer.left, answer.best) == ((), (), None)


def test_a_viewers_scores_tell_nothing_of_what_is_private(
    viewer: Actor, actor: Actor, teammate: Actor
) -> None:
    jot(teammate, POSTGRES)
    before = tried(viewer, as_agent=actor.id).hits[0]
    for n in range(5):
        jot(actor, f"The billing service uses PostgreSQL, note {n}.", visibility="private")
    after = tried(viewer, as_agent=actor.id).hits[0]
    assert after.parts == pytest.approx(before.parts, abs=1e-4)


def test_the_names_that_a_viewer_is_led_by_are_nobodys_own(
    viewer: Actor, person: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking: list[Actor] = []

    def followed(scope: Any, question: Any, actor: Actor, **_found: Any) -> Ties:
        asking.append(actor)
        return Ties()

    monkeypatch.setattr("memories.recall.looking.followed", followed)
    jot(actor, POSTGRES)
    for who in (person, viewer):
        tried(who, as_agent=actor.id)
    assert [one.id for one in asking] == [actor.id, None]


def test_who_is_bound_to_a_user_sees_no_other_by_asking_as_an_agent(
    space: Space, actor: Actor
) -> None:
    bound = Agent.objects.create(space=space, name="alices", user_id="alice")
    asking = actor_for_key(issue_key(bound)[1])
    assert asking is not None
    jot(actor, POSTGRES, user_id="bob")
    answer = tried(asking, as_agent=actor.id, user_id="bob")
    assert (answer.hits, answer.left, answer.best) == ((), (), None)


def test_it_asks_for_one_user(person: Actor, actor: Actor) -> None:
    for user in ("alice", "bob"):
        jot(actor, f"{user} says: the billing service uses PostgreSQL.", user_id=user)
    for as_agent in (actor.id, None):
        (hit,) = tried(person, as_agent=as_agent, user_id="alice").hits
        assert hit.memory.user_id == "alice"
    assert tried(person, as_agent=actor.id).hits == ()
    assert len(tried(person).hits) == 2


def test_a_bound_agent_asks_for_its_own_user_only(space: Space, person: Actor) -> None:
    bound = Agent.objects.create(space=space, name="alices", user_id="alice")
    acting = actor_for_key(issue_key(bound)[1])
    assert acting is not None
    jot(acting, POSTGRES, user_id="alice")
    for user in ("", "alice"):
        assert contents(tried(person, as_agent=bound.pk, user_id=user)) == [POSTGRES]
    with pytest.raises(Invalid, match="only ever acts for the user alice"):
        tried(person, as_agent=bound.pk, user_id="bob")


def test_an_agent_of_another_space_is_a_missing_one(
    person: Actor, stranger: Actor, agent: Agent
) -> None:
    Agent.objects.filter(pk=agent.pk).update(is_active=False)
    for key in (stranger.id, person.id, agent.pk):
        with pytest.raises(NotFound, match="no such agent"):
            tried(person, as_agent=key)


def test_a_session_counts_as_asked_in(person: Actor, actor: Actor) -> None:  # C2
    jot(actor, POSTGRES, session="monday")
    assert tried(person, session="monday").hits[0].parts["session"] > 0
    assert tried(person).hits[0].parts["session"] == 0


# --- what was left out, and why -------------------------------------------------------------------


def test_it_says_when_nothing_is_relevant_enough(known: Memory, person: Actor) -> None:  # C7
    answer = tried(person, "Who won the chess tournament in Reykjavik?")
    assert answer.hits == ()
    assert {one.why for one in answer.left} == {"nothing"}
    assert answer.best == answer.left[0].relevance
    assert answer.left[0].relevance < answer.left[0].needed == 0.34


def test_it_says_what_is_not_relevant_enough(known: Memory, person: Actor) -> None:
    answer = tried(person, policies=[numbers(hit_relevance=0.5)])
    assert contents(answer) == [POSTGRES]
    short = [one for one in answer.left if one.why == "irrelevant"]
    assert len(short) == 2
    assert all(one.relevance < one.needed == 0.5 for one in short)


def test_it_lists_the_next_ten_in_rank(person: Actor, actor: Actor) -> None:
    for n in range(BELOW + 4):
        jot(actor, f"The billing service uses database number {n}.")
    following = tried(person, top_k=2).left
    assert {one.why for one in following} == {"below"}
    assert [one.rank for one in following] == list(range(3, 3 + BELOW))


@pytest.mark.parametrize("status", ["superseded", "overturned", "archived"])
def test_it_says_what_a_status_keeps_out_and_what_replaced_it(
    person: Actor, actor: Actor, status: str
) -> None:  # E2
    new = jot(actor, "Billing moved to another store.")
    old = jot(actor, POSTGRES, status=status, replaced_by=new)
    out = left(tried(person, as_agent=actor.id), old)
    assert (out.why, out.rank, out.replaced_by) == ("status", 1, new)


def test_it_names_no_replacement_that_the_asker_may_not_see(viewer: Actor, actor: Actor) -> None:
    new = jot(actor, "Billing moved to another store.", visibility="private")
    old = jot(actor, POSTGRES, status="superseded", replaced_by=new)
    assert left(tried(viewer), old).replaced_by is None


def test_it_says_what_is_kept_from_agents(person: Actor, actor: Actor) -> None:  # F2
    held = jot(actor, POSTGRES, withheld=True, status="pending")
    answer = tried(person, as_agent=actor.id)
    assert answer.hits == ()
    assert left(answer, held).why == "status"


def test_it_never_tells_of_what_was_deleted(person: Actor, actor: Actor) -> None:  # E6
    delete_memory(actor=person, memory_id=jot(actor, POSTGRES).pk)
    assert tried(person).left == ()


def test_it_says_what_the_filters_exclude(person: Actor, actor: Actor) -> None:  # C3
    other = jot(actor, POSTGRES, kind="decision")
    fact = jot(actor, "The billing service has a database.", kind="fact")
    answer = tried(person, filters=Filters(kinds=["fact"]))
    assert [hit.memory for hit in answer.hits] == [fact]
    assert left(answer, other).why == "filter"


def test_what_was_asked_for_by_status_is_not_excluded_by_it(person: Actor, actor: Actor) -> None:
    cold = jot(actor, POSTGRES, status="archived")
    live = jot(actor, "The billing service has a PostgreSQL database.")
    answer = tried(person, filters=Filters(statuses=["archived"]))
    assert [hit.memory for hit in answer.hits] == [cold]
    assert left(answer, live).why == "status"


def test_it_costs_the_same_however_much_is_known(person: Actor, actor: Actor) -> None:
    policies = [PolicyNumbers(), numbers(keyword_weight=0.9)]

    def statements(many: int) -> int:
        for n in range(many):
            status = "archived" if n % 4 == 0 else "active"
            jot(actor, f"The billing service uses database {many}-{n}.", status=status)
        with CaptureQueriesContext(connection) as seen:
            try_recall(actor=person, query=QUESTION, policies=policies, as_agent=actor.id, top_k=20)
        return len(seen)

    statements(4)  # what a process keeps for a while is asked for once
    assert statements(5) == statements(40)
