"""The trash is emptied after the policy's time, and nothing else is touched (E6)."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memories import jobs
from memories.jobs.kinds import purge
from memories.lifecycle.purging import purge_memories
from memories.models import Event, JobRun, Memory, MemoryVersion, Policy, Tombstone
from memories.permissions import Actor
from tests.memories.recall.helpers import jot

pytestmark = pytest.mark.django_db


def deleted(actor: Actor, content: str, days: float, **said: Any) -> Memory:
    """Write a memory that lies in the trash for so many days."""
    memory = jot(actor, content, status="deleted", **said)
    since = timezone.now() - timedelta(days=days)
    Memory.objects.filter(pk=memory.pk).update(updated_at=since)
    return memory


def ran(admin: Actor, **how: Any) -> JobRun:
    run = jobs.start(actor=admin, job="purge", **how)
    jobs.carry_on(run.pk)
    run.refresh_from_db()
    return run


def left() -> set[str]:
    return set(Memory.objects.values_list("content", flat=True))


def test_it_removes_what_was_deleted_long_enough_ago(admin: Actor, actor: Actor) -> None:
    deleted(actor, "old", 31)
    deleted(actor, "fresh", 29)
    live = jot(actor, "live")
    Memory.objects.filter(pk=live.pk).update(updated_at=timezone.now() - timedelta(days=99))
    run = ran(admin)
    assert (run.state, run.counts, run.total) == ("done", {"purged": 1}, 1)
    assert left() == {"fresh", "live"}


def test_the_time_is_the_policys(admin: Actor, actor: Actor) -> None:
    deleted(actor, "old", 3)
    Policy.objects.create(space_id=actor.space_id, numbers={"aging": {"trash_days": 2}})
    ran(admin)
    assert left() == set()


def test_twice_is_once(admin: Actor, actor: Actor) -> None:  # I5
    deleted(actor, "old", 31)
    assert ran(admin).counts == {"purged": 1}
    events = Event.objects.filter(verb="purged").count()
    assert (ran(admin).counts, Event.objects.filter(verb="purged").count()) == ({}, events)


def test_a_dry_run_counts_and_changes_nothing(admin: Actor, actor: Actor) -> None:
    for text in ("one", "two"):
        deleted(actor, text, 31)
    assert ran(admin, trial=True).counts == {"purged": 2}
    assert left() == {"one", "two"}
    assert MemoryVersion.objects.count() == 2
    assert not Tombstone.objects.exists()


def test_one_that_was_restored_meanwhile_stays(
    admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in ("one", "two"):
        deleted(actor, text, 31)

    def restored_first(rows: Any, **said: Any) -> Any:
        Memory.objects.filter(content="one").update(status="active")
        return purge_memories(rows, **said)

    monkeypatch.setattr(purge, "purge_memories", restored_first)
    assert ran(admin).counts == {"purged": 1}
    assert left() == {"one"}


def test_a_row_that_fails_stops_no_other(
    admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in ("one", "two", "three"):
        deleted(actor, text, 31)

    def poisoned(rows: Any, **said: Any) -> Any:
        if rows.filter(content="two").exists():
            raise RuntimeError
        return purge_memories(rows, **said)

    monkeypatch.setattr(purge, "purge_memories", poisoned)
    run = ran(admin)
    assert (run.state, run.counts, run.failed) == ("done", {"purged": 2}, 1)
    assert left() == {"two"}


def test_another_space_keeps_its_trash(admin: Actor, stranger: Actor) -> None:  # D1
    deleted(stranger, "theirs", 99)
    ran(admin)
    assert left() == {"theirs"}
