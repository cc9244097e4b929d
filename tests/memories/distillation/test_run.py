"""One look back at a session: recorded in full, all or nothing, and never twice (B2, I5)."""

from collections.abc import Callable
from datetime import timedelta
from threading import Barrier, Thread
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.utils import timezone

from memories import history
from memories.distillation import distil, retry, run, waiting
from memories.distillation.storing import Storing
from memories.embedding.client import EmbedderDown
from memories.errors import Invalid, NotAllowed, NotFound
from memories.identity import system_actor
from memories.models import (
    Agent,
    Candidate,
    DistillationRun,
    Event,
    Flag,
    Membership,
    Memory,
    Policy,
    Session,
    Space,
)
from memories.permissions import Actor
from memories.recall import recall
from memories.writing import write_memory
from tests.memories.distillation.conftest import Propose, proposal, session_of

pytestmark = pytest.mark.usefixtures("embedder")


def done(session: Session) -> DistillationRun:
    found = distil(session.pk)
    assert found is not None
    assert found.state == "done", found.note
    return found


def verdicts(found: DistillationRun) -> list[tuple[str, str]]:
    return [(one.verdict, one.reason) for one in found.candidates.all()]


def test_it_keeps_what_passes_and_says_where_it_is_from(ended: Session, proposing: Propose) -> None:
    proposing(proposal("Ann lives in Berlin.", 1, 2, subject="ann/home"))
    candidate = done(ended).candidates.get()
    memory = candidate.memory
    assert memory is not None
    assert (candidate.verdict, candidate.turns) == ("kept", [1, 2])
    assert (memory.content, memory.subject) == ("Ann lives in Berlin.", "ann/home")
    assert (memory.session, memory.agent, memory.confidence) == ("s-1", ended.agent, 1.0)
    assert memory.embedding is not None
    assert Event.objects.get(verb="created").actor_name == "distillation"


def test_it_records_what_it_drops_with_the_reason(ended: Session, proposing: Propose) -> None:
    """B2: a person can see why."""
    proposing(
        proposal("Hello there.", drop="greeting"),
        proposal("It rains.", worth=0.0),
        proposal("Perhaps it is the cache.", source="llm_reasoning"),
        proposal("x" * 20_000),
    )
    found = done(ended)
    assert verdicts(found) == [
        ("dropped", "greeting"),
        ("dropped", "no_value"),
        ("dropped", "low_confidence"),
        ("dropped", "unusable"),
    ]
    assert found.counts["verdicts"] == {"dropped": 4}
    assert not Memory.objects.exists()


def test_it_puts_doubtful_ones_to_a_person_where_the_policy_says_so(
    ended: Session, proposing: Propose
) -> None:
    """B5."""
    Policy.objects.create(space=ended.space, numbers={"distilling": {"doubtful": "review"}})
    proposing(proposal("Perhaps it is the cache.", source="llm_reasoning"))
    assert verdicts(done(ended)) == [("flagged", "low_confidence")]
    flag = Flag.objects.get()
    assert (flag.kind, flag.reason, flag.memory.status) == ("pending", "low_confidence", "pending")


def test_it_merges_repetitions_and_flags_contradictions(
    ended: Session, proposing: Propose, actor: Actor
) -> None:
    """B7, E3."""
    write_memory(actor=actor, content="The order service uses PostgreSQL.", source="user_input")
    proposing(
        proposal("The order service uses PostgreSQL."),
        proposal("The order service uses MySQL, not PostgreSQL."),
    )
    assert verdicts(done(ended)) == [("merged", "duplicate"), ("flagged", "conflict")]
    assert Flag.objects.get().kind == "conflict"


def test_it_distils_once(ended: Session, proposing: Propose) -> None:
    proposing(proposal("Ann lives in Berlin."))
    done(ended)
    assert distil(ended.pk) is None
    assert list(waiting()) == []
    assert (Memory.objects.count(), Candidate.objects.count()) == (1, 1)


def test_it_leaves_open_sessions_alone(ended: Session, proposing: Propose) -> None:
    proposing(proposal("Ann lives in Berlin."))
    Session.objects.update(ended_at=None, ended_by="")
    assert distil(ended.pk) is None


def test_it_goes_on_where_it_stopped(ended: Session, proposing: Propose, agent: Agent) -> None:
    """A session that went on after its end is distilled from there."""
    proposing(proposal("Ann lives in Berlin."))
    done(ended)
    Session.objects.update(turn_count=5)
    found = done(ended)
    assert (found.first_turn, found.last_turn) == (4, 5)


def test_it_takes_a_long_session_in_steps(
    agent: Agent, proposing: Propose, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "MOST_TURNS", 2)
    proposing()
    session = session_of(agent, ["a", "b", "c"])
    assert [(one.first_turn, one.last_turn) for one in (done(session), done(session))] == [
        (1, 2),
        (3, 3),
    ]
    assert distil(session.pk) is None


@pytest.mark.django_db(transaction=True)
def test_it_distils_once_with_two_workers(ended: Session, proposing: Propose) -> None:
    proposing(proposal("Ann lives in Berlin."), proposal("Ann never eats fish."))
    together = Barrier(2)

    def work() -> None:
        try:
            together.wait(10)
            distil(ended.pk)
        finally:
            connection.close()

    threads = [Thread(target=work) for _worker in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert Memory.objects.count() == 2
    assert DistillationRun.objects.get().state == "done"


def broken_after(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> Callable[[], None]:
    """Let the second candidate's storing raise; returns what mends it."""
    settle = Storing.settle

    def breaking(self: Storing, position: int, weighed: Any) -> Candidate:
        if position == 2:
            raise error
        return settle(self, position, weighed)

    monkeypatch.setattr(Storing, "settle", breaking)
    return lambda: monkeypatch.setattr(Storing, "settle", settle)


TWO = (proposal("Ann lives in Berlin."), proposal("Ann never eats fish."))


def test_it_stores_nothing_of_a_run_that_broke_off(
    ended: Session, proposing: Propose, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposing(*TWO)
    mend = broken_after(monkeypatch, RuntimeError("half-way"))
    found = distil(ended.pk)
    assert found is not None
    assert (found.state, found.note) == ("failed", "It broke off: RuntimeError.")
    assert not Memory.objects.exists()
    mend()
    assert distil(ended.pk) is None  # not at once
    DistillationRun.objects.update(finished_at=timezone.now() - timedelta(hours=1))
    done(ended)
    assert Memory.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_it_takes_over_from_a_worker_that_died(
    ended: Session, proposing: Propose, monkeypatch: pytest.MonkeyPatch
) -> None:
    """I5."""
    proposing(*TWO)
    mend = broken_after(monkeypatch, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        distil(ended.pk)
    mend()
    assert distil(ended.pk) is None  # the dead worker's claim still holds
    past = timezone.now() - timedelta(hours=1)
    DistillationRun.objects.update(claimed_until=past)
    assert distil(ended.pk) is None  # found dead; tried again after a pause
    DistillationRun.objects.update(finished_at=past)
    done(ended)
    assert Memory.objects.count() == 2
    assert [one.state for one in DistillationRun.objects.order_by("id")] == ["failed", "done"]


def test_it_leaves_it_to_the_worker_that_took_over(
    ended: Session, proposing: Propose, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow worker comes to its end after another one has distilled the session."""

    def overtaken(*_given: Any) -> list[Any]:
        monkeypatch.undo()
        proposing(*TWO)
        DistillationRun.objects.update(state="failed", finished_at=timezone.now(), note="lost")
        done(ended)
        return list(TWO)

    monkeypatch.setattr("memories.distillation.rules.propose", overtaken)
    distil(ended.pk)
    assert Memory.objects.count() == 2
    assert Candidate.objects.count() == 2


def test_it_gives_up_after_some_failures_until_a_person_asks(
    ended: Session, proposing: Propose, monkeypatch: pytest.MonkeyPatch, person: Actor
) -> None:
    proposing(*TWO)
    mend = broken_after(monkeypatch, RuntimeError("always"))
    for _attempt in range(3):
        distil(ended.pk)
        DistillationRun.objects.update(finished_at=timezone.now() - timedelta(days=1))
    mend()
    assert distil(ended.pk) is None
    retry(actor=person, session_id=ended.pk)
    done(ended)


def test_it_lets_people_alone_ask_again(
    ended: Session, actor: Actor, person: Actor, space: Space
) -> None:
    with pytest.raises(NotAllowed):
        retry(actor=actor, session_id=ended.pk)
    with pytest.raises(Invalid):
        retry(actor=person, session_id=ended.pk)
    Membership.objects.update(role="viewer")
    elsewhere = system_actor(Space.objects.create(slug="x", name="X").pk)
    foreign = Actor("user", person.id, "rui", elsewhere.space_id, person.verbs)
    with pytest.raises(NotFound):
        retry(actor=foreign, session_id=ended.pk)


def test_it_waits_for_the_embedder(
    ended: Session, proposing: Propose, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposing(*TWO)

    def away(_space_id: UUID, _texts: list[str]) -> None:
        raise EmbedderDown("away")

    with monkeypatch.context() as patched:
        patched.setattr(run, "embed_for", away)
        assert distil(ended.pk) is None
    assert not DistillationRun.objects.exists()
    assert list(waiting()) == [ended.pk]
    done(ended)


# --- No echo (B9) ---------------------------------------------------------------------------------


def test_it_does_not_distil_what_was_recalled(
    ended: Session, proposing: Propose, actor: Actor
) -> None:
    write_memory(actor=actor, content="The staging cluster runs in Frankfurt.", source="unknown")
    recall(actor=actor, query="Where does the staging cluster run?", session="s-1")
    proposing(
        proposal("The staging cluster runs in Frankfurt."),
        proposal("The staging cluster is running in Frankfurt.", source="tool_result"),
    )
    assert verdicts(done(ended)) == [("dropped", "echo"), ("dropped", "echo")]
    assert Memory.objects.get().confidence == 0.4


def test_it_takes_a_users_own_words_for_a_confirmation(
    ended: Session, proposing: Propose, actor: Actor
) -> None:
    write_memory(actor=actor, content="The staging cluster runs in Frankfurt.", source="unknown")
    recall(actor=actor, query="Where does the staging cluster run?", session="s-1")
    proposing(proposal("The staging cluster is running in Frankfurt."))
    assert verdicts(done(ended)) == [("merged", "reinforced")]


def test_it_does_not_take_a_contradiction_for_an_echo(
    ended: Session, proposing: Propose, actor: Actor
) -> None:
    write_memory(actor=actor, content="The staging cluster runs in Frankfurt.", source="unknown")
    recall(actor=actor, query="Where does the staging cluster run?", session="s-1")
    proposing(proposal("The staging cluster runs in Dublin, not in Frankfurt."))
    assert verdicts(done(ended)) == [("flagged", "conflict")]


@pytest.mark.parametrize("status", ["deleted", "overturned"])
def test_it_does_not_bring_back_what_people_ended(
    ended: Session, proposing: Propose, actor: Actor, status: str
) -> None:
    written = write_memory(actor=actor, content="公司的数据库是 MySQL 8。", source="user_input")
    history.change(written.memory, actor=actor, verb=status, status=status)
    proposing(proposal("公司的数据库是 MySQL 8。"), proposal("公司用的数据库是 MySQL 8。"))
    assert verdicts(done(ended)) == [("dropped", "tombstone"), ("dropped", "tombstone")]


def test_it_does_not_restate_what_was_superseded_since(
    ended: Session, proposing: Propose, actor: Actor
) -> None:
    written = write_memory(actor=actor, content="Ann lives in Berlin.", source="user_input")
    history.change(written.memory, actor=actor, verb="superseded", status="superseded")
    before, after = timezone.now() - timedelta(days=1), timezone.now() + timedelta(minutes=1)
    proposing(proposal("Ann lives in Berlin.", happened_at=before))
    assert verdicts(done(ended)) == [("dropped", "tombstone")]
    Session.objects.update(turn_count=6)
    proposing(proposal("Ann lives in Berlin.", happened_at=after))
    assert verdicts(done(ended)) == [("kept", "stored")]


# --- Isolation (D1) -------------------------------------------------------------------------------


def test_it_keeps_what_a_private_session_holds_private(agent: Agent, proposing: Propose) -> None:
    proposing(proposal("Ann lives in Berlin."))
    done(session_of(agent, ["x"], visibility="private", user_id="ann"))
    memory = Memory.objects.get()
    assert (memory.visibility, memory.user_id, memory.agent) == ("private", "ann", agent)


def test_it_takes_nothing_for_an_echo_of_another_users_session(
    agent: Agent, proposing: Propose, actor: Actor
) -> None:
    said = "The staging cluster runs in Frankfurt."
    write_memory(actor=actor, content=said, source="user_input", user_id="bob")
    recall(actor=actor, query="staging cluster", session="s-1", user_id="bob")
    proposing(proposal(said))
    assert verdicts(done(session_of(agent, ["x"], user_id="ann"))) == [("kept", "stored")]


def test_it_compares_with_the_same_users_memories_only(
    agent: Agent, proposing: Propose, actor: Actor
) -> None:
    write_memory(actor=actor, content="Ann lives in Berlin.", source="user_input", user_id="bob")
    proposing(proposal("Ann lives in Berlin."))
    assert verdicts(done(session_of(agent, ["x"], user_id="ann"))) == [("kept", "stored")]
