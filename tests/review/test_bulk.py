"""One decision on many flags: looked at first, then each decided by itself (G2, G3)."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from memories import history
from memories.errors import Invalid, NotAllowed, NotFound
from memories.identity import actor_for_user
from memories.lifecycle import update_memory
from memories.models import Flag, Membership, Memory, Policy, Space
from memories.permissions import Actor
from review import bulk
from review.bulk import previewing, starting, work
from review.claims import claim
from review.decisions import decide
from review.filters import QueueFilter
from review.models import Decision
from review.tasks import carry_on, carry_on_waiting
from tests.people import conflict, member
from tests.review.flags import OPEN, merge_proposal
from tests.review.many import against, complaints, drafted, remembered, started, states, whys

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]


@pytest.fixture
def ada(space: Space) -> Actor:
    found = actor_for_user(member(space, "ada"))
    assert found is not None
    return found


# --- preview --------------------------------------------------------------------------------------


def test_a_preview_decides_nothing(person: Actor, actor: Actor) -> None:
    batch = drafted(person, complaints(actor, 2))
    assert (batch.state, states(batch)) == ("draft", ["waiting", "waiting"])
    assert (batch.user_id, batch.user_name, batch.query) == (person.id, "rui", "")
    assert Flag.objects.open().count() == 2
    assert not Decision.objects.exists()


def test_it_keeps_the_versions_of_every_memory_in_their_order(person: Actor, actor: Actor) -> None:
    pair, merge = conflict(actor), merge_proposal(actor)
    first = merge.sources.first()
    assert first is not None
    Memory.objects.filter(pk=first.memory_id).update(version=7)
    batch = drafted(person, [pair, merge], "reject", reason="wrong")
    assert batch.items.get(flag=pair).versions == [1, 1]
    assert batch.items.get(flag=merge).versions == [1, 7, 1]


def test_it_takes_all_that_match_a_filter(person: Actor, actor: Actor) -> None:
    complaints(actor, 3)
    conflict(actor)
    chosen = QueueFilter(kind="feedback", state="decided")
    batch = bulk.preview(actor=person, choice="keep", filter=chosen)
    assert batch.items.count() == 3
    assert batch.query == chosen.query()


def test_it_leaves_out_what_does_not_wait(person: Actor, actor: Actor) -> None:
    waiting, asleep, decided = complaints(actor, 3)
    Flag.objects.filter(pk=asleep.pk).update(snoozed_until=timezone.now() + timedelta(days=1))
    decide(actor=person, flag_id=decided.pk, choice="keep", expected_versions=(1,))
    batch = drafted(person, [waiting, asleep, decided])
    assert [item.flag_id for item in batch.items.all()] == [waiting.pk]


def test_it_leaves_out_what_is_elsewhere(
    person: Actor, actor: Actor, stranger: Actor
) -> None:  # D1
    batch = drafted(person, complaints(actor, 1) + complaints(stranger, 1))
    assert batch.items.count() == 1


@pytest.mark.parametrize("kind", OPEN)
def test_it_refuses_what_a_kind_does_not_offer(person: Actor, actor: Actor, kind: str) -> None:
    flag = OPEN[kind](actor)
    batch = drafted(person, [flag, *complaints(actor, 1)], "archive")
    item = batch.items.get(flag=flag)
    offered = kind in ("clean_up", "feedback")
    assert item.state == ("waiting" if offered else "refused")
    assert offered or "does not exist for items of the kind" in item.why


def test_it_refuses_what_somebody_else_looks_at(person: Actor, actor: Actor, ada: Actor) -> None:
    hers, mine = complaints(actor, 2)
    claim(actor=ada, flag=hers)
    claim(actor=person, flag=mine)
    batch = drafted(person, [hers, mine])
    assert batch.items.get(flag=hers).why == "ada is looking at this."
    assert batch.items.get(flag=mine).state == "waiting"


def test_it_refuses_a_text_of_ones_own_where_two_are_wanted(
    person: Actor, actor: Actor, space: Space
) -> None:  # G4
    Policy.objects.create(space=space, numbers={"review": {"two_people": True}})
    own, foreign = complaints(actor, 2)
    update_memory(actor=person, memory_id=own.memory_id, expected_version=1, content="My words.")
    batch = drafted(person, [own, foreign])
    assert "somebody else has to approve it" in batch.items.get(flag=own).why
    assert batch.items.get(flag=foreign).state == "waiting"
    assert "refused" not in states(drafted(person, [own], "reject", reason="wrong"))


@pytest.mark.parametrize(
    ("choice", "reason", "said"),
    [
        ("merge", "", "cannot be decided for many"),
        ("both_true", "", "cannot be decided for many"),
        ("nonsense", "", "Choose one of: approve, archive"),
        ("reject", "", "by one of: wrong"),
        ("reject", "nonsense", "by one of: wrong"),
        ("keep", "wrong", "Only a rejection"),
    ],
)
def test_it_refuses_at_once_what_nobody_could_carry_out(
    person: Actor, actor: Actor, choice: str, reason: str, said: str
) -> None:
    with pytest.raises(Invalid, match=said):
        drafted(person, complaints(actor, 1), choice, reason=reason)


def test_it_wants_something_to_decide(person: Actor) -> None:
    with pytest.raises(Invalid, match="at least one"):
        drafted(person, [])
    with pytest.raises(Invalid, match="None of these"):
        bulk.preview(actor=person, choice="keep", flag_ids=[uuid.uuid4()])


def test_it_says_when_it_is_too_much(
    person: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Invalid, match="At most 200"):
        bulk.preview(actor=person, choice="keep", flag_ids=[uuid.uuid4() for _ in range(201)])
    monkeypatch.setattr(previewing, "MOST", 1)
    complaints(actor, 2)
    with pytest.raises(Invalid, match="Narrow the filter"):
        bulk.preview(actor=person, choice="keep", filter=QueueFilter())


def test_a_viewer_gets_no_preview(person: Actor, actor: Actor, reviewer: object) -> None:  # G4
    flags = complaints(actor, 1)
    Membership.objects.update(role="viewer")
    viewer = actor_for_user(reviewer)
    assert viewer is not None
    with pytest.raises(NotAllowed, match="role"):
        drafted(viewer, flags)


def test_a_preview_of_many_needs_as_many_queries_as_one_of_few(
    person: Actor, actor: Actor, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for count in (2, 30):
        flags = complaints(actor, count)
        with django_assert_num_queries(7):  # with those of the policy and of the transaction
            drafted(person, flags)
        with history.erasing("texts"):
            Memory.objects.all().delete()


# --- start and carry on ---------------------------------------------------------------------------


def test_a_few_are_decided_at_once(person: Actor, actor: Actor) -> None:
    batch = started(person, complaints(actor, 3), note="looked at them")
    assert (batch.state, states(batch)) == ("done", ["decided"] * 3)
    assert batch.confirmed_at is not None
    assert batch.finished_at is not None
    assert not Flag.objects.open().exists()
    made = Decision.objects.values_list("user_name", "choice", "note", "batch")
    assert set(made) == {("rui", "keep", "looked at them", batch.pk)}


def test_many_are_left_to_the_worker(
    person: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starting, "AT_ONCE", 1)
    batch = started(person, complaints(actor, 2))
    assert (batch.state, states(batch)) == ("running", ["waiting"] * 2)
    carry_on(str(batch.pk))
    batch.refresh_from_db()
    assert (batch.state, states(batch)) == ("done", ["decided"] * 2)


def test_the_sweep_goes_on_with_what_a_worker_left(
    person: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starting, "AT_ONCE", 0)
    batch = started(person, complaints(actor, 2))
    assert bulk.carry_on(batch.pk, seconds=0.0) is False
    assert sorted(states(batch)) == ["decided", "waiting"]
    carry_on_waiting()
    batch.refresh_from_db()
    assert (batch.state, states(batch)) == ("done", ["decided"] * 2)


def test_starting_it_again_changes_nothing(person: Actor, actor: Actor) -> None:
    batch = started(person, complaints(actor, 2))
    again = bulk.start(actor=person, batch_id=batch.pk)
    assert (again.state, again.confirmed_at) == ("done", batch.confirmed_at)
    assert Decision.objects.count() == 2


def test_only_its_own_person_sees_and_starts_a_draft(
    person: Actor, actor: Actor, ada: Actor
) -> None:
    batch = drafted(person, complaints(actor, 1))
    with pytest.raises(NotFound):
        bulk.start(actor=ada, batch_id=batch.pk)
    assert not bulk.batches_of(ada).exists()
    started(person, [item.flag for item in batch.items.all()])
    assert bulk.batches_of(ada).count() == 1


def test_another_space_knows_nothing_of_a_batch(person: Actor, actor: Actor) -> None:  # D1
    batch = started(person, complaints(actor, 1))
    elsewhere = Space.objects.create(slug="other", name="Other")
    sten = actor_for_user(member(elsewhere, "sten"))
    assert sten is not None
    with pytest.raises(NotFound):
        bulk.batch_of(actor=sten, batch_id=batch.pk)


def test_it_refuses_to_start_what_has_nothing_to_decide(person: Actor, actor: Actor) -> None:
    with pytest.raises(Invalid, match="Nothing in this batch"):
        started(person, [conflict(actor)], "keep")


def test_one_that_changed_meanwhile_does_not_stop_the_rest(
    person: Actor, actor: Actor, ada: Actor
) -> None:  # G3
    changed, decided, same, free = flags = complaints(actor, 4)
    batch = drafted(person, flags)
    update_memory(actor=ada, memory_id=changed.memory_id, expected_version=1, content="Other.")
    decide(actor=ada, flag_id=decided.pk, choice="reject", expected_versions=(1,), reason="wrong")
    decide(actor=ada, flag_id=same.pk, choice="keep", expected_versions=(1,))
    bulk.start(actor=person, batch_id=batch.pk)
    why = dict(batch.items.values_list("flag", "why"))
    assert "changed since" in why[changed.pk]
    assert "ada decided this meanwhile" in why[decided.pk]
    assert why[same.pk] == "ada decided the same meanwhile."
    assert why[free.pk] == ""
    assert Memory.objects.get(pk=changed.memory_id).content == "Other."


def test_a_poisoned_one_does_not_stop_the_rest(
    person: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = flags = complaints(actor, 2)

    def poisoned(*, flag_id: uuid.UUID, **said: Any) -> object:
        settled = decide(flag_id=flag_id, **said)
        if flag_id == bad.pk:
            raise ValueError("poisoned")
        return settled

    monkeypatch.setattr(work, "decide", poisoned)
    batch = started(person, flags)
    assert batch.state == "done"
    assert batch.items.get(flag=bad).state == "refused"
    assert "error of the program" in batch.items.get(flag=bad).why
    assert [made.flag_id for made in Decision.objects.all()] == [good.pk]


def test_two_flags_about_one_memory_do_not_make_each_other_stale(
    person: Actor, actor: Actor
) -> None:
    old = remembered(actor, "The hall seats 40 people.")
    flags = [against(actor, old, f"The hall seats {n} people.") for n in (41, 42)]
    batch = started(person, flags, "keep_old")
    assert states(batch) == ["decided", "decided"]
    assert Memory.objects.get(pk=old.pk).status == "active"


def test_what_somebody_else_changed_in_between_is_stale(
    person: Actor, actor: Actor, ada: Actor
) -> None:
    old = remembered(actor, "The hall seats 40 people.")
    first, second = (against(actor, old, f"The hall seats {n} people.") for n in (41, 42))
    batch = drafted(person, [first, second], "keep_old")
    decide(actor=ada, flag_id=first.pk, choice="keep_old", expected_versions=(1, 1))
    bulk.start(actor=person, batch_id=batch.pk)
    assert "changed since" in batch.items.get(flag=second).why


def test_who_lost_their_role_decides_no_more(
    person: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:  # G4
    monkeypatch.setattr(starting, "AT_ONCE", 0)
    batch = started(person, complaints(actor, 2))
    Membership.objects.update(role="viewer")
    bulk.carry_on(batch.pk)
    assert whys(batch) == ["rui may not decide in this space any more."] * 2
    assert not Decision.objects.exists()


def test_a_deleted_account_decides_no_more(
    person: Actor, actor: Actor, reviewer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starting, "AT_ONCE", 0)
    batch = started(person, complaints(actor, 1))
    reviewer.delete()
    bulk.carry_on(batch.pk)
    assert states(batch) == ["refused"]
