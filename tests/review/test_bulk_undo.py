"""A batch is dropped before it is confirmed, and taken back as a whole after it (G3)."""

from datetime import timedelta

import pytest
from django.utils import timezone

from memories.errors import NotFound, Stale
from memories.identity import actor_for_user
from memories.lifecycle import update_memory
from memories.models import Agent, Flag, Memory, Space
from memories.permissions import Actor
from review import bulk
from review.bulk import starting
from review.decisions import decide
from review.models import Batch, BatchItem, Decision
from review.tasks import carry_on_waiting
from review.undo import undo_decision
from tests.people import member
from tests.review.many import against, complaints, drafted, remembered, started, states, whys

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]


@pytest.fixture
def ada(space: Space) -> Actor:
    found = actor_for_user(member(space, "ada"))
    assert found is not None
    return found


def test_a_draft_can_be_dropped_and_a_batch_cannot(person: Actor, actor: Actor) -> None:
    flags = complaints(actor, 1)
    bulk.cancel(actor=person, batch_id=drafted(person, flags).pk)
    assert not Batch.objects.exists()
    bulk.cancel(actor=person, batch_id=started(person, flags).pk)
    assert Batch.objects.get().state == "done"


def test_a_forgotten_draft_goes_after_a_day(person: Actor, actor: Actor) -> None:
    flags = complaints(actor, 1)
    old, fresh = drafted(person, flags), drafted(person, flags)
    long_ago = timezone.now() - timedelta(hours=25)
    Batch.objects.filter(pk=old.pk).update(created_at=long_ago)
    carry_on_waiting()
    assert list(Batch.objects.all()) == [fresh]
    assert BatchItem.objects.count() == 1


def test_one_undo_takes_the_whole_batch_back(person: Actor, actor: Actor, agent: Agent) -> None:
    batch = started(person, complaints(actor, 3), "reject", reason="wrong")
    assert Agent.objects.get(pk=agent.pk).refuted == 3
    undone = bulk.undo_batch(actor=person, batch_id=batch.pk)
    assert (undone.state, states(undone)) == ("undone", ["undone"] * 3)
    assert Flag.objects.open().count() == 3
    assert {m.status for m in Memory.objects.all()} == {"active"}
    assert Agent.objects.get(pk=agent.pk).refuted == 0
    assert not Decision.objects.standing().exists()


def test_it_undoes_decisions_upon_one_another(person: Actor, actor: Actor) -> None:
    old = remembered(actor, "The hall seats 40 people.")
    flags = [against(actor, old, f"The hall seats {n} people.") for n in (41, 42)]
    batch = started(person, flags, "keep_old")
    assert states(bulk.undo_batch(actor=person, batch_id=batch.pk)) == ["undone", "undone"]
    old.refresh_from_db()
    assert (old.confidence, old.confirmed_at) == (0.6, None)
    assert set(Memory.objects.exclude(pk=old.pk).values_list("status", flat=True)) == {"pending"}


def test_it_keeps_what_was_changed_since_and_says_so(
    person: Actor, actor: Actor, ada: Actor
) -> None:
    kept, back = flags = complaints(actor, 2)
    batch = started(person, flags)
    update_memory(actor=ada, memory_id=kept.memory_id, expected_version=2, content="Other.")
    bulk.undo_batch(actor=person, batch_id=batch.pk)
    batch.refresh_from_db()
    assert batch.state == "undone"
    assert batch.items.get(flag=kept).state == "kept"
    assert "“Other.” was changed since" in batch.items.get(flag=kept).why
    assert batch.items.get(flag=back).state == "undone"


def test_what_was_undone_by_itself_is_undone(person: Actor, actor: Actor) -> None:
    flags = complaints(actor, 2)
    batch = started(person, flags)
    undo_decision(actor=person, decision_id=Decision.objects.get(flag=flags[0]).pk)
    decide(actor=person, flag_id=flags[0].pk, choice="archive", expected_versions=(3,))
    assert states(bulk.undo_batch(actor=person, batch_id=batch.pk)) == ["undone", "undone"]
    assert Decision.objects.standing().get().choice == "archive"


def test_undoing_stops_a_batch_that_still_runs(
    person: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starting, "AT_ONCE", 1)
    batch = started(person, complaints(actor, 3))
    bulk.carry_on(batch.pk, seconds=0.0)
    bulk.undo_batch(actor=person, batch_id=batch.pk)
    assert sorted(states(batch)) == ["refused", "refused", "undone"]
    assert set(whys(batch)) == {"The batch was stopped before its turn."}


def test_a_draft_cannot_be_undone_and_a_batch_only_once(person: Actor, actor: Actor) -> None:
    batch = drafted(person, complaints(actor, 1))
    with pytest.raises(Stale, match="Nothing of it was decided"):
        bulk.undo_batch(actor=person, batch_id=batch.pk)
    bulk.start(actor=person, batch_id=batch.pk)
    first = bulk.undo_batch(actor=person, batch_id=batch.pk)
    assert bulk.undo_batch(actor=person, batch_id=batch.pk).finished_at == first.finished_at


def test_somebody_else_may_take_it_back(person: Actor, actor: Actor, ada: Actor) -> None:
    batch = started(person, complaints(actor, 1))
    assert bulk.undo_batch(actor=ada, batch_id=batch.pk).state == "undone"
    assert Decision.objects.get().undone_by == "ada"


def test_nobody_carries_out_anothers_draft(person: Actor, actor: Actor, ada: Actor) -> None:
    batch = drafted(person, complaints(actor, 1))
    with pytest.raises(NotFound):
        bulk.start(actor=ada, batch_id=batch.pk)
