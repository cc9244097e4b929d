"""A job that archives whatever is active, as the forgetting one might: for tests of doors."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import pytest

from memories import history, jobs
from memories.jobs import JOBS, Asked, Job
from memories.jobs.base import Row
from memories.lifecycle.deleting import drop_flags_of
from memories.lifecycle.locking import locked_memory
from memories.models import JobRun, Memory
from memories.models.memory import Status
from memories.permissions import Actor


def rows(asked: Asked, after: str, size: int) -> Sequence[Row]:
    """Active memories by id."""
    found = Memory.objects.filter(space_id=asked.space_id, status=Status.ACTIVE)
    beyond = found.filter(pk__gt=UUID(after)) if after else found
    return [(str(key), key) for key in beyond.order_by("pk").values_list("pk", flat=True)[:size]]


def archive(asked: Asked, row: UUID, _ready: Any) -> str:
    """Put one memory away."""
    memory = locked_memory(actor=asked.actor, memory_id=row, expected_version=None)
    history.change(memory, actor=asked.actor, verb="archived", status=Status.ARCHIVED)
    drop_flags_of(memory, asked.actor)
    return "archived"


def install(monkeypatch: pytest.MonkeyPatch, **given: Any) -> Job:
    """Add the job to those that the product knows, as "toy"."""
    plain: dict[str, Any] = {
        "code": "toy",
        "order": 1,
        "label": "Putting away",
        "meaning": "It puts everything away.",
        "outcomes": {"archived": "put away", "kept": "kept"},
        "rows": rows,
        "work": archive,
        "total": lambda asked: Memory.objects.filter(space_id=asked.space_id).count(),
        "batch": 2,
    }
    job = Job(**plain | given)
    monkeypatch.setitem(JOBS, "toy", job)
    return job


def ran(actor: Actor, job: str = "toy", *, trial: bool = False) -> JobRun:
    """Start a run, carry it to its end and return it."""
    run = jobs.start(actor=actor, job=job, trial=trial)
    return carried(run)


def carried(run: JobRun) -> JobRun:
    """Do what a worker would."""
    jobs.carry_on(run.pk)
    run.refresh_from_db()
    return run
