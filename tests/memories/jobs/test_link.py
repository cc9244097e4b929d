"""The job that puts new and changed memories in the graph (A3, I5)."""

from typing import Any

import pytest
from django.contrib.auth import get_user_model

from memories import jobs
from memories.errors import Invalid
from memories.graph import linking
from memories.graph.entities import Name, entities
from memories.identity import actor_for_user
from memories.jobs.kinds.link import JOB
from memories.models import Event, Membership, Memory, MemoryVersion, Space
from memories.models.graph import Mention
from memories.permissions import Actor
from memories.policies import JobsPolicy
from tests.memories.recall.helpers import jot


@pytest.fixture
def admin(space: Space) -> Actor:
    user = get_user_model().objects.create_user("ada", password="look-back-1")
    Membership.objects.create(space=space, user=user, role=Membership.Role.ADMIN)
    found = actor_for_user(user)
    assert found is not None
    return found


def test_it_links_what_waits_and_nothing_twice(actor: Actor, admin: Actor) -> None:  # I5
    told = [jot(actor, f"Orion Labs hired {n} people.") for n in range(3)]
    jot(actor, "nothing to see")
    run = jobs.start(actor=admin, job="link")
    jobs.carry_on(run.pk)
    run.refresh_from_db()
    assert (run.state, run.total, run.done) == ("done", 4, 4)
    assert run.counts == {"linked": 3, "alone": 1}
    assert Mention.objects.filter(memory__in=told).count() == 3
    again = jobs.start(actor=admin, job="link")
    jobs.carry_on(again.pk)
    again.refresh_from_db()
    assert (again.state, again.counts) == ("done", {})


def test_it_changes_no_memory(actor: Actor, admin: Actor) -> None:  # E1
    memory = jot(actor, "Orion Labs moved to Berlin.")
    before = Memory.objects.values("version", "updated_at", "content").get(pk=memory.pk)
    jobs.carry_on(jobs.start(actor=admin, job="link").pk)
    assert Memory.objects.values("version", "updated_at", "content").get(pk=memory.pk) == before
    assert MemoryVersion.objects.filter(memory=memory).count() == 1
    assert list(Event.objects.filter(memory_id=memory.pk).values_list("verb", flat=True)) == [
        "created"
    ]


def test_it_leaves_other_spaces_alone(actor: Actor, admin: Actor, stranger: Actor) -> None:  # D1
    foreign = jot(stranger, "Orion Labs moved to Berlin.")
    jobs.carry_on(jobs.start(actor=admin, job="link").pk)
    assert not Mention.objects.filter(memory=foreign).exists()


def test_it_notes_a_poisoned_row_and_links_the_rest(
    actor: Actor, admin: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:  # I5
    good, bad = jot(actor, "Orion Labs moved."), jot(actor, "Vega Labs moved.")
    found = entities
    too_long = Name("x" * 200, "x")

    def poisoned(text: str, *more: Any) -> tuple[Name, ...]:
        return (*found(text, *more), *([too_long] if "Vega" in text else []))

    monkeypatch.setattr(linking, "entities", poisoned)
    run = jobs.start(actor=admin, job="link")
    jobs.carry_on(run.pk)
    run.refresh_from_db()
    assert (run.state, run.failed, run.counts) == ("done", 1, {"linked": 1})
    assert Mention.objects.filter(memory=good).exists()
    assert not Mention.objects.filter(memory=bad).exists()


def test_it_has_no_dry_run(admin: Actor) -> None:
    with pytest.raises(Invalid):
        jobs.start(actor=admin, job="link", trial=True)


def test_it_runs_as_often_as_the_policy_says() -> None:
    assert JOB.interval(JobsPolicy(link_days=0.5)) == 0.5
