"""What a decision teaches of whoever wrote the memory, and that undoing takes it back (F4)."""

from typing import Any

import pytest

from memories.models import Agent, Flag
from memories.permissions import Actor
from memories.writing import write_memory
from review.decisions import decide
from review.models import Decision, Rejection
from review.undo import undo_decision
from tests.doubts import doubt
from tests.people import conflict

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]


def counts(actor: Actor) -> tuple[int, int]:
    agent = Agent.objects.get(name=actor.name)
    return agent.upheld, agent.refuted


def settle(person: Actor, flag: Flag, choice: str, **said: Any) -> Decision:
    versions = (1, 1) if flag.counterpart_id else (1,)
    decide(actor=person, flag_id=flag.pk, choice=choice, expected_versions=versions, **said)
    return Decision.objects.standing().get(flag=flag)


def two_writers(actor: Actor, teammate: Actor) -> Flag:
    """The teammate's statement contradicts the actor's."""
    write_memory(actor=actor, content="Backups run at 02:00.")
    (flag,) = write_memory(actor=teammate, content="Backups run at 04:30.").flags
    return flag


@pytest.mark.parametrize("reason", [Rejection.WRONG, Rejection.INJECTION])
def test_a_rejection_for_a_fault_speaks_against_the_writer(
    actor: Actor, person: Actor, reason: str
) -> None:
    made = settle(person, doubt(actor), "reject", reason=reason)
    assert counts(actor) == (0, 1)
    assert made.lessons == {str(actor.id): [0, 1]}


@pytest.mark.parametrize("reason", sorted(set(Rejection) - {"wrong", "injection"}))
def test_any_other_reason_is_no_fault_of_the_writer(
    actor: Actor, person: Actor, reason: str
) -> None:
    settle(person, doubt(actor), "reject", reason=reason)
    assert counts(actor) == (0, 0)


@pytest.mark.parametrize(
    ("choice", "said"),
    [("approve", {}), ("edit_approve", {"content": "The team prefers stand-ups of 10 minutes."})],
)
def test_an_approval_speaks_for_the_writer(
    actor: Actor, person: Actor, choice: str, said: dict[str, str]
) -> None:
    settle(person, doubt(actor), choice, **said)
    assert counts(actor) == (1, 0)


def test_keeping_the_new_one_says_nothing_against_the_writer_of_the_old(
    actor: Actor, teammate: Actor, person: Actor
) -> None:
    settle(person, two_writers(actor, teammate), "keep_new")
    assert (counts(actor), counts(teammate)) == ((0, 0), (1, 0))


def test_keeping_the_old_one_speaks_for_one_writer_and_against_the_other(
    actor: Actor, teammate: Actor, person: Actor
) -> None:
    settle(person, two_writers(actor, teammate), "keep_old")
    assert (counts(actor), counts(teammate)) == ((1, 0), (0, 1))


def test_both_true_speaks_for_both(actor: Actor, teammate: Actor, person: Actor) -> None:
    settle(person, two_writers(actor, teammate), "both_true", note="04:30 at weekends")
    assert (counts(actor), counts(teammate)) == ((1, 0), (1, 0))


def test_undoing_takes_the_lesson_back(actor: Actor, person: Actor) -> None:
    flag = conflict(actor)
    made = settle(person, flag, "reject", reason="wrong")
    assert counts(actor) == (0, 1)
    undo_decision(actor=person, decision_id=made.pk)
    assert counts(actor) == (0, 0)
    undo_decision(actor=person, decision_id=made.pk)  # once more changes nothing
    assert counts(actor) == (0, 0)


def test_the_same_decision_again_teaches_nothing_more(actor: Actor, person: Actor) -> None:
    flag = doubt(actor)
    settle(person, flag, "approve")
    settle(person, flag, "approve")
    assert counts(actor) == (1, 0)
