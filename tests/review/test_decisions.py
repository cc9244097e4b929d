"""What a person's decision does to the two memories, and who may decide (G3, F5)."""

from threading import Barrier, Thread

import pytest
from django.db import connection

from memories.errors import Invalid, NotAllowed, NotFound, Stale
from memories.identity import actor_for_user
from memories.models import Flag, Membership, Memory
from memories.permissions import Actor
from memories.writing import write_memory
from review.decisions import decide
from review.models import Decision

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]

OLD, NEW = "Backups run at 02:00.", "Backups run at 04:30."


@pytest.fixture
def flag(actor: Actor) -> Flag:
    write_memory(actor=actor, content=OLD, source="user_input")
    (flag,) = write_memory(actor=actor, content=NEW, source="tool_result").flags
    return flag


def settle(
    person: Actor, flag: Flag, choice: str, content: str = "", note: str = ""
) -> tuple[Memory, ...]:
    settled = decide(
        actor=person,
        flag_id=flag.pk,
        choice=choice,
        expected_versions=(1, 1),
        content=content,
        note=note,
    )
    return settled.memories


def test_keep_new_supersedes_the_old(person: Actor, flag: Flag) -> None:
    new, old = settle(person, flag, "keep_new")
    assert (new.status, old.status) == ("active", "superseded")
    assert old.replaced_by_id == new.pk
    assert new.confidence == 0.95  # B4: confirmed by a person
    assert new.confirmed_at is not None
    assert new.version == 2


def test_keep_old_overturns_the_new(person: Actor, flag: Flag) -> None:  # E2
    new, old = settle(person, flag, "keep_old", note="the log shows it")
    assert (new.status, old.status) == ("overturned", "active")
    assert new.replaced_by_id == old.pk
    assert old.confidence == 1.0


def test_both_true_keeps_both_with_the_note(person: Actor, flag: Flag) -> None:
    new, old = settle(person, flag, "both_true", note="02:00 on weekdays, 04:30 at weekends")
    assert (new.status, old.status) == ("active", "active")
    assert "weekends" in new.reflection
    assert "weekends" in old.reflection


def test_both_true_wants_to_know_when_or_where(person: Actor, flag: Flag) -> None:
    with pytest.raises(Invalid, match="when or where"):
        settle(person, flag, "both_true")
    assert Flag.objects.get().status == "open"


def test_merge_makes_one_text_of_two(person: Actor, flag: Flag) -> None:
    text = "Backups run at 02:00 on weekdays and at 04:30 at weekends."
    new, old = settle(person, flag, "merge", content=text)
    assert (new.content, new.status) == (text, "active")
    assert new.confidence == 1.0  # B7: the highest of its sources
    assert (old.status, old.replaced_by_id) == ("superseded", new.pk)


def test_it_compares_a_merged_text_with_the_others(
    person: Actor, actor: Actor, flag: Flag
) -> None:  # E3
    third = write_memory(actor=actor, content="The billing service uses PostgreSQL.").memory
    settle(person, flag, "merge", content="The billing service uses MySQL.")
    assert Flag.objects.open().get().counterpart_id == third.pk


@pytest.mark.parametrize("choice", ["approve", "edit_approve", "archive", "", "nonsense"])
def test_it_names_the_decisions_that_fit(person: Actor, flag: Flag, choice: str) -> None:
    with pytest.raises(Invalid, match="keep_new, keep_old, both_true, merge, reject"):
        settle(person, flag, choice)


@pytest.mark.parametrize("content", ["", "\u200b"])
def test_merge_wants_a_text(person: Actor, flag: Flag, content: str) -> None:
    with pytest.raises(Invalid, match="content is empty"):
        settle(person, flag, "merge", content=content)


def test_it_records_who_decided_what_and_why(person: Actor, flag: Flag) -> None:  # G4
    settle(person, flag, "keep_new", note="checked the cron table")
    decision = Decision.objects.get()
    assert (decision.user_id, decision.user_name) == (person.id, "rui")
    assert (decision.choice, decision.note) == ("keep_new", "checked the cron table")
    assert Flag.objects.get().resolution == "keep_new"
    assert flag.counterpart is not None
    history = flag.counterpart.versions.values_list("reason", flat=True)
    assert "checked the cron table" in history


def test_an_agent_cannot_decide(actor: Actor, flag: Flag) -> None:  # F5
    with pytest.raises(NotAllowed, match="for people"):
        settle(actor, flag, "keep_new")
    assert Flag.objects.get().status == "open"


def test_a_viewer_cannot_decide(person: Actor, flag: Flag, reviewer: object) -> None:  # G4
    Membership.objects.update(role="viewer")
    viewer = actor_for_user(reviewer)
    assert viewer is not None
    with pytest.raises(NotAllowed, match="role"):
        settle(viewer, flag, "keep_new")


@pytest.mark.django_db(transaction=True)
def test_two_people_who_agree_make_one_decision_and_no_complaint(person: Actor, flag: Flag) -> None:
    barrier, outcomes = Barrier(2), []

    def run() -> None:
        barrier.wait()
        try:
            outcomes.append([memory.version for memory in settle(person, flag, "keep_new")])
        finally:
            connection.close()

    threads = [Thread(target=run) for _each in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert outcomes == [[2, 2], [2, 2]]
    assert Decision.objects.count() == 1


def test_another_spaces_flag_does_not_exist(person: Actor, stranger: Actor) -> None:  # D1
    write_memory(actor=stranger, content=OLD)
    (foreign,) = write_memory(actor=stranger, content=NEW).flags
    with pytest.raises(NotFound):
        settle(person, foreign, "keep_new")


def test_it_refuses_to_decide_on_other_texts_than_were_seen(
    person: Actor, flag: Flag
) -> None:  # G3
    Memory.objects.filter(pk=flag.memory_id).update(version=2)
    with pytest.raises(Stale, match="changed since"):
        settle(person, flag, "keep_new")


def test_it_refuses_to_decide_twice(person: Actor, flag: Flag) -> None:
    settle(person, flag, "keep_new")
    with pytest.raises(Stale, match="rui decided this meanwhile"):
        settle(person, flag, "keep_old")


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ("keep_new", {}),
        ("merge", {"content": "Backups run at 02:00, at weekends at 04:30."}),
        ("both_true", {"note": "weekdays and weekends"}),
    ],
)
def test_the_same_decision_again_changes_nothing(
    person: Actor, flag: Flag, choice: str, said: dict[str, str]
) -> None:  # G3: a form sent twice, or two people who agree
    first = settle(person, flag, choice, **said)
    again = settle(person, flag, choice, **said)
    assert [memory.version for memory in again] == [memory.version for memory in first]
    assert Decision.objects.count() == 1


def test_rejecting_the_new_one_says_nothing_of_the_old_one(person: Actor, flag: Flag) -> None:
    new, old = decide(
        actor=person, flag_id=flag.pk, choice="reject", expected_versions=(1, 1), reason="trivial"
    ).memories
    assert (new.status, old.status) == ("overturned", "active")
    assert (old.confirmed_at, new.replaced_by_id) == (None, None)


def test_a_new_memory_against_two_old_ones_stays_pending_until_both_are_decided(
    person: Actor, actor: Actor
) -> None:
    write_memory(actor=actor, content="Backups run at 02:00.")
    second = write_memory(actor=actor, content="Backups do not run at 04:30.")
    new = write_memory(actor=actor, content="Backups run at 04:30.")
    first, *others = new.flags
    assert len([first, *others]) == 2, second
    decide(actor=person, flag_id=first.pk, choice="keep_new", expected_versions=(1, 1))
    assert Memory.objects.get(pk=new.memory.pk).status == "pending"


@pytest.mark.django_db(transaction=True)
def test_two_people_deciding_at_once_make_one_decision(person: Actor, flag: Flag) -> None:
    barrier, outcomes = Barrier(2), []

    def run(choice: str) -> None:
        barrier.wait()
        try:
            settle(person, flag, choice)
            outcomes.append("decided")
        except Stale:
            outcomes.append("stale")
        finally:
            connection.close()

    threads = [Thread(target=run, args=(choice,)) for choice in ("keep_new", "keep_old")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(outcomes) == ["decided", "stale"]
    assert Decision.objects.count() == 1
