"""write_memory(): outcomes, gate, repetition, contradiction (B4, B5, B7, B10, E3)."""

from datetime import UTC, datetime
from threading import Barrier, Thread

import pytest
from django.db import connection

from memories.errors import Invalid, NotAllowed, Refused
from memories.identity import agent_actor
from memories.models import Agent, Event, Flag, Memory, MemoryVersion, Receipt
from memories.permissions import Actor
from memories.writing import Outcome, write_memory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]

POSTGRES = "我们公司用 PostgreSQL，不是 MySQL"
MYSQL = "公司数据库已经换成 MySQL 8"


def test_it_stores_a_first_statement_with_version_event_and_embedding(actor: Actor) -> None:
    result = write_memory(actor=actor, content=POSTGRES, source="user_input")
    assert result.outcome is Outcome.CREATED
    memory = Memory.objects.get(pk=result.memory.pk)
    assert (memory.content, memory.confidence, memory.status) == (POSTGRES, 1.0, "active")
    assert len(memory.embedding) == 384
    assert memory.embedding_model
    assert MemoryVersion.objects.get(memory=memory).number == 1
    assert Event.objects.get(memory_id=memory.pk).verb == "created"


def test_it_flags_a_contradiction_and_keeps_both(actor: Actor) -> None:  # E3
    old = write_memory(actor=actor, content=POSTGRES).memory
    result = write_memory(actor=actor, content=MYSQL)
    assert result.outcome is Outcome.FLAGGED
    (flag,) = result.flags
    assert (flag.memory_id, flag.counterpart_id) == (result.memory.pk, old.pk)
    assert (flag.kind, flag.status) == ("conflict", "open")
    assert Memory.objects.get(pk=old.pk).status == "active"
    assert result.memory.status == "pending"
    assert set(Memory.objects.values_list("content", flat=True)) == {POSTGRES, MYSQL}


def test_it_answers_duplicate_to_the_same_words(actor: Actor) -> None:  # B7
    first = write_memory(actor=actor, content="Backups run at 02:00.")
    again = write_memory(actor=actor, content="  Backups  run at\t02:00. ")
    assert (again.outcome, again.memory.pk) == (Outcome.DUPLICATE, first.memory.pk)
    assert Memory.objects.count() == 1


def test_it_reinforces_what_was_said_in_other_words(actor: Actor) -> None:  # B7
    first = write_memory(actor=actor, content="The user is allergic to peanuts.")
    again = write_memory(actor=actor, content="The user has a peanut allergy.", source="user_input")
    assert (again.outcome, again.memory.pk) == (Outcome.REINFORCED, first.memory.pk)
    assert (again.memory.confidence, again.memory.version) == (1.0, 2)
    said = Event.objects.get(verb="reinforced").data["said"]
    assert said == "The user has a peanut allergy."


def test_it_never_lowers_confidence_by_repetition(actor: Actor) -> None:  # B7
    write_memory(actor=actor, content="Backups run at 02:00.", source="user_input")
    again = write_memory(actor=actor, content="Backups run at 02:00.", source="llm_summary")
    assert (again.memory.confidence, again.memory.version) == (1.0, 1)


def test_it_reinforces_one_subject_said_again_within_a_day(actor: Actor) -> None:  # B7
    first = write_memory(actor=actor, content="Deploys happen each Tuesday.", subject="deploys")
    again = write_memory(
        actor=actor, content="Deployments take place on Tuesdays.", subject="Deploys"
    )
    assert again.memory.pk == first.memory.pk


def test_it_keeps_two_facts_about_one_subject(actor: Actor) -> None:
    write_memory(actor=actor, content="Alice drinks green tea.", subject="alice")
    other = write_memory(actor=actor, content="Alice reports to the finance lead.", subject="alice")
    assert other.outcome is Outcome.CREATED


@pytest.mark.parametrize(
    ("source", "confidence"),
    [
        ("user_input", 1.0),
        ("tool_result", 0.8),
        ("incident_analysis", 0.6),
        ("llm_reasoning", 0.5),
        ("unknown", 0.4),
        ("llm_summary", 0.3),
    ],
)
def test_it_believes_a_source_as_far_as_policy_says(
    actor: Actor, source: str, confidence: float
) -> None:  # B4
    assert write_memory(actor=actor, content="Tea.", source=source).memory.confidence == confidence


def test_it_lets_a_writer_claim_less_but_not_more(actor: Actor) -> None:  # B4
    more = write_memory(actor=actor, content="Tea.", source="llm_summary", confidence=1.0)
    less = write_memory(actor=actor, content="Milk.", source="user_input", confidence=0.7)
    assert (more.memory.confidence, less.memory.confidence) == (0.3, 0.7)


def test_it_refuses_what_is_hardly_believed(actor: Actor) -> None:  # B5
    with pytest.raises(Refused, match=r"0\.20 is under 0\.30"):
        write_memory(actor=actor, content="Perhaps tea.", confidence=0.2)
    assert not Memory.objects.exists()


def test_it_refuses_an_agent_that_writes_as_a_person(actor: Actor) -> None:  # F5
    with pytest.raises(NotAllowed, match="Only a person"):
        write_memory(actor=actor, content="Approved.", source="person")


def test_it_refuses_a_key_without_the_write_scope(agent: Agent) -> None:
    with pytest.raises(NotAllowed, match="write"):
        write_memory(actor=agent_actor(agent, scopes=["read"]), content="Tea.")


def test_it_gives_a_retry_the_same_answer(actor: Actor) -> None:  # B10
    first = write_memory(actor=actor, content="Tea is served at four.", idempotency_key="k1")
    again = write_memory(actor=actor, content="Tea is served at four.", idempotency_key="k1")
    assert (again.outcome, again.memory.pk) == (first.outcome, first.memory.pk)
    assert Event.objects.count() == 1


def test_it_refuses_a_key_that_was_used_for_another_text(actor: Actor) -> None:  # B10
    write_memory(actor=actor, content="Tea is served at four.", idempotency_key="k1")
    with pytest.raises(Invalid, match="another text"):
        write_memory(actor=actor, content="Coffee is served at nine.", idempotency_key="k1")


def test_it_keeps_keys_of_two_agents_apart(actor: Actor, teammate: Actor) -> None:
    write_memory(actor=actor, content="Tea is served at four.", idempotency_key="k1")
    other = write_memory(
        actor=teammate, content="The door code is on the fridge.", idempotency_key="k1"
    )
    assert other.outcome is Outcome.CREATED


def test_it_compares_within_one_user_only(actor: Actor) -> None:  # D1
    write_memory(actor=actor, content=POSTGRES, user_id="alice")
    other = write_memory(actor=actor, content=MYSQL, user_id="bob")
    assert other.outcome is Outcome.CREATED


def test_it_compares_no_shared_memory_with_another_agents_private_one(
    actor: Actor, teammate: Actor
) -> None:  # D1
    write_memory(actor=actor, content=POSTGRES, visibility="private")
    same = write_memory(actor=teammate, content=POSTGRES)
    opposite = write_memory(actor=teammate, content=MYSQL, visibility="private")
    assert same.outcome is Outcome.CREATED
    assert opposite.outcome is Outcome.CREATED


def test_it_keeps_a_bound_agent_with_its_user(agent: Agent) -> None:  # D1
    agent.user_id = "alice"
    bound = agent_actor(agent)
    assert write_memory(actor=bound, content="Tea.").memory.user_id == "alice"
    with pytest.raises(NotAllowed, match="bound to one user"):
        write_memory(actor=bound, content="Tea.", user_id="bob")


def test_it_keeps_the_time_a_thing_happened(actor: Actor) -> None:  # A5
    moment = datetime(2024, 3, 1, 9, 30, tzinfo=UTC)
    result = write_memory(actor=actor, content="The office moved.", happened_at=moment)
    assert Memory.objects.get(pk=result.memory.pk).happened_at == moment


@pytest.mark.django_db(transaction=True)
def test_eight_threads_writing_one_memory_make_one_row(actor: Actor) -> None:  # B10
    outcomes = _at_once(
        8, lambda _number: write_memory(actor=actor, content="Tea at four.").outcome
    )
    assert sorted(outcomes) == ["created"] + ["duplicate"] * 7
    assert Memory.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_eight_threads_with_one_key_make_one_row(actor: Actor) -> None:  # B10
    outcomes = _at_once(
        8,
        lambda _number: (
            write_memory(actor=actor, content="Tea at four.", idempotency_key="k").outcome
        ),
    )
    assert set(outcomes) == {"created"}
    assert (Memory.objects.count(), Receipt.objects.count()) == (1, 1)


@pytest.mark.django_db(transaction=True)
def test_opposite_statements_at_one_moment_see_each_other(actor: Actor) -> None:  # E3
    texts = (POSTGRES, MYSQL)
    outcomes = _at_once(2, lambda n: write_memory(actor=actor, content=texts[n]).outcome)
    assert sorted(outcomes) == ["created", "flagged"]
    assert Flag.objects.count() == 1


def _at_once(count: int, work) -> list[str]:  # type: ignore[no-untyped-def]
    barrier, outcomes = Barrier(count), []

    def run(number: int) -> None:
        barrier.wait()
        try:
            outcomes.append(work(number).value)
        finally:
            connection.close()

    threads = [Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return outcomes
