"""Undo: history grows, and everything is again what it was, or it says why not (G3)."""

import uuid
from typing import Any

import pytest

from memories.errors import NotAllowed, NotFound, Stale
from memories.identity import actor_for_user
from memories.lifecycle import delete_memory, update_memory
from memories.models import Agent, Flag, Membership, Memory, Space
from memories.models.memory import KEPT_FIELDS, STATED_FIELDS
from memories.permissions import Actor
from memories.writing import write_memory
from review.decisions import decide
from review.kinds import KINDS, kind_of
from review.models import Decision
from review.undo import undo_decision
from tests.people import conflict, member
from tests.review.flags import OPEN, feedback, merge_proposal, versions_of
from tests.review.many import against, complaints, remembered
from tests.review.test_kinds import EVERY, said

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]
# Everything that makes up a memory, but for how often it was changed and when.
STATE = (*STATED_FIELDS, *KEPT_FIELDS, "content_hash", "word_codes", "han")


def everything() -> dict[uuid.UUID, dict[str, Any]]:
    return {m.pk: {name: getattr(m, name) for name in STATE} for m in Memory.objects.all()}


def decided(person: Actor, flag: Flag, choice: str, **more: str) -> Decision:
    decide(
        actor=person,
        flag_id=flag.pk,
        choice=choice,
        expected_versions=versions_of(flag),
        **said(flag, choice) | more,
    )
    made: Decision = Decision.objects.standing().get(flag=flag)
    return made


def undone(person: Actor, decision: Decision) -> Decision:
    return undo_decision(actor=person, decision_id=decision.pk)


@pytest.mark.parametrize(("code", "choice"), EVERY)
def test_it_undoes_each_decision_of_each_kind_exactly(
    person: Actor, actor: Actor, code: str, choice: str
) -> None:
    flag = OPEN[code](actor)
    before = everything()
    decision = decided(person, flag, choice)
    versions = dict(Memory.objects.values_list("pk", "version"))
    undone(person, decision)
    assert everything() == before
    flag.refresh_from_db()
    assert (flag.status, flag.resolution, flag.resolved_in) == ("open", "", None)
    # History only grows (E1).
    for memory in Memory.objects.all():
        changed = versions[memory.pk] > 1
        assert memory.version == versions[memory.pk] + (1 if changed else 0)
        assert memory.versions.count() == memory.version


@pytest.mark.parametrize(("code", "choice"), EVERY)
def test_what_was_undone_can_be_decided_again(
    person: Actor, actor: Actor, code: str, choice: str
) -> None:
    flag = OPEN[code](actor)
    first = decided(person, flag, choice)
    undone(person, first)
    second = decided(person, flag, choice)
    assert (second.pk != first.pk, second.undone_at) == (True, None)
    undone(person, second)
    assert Flag.objects.get(pk=flag.pk).status == "open"


def test_its_flag_is_about_the_present_versions_again(person: Actor, actor: Actor) -> None:
    flag = merge_proposal(actor)
    undone(person, decided(person, flag, "approve"))
    flag.refresh_from_db()
    seen = (flag.memory_version, *flag.sources.values_list("memory_version", flat=True))
    assert seen == versions_of(flag) == (3, 3, 3)


def test_a_text_comes_back_with_its_embedding(person: Actor, actor: Actor) -> None:
    flag = conflict(actor)
    was = Memory.objects.get(pk=flag.memory_id).embedding
    decision = decided(person, flag, "merge", content="Billing moved to MySQL 8.")
    assert Memory.objects.get(pk=flag.memory_id).embedding != was
    undone(person, decision)
    now = Memory.objects.get(pk=flag.memory_id).embedding
    assert list(now) == pytest.approx(list(was), abs=1e-3)


def test_it_says_who_undid_it(person: Actor, actor: Actor, space: Space) -> None:  # G4
    ada = actor_for_user(member(space, "ada"))
    assert ada is not None
    decision = undone(ada, decided(person, conflict(actor), "keep_new"))
    assert (decision.user_name, decision.undone_by) == ("rui", "ada")
    version = Memory.objects.get(pk=decision.flag.memory_id).versions.first()
    assert version is not None
    assert (version.actor_name, version.reason) == ("ada", "decision undone")


def test_undoing_it_twice_changes_nothing(person: Actor, actor: Actor) -> None:
    decision = decided(person, conflict(actor), "keep_new")
    first = undone(person, decision)
    versions = dict(Memory.objects.values_list("pk", "version"))
    assert undone(person, decision).undone_at == first.undone_at
    assert dict(Memory.objects.values_list("pk", "version")) == versions


def test_what_was_withdrawn_with_it_comes_back(person: Actor, actor: Actor) -> None:
    old = remembered(actor, "The hall seats 40 people.")
    first, second = (against(actor, old, f"The hall seats {n} people.") for n in (41, 42))
    decision = decided(person, first, "keep_new")  # the old one is gone: so is the question
    second.refresh_from_db()
    assert (second.resolution, second.memory.status) == ("withdrawn", "active")
    undone(person, decision)
    second.refresh_from_db()
    assert (second.status, Memory.objects.get(pk=second.memory_id).status) == ("open", "pending")
    assert (second.memory_version, second.counterpart_version) == versions_of(second)


def test_what_a_merged_text_opened_is_withdrawn(person: Actor, actor: Actor) -> None:
    flag = conflict(actor)
    write_memory(actor=actor, content="Backups run at 02:00.")
    decision = decided(person, flag, "merge", content="Backups run at 04:30.")
    opened = Flag.objects.open().get()
    undone(person, decision)
    opened.refresh_from_db()
    assert opened.resolution == "withdrawn"
    assert list(Flag.objects.open()) == [flag]


@pytest.mark.parametrize("text", ["The billing service uses MariaDB.", "Billing is SQLite's."])
def test_what_a_merged_text_moved_or_settled_is_asked_as_before(
    person: Actor, actor: Actor, text: str
) -> None:
    first = conflict(actor)
    third = "The billing service uses SQLite."
    flags = write_memory(actor=actor, content=third, subject=first.memory.subject).flags
    (other,) = (flag for flag in flags if flag.counterpart_id == first.memory_id)
    decision = decided(person, first, "merge", content=text)
    moved = Flag.objects.get(pk=other.pk)
    assert moved.status == "resolved" or moved.evidence["detail"] != other.evidence["detail"]
    undone(person, decision)
    now = Flag.objects.get(pk=other.pk)
    assert (now.status, now.reason, now.scores) == ("open", other.reason, other.scores)
    assert now.evidence["detail"] == other.evidence["detail"]
    assert (now.memory_version, now.counterpart_version) == versions_of(now)


def test_lessons_are_taken_back(person: Actor, actor: Actor, agent: Agent) -> None:  # F4
    decision = decided(person, conflict(actor), "keep_old")
    agent.refresh_from_db()
    assert (agent.upheld, agent.refuted) == (1, 1)
    undone(person, decision)
    agent.refresh_from_db()
    assert (agent.upheld, agent.refuted) == (0, 0)


def test_it_refuses_after_a_later_change_and_names_the_memory(person: Actor, actor: Actor) -> None:
    flag = conflict(actor)
    decision = decided(person, flag, "keep_new")
    update_memory(
        actor=person, memory_id=flag.memory_id, expected_version=2, content="It uses MySQL 9."
    )
    before = everything()
    with pytest.raises(Stale, match=r"“It uses MySQL 9\.” was changed since") as refused:
        undone(person, decision)
    assert refused.value.details["memory_id"] == str(flag.memory_id)
    assert everything() == before
    assert Decision.objects.get().undone_at is None


def test_it_refuses_after_a_memory_was_deleted(person: Actor, actor: Actor) -> None:
    flag = feedback(actor)
    decision = decided(person, flag, "keep")
    delete_memory(actor=person, memory_id=flag.memory_id)
    with pytest.raises(Stale, match="changed since"):
        undone(person, decision)


def test_it_refuses_when_another_memory_says_the_same_by_now(person: Actor, actor: Actor) -> None:
    (flag,) = complaints(actor, 1)
    decision = decided(person, flag, "reject")
    remembered(actor, flag.memory.content)
    with pytest.raises(Stale, match="another memory says the same"):
        undone(person, decision)
    assert Memory.objects.get(pk=flag.memory_id).status == "overturned"


def test_decisions_upon_one_another_are_undone_from_the_last(person: Actor, actor: Actor) -> None:
    old = remembered(actor, "The hall seats 40 people.")
    flags = [against(actor, old, f"The hall seats {n} people.") for n in (41, 42)]
    before = everything()
    first, second = [decided(person, flag, "keep_old") for flag in flags]
    with pytest.raises(Stale, match="changed since"):
        undone(person, first)
    undone(person, second)
    undone(person, first)
    assert everything() == before


def test_a_viewer_cannot_undo(person: Actor, actor: Actor, reviewer: object) -> None:  # G4
    decision = decided(person, conflict(actor), "keep_new")
    Membership.objects.update(role="viewer")
    viewer = actor_for_user(reviewer)
    assert viewer is not None
    with pytest.raises(NotAllowed, match="role"):
        undone(viewer, decision)


def test_an_agent_cannot_undo(person: Actor, actor: Actor) -> None:  # F5
    decision = decided(person, conflict(actor), "keep_new")
    with pytest.raises(NotAllowed):
        undone(actor, decision)


def test_a_decision_of_another_space_does_not_exist(person: Actor, actor: Actor) -> None:  # D1
    decision = decided(person, conflict(actor), "keep_new")
    sten = actor_for_user(member(Space.objects.create(slug="other", name="Other"), "sten"))
    assert sten is not None
    with pytest.raises(NotFound):
        undone(sten, decision)


def test_a_decision_from_before_there_was_an_undo_stays(person: Actor, actor: Actor) -> None:
    decision = decided(person, conflict(actor), "keep_new")
    Decision.objects.update(operation=None)
    with pytest.raises(Stale, match="before decisions could be undone"):
        undone(person, decision)


def test_every_kind_is_undone_here() -> None:
    assert {code for code, _choice in EVERY} == set(KINDS)
    assert all(kind_of(Flag(kind=code)).offers for code in KINDS)
