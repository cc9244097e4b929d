"""Memories that have been there for a while: plain helpers for tests of what age does to them."""

from datetime import UTC, datetime, timedelta
from typing import Any

from memories import jobs
from memories.models import Hit, JobRun, Memory, Policy, Recall
from memories.permissions import Actor
from tests.memories.recall.helpers import jot

NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)


def ago(days: float, now: datetime = NOW) -> datetime:
    return now - timedelta(days=days)


def unsaved(**fields: Any) -> Memory:
    """A memory of 200 days, never recalled and believed; `fields` says what is different."""
    written = fields.pop("created_at", ago(200))
    plain: dict[str, Any] = {
        "content": "The cache is cleared on deploy.",
        "confidence": 1.0,
        "created_at": written,
        "updated_at": written,
    }
    return Memory(**plain | fields)


def old(actor: Actor, content: str = "The cache is cleared on deploy.", **fields: Any) -> Memory:
    """Store a memory without an embedding, as old as unsaved(); `fields` are written besides."""
    written = fields.pop("created_at", ago(200))
    memory = jot(actor, content)
    dated = {"created_at": written, "updated_at": written} | fields
    Memory.objects.filter(pk=memory.pk).update(**dated)
    memory.refresh_from_db()
    return memory


def weak(actor: Actor, content: str = "The lift may be slow.", **fields: Any) -> Memory:
    """Store an old memory that is hardly believed."""
    return old(actor, content, **{"confidence": 0.4} | fields)


def recalled(memory: Memory, actor: Actor, at: datetime) -> None:
    """Log that a memory was recalled at a moment, without warming it."""
    recall = Recall.objects.create(
        space_id=memory.space_id,
        actor_kind=actor.kind,
        actor_id=actor.id,
        actor_name=actor.name,
        query="cache",
        policy_version=0,
        took_ms=1.0,
    )
    Recall.objects.filter(pk=recall.pk).update(created_at=at)
    Hit.objects.create(recall=recall, memory=memory, rank=1, score=1.0)


def ran(admin: Actor, job: str, *, trial: bool = False) -> JobRun:
    """Run a job to its end and return the run."""
    run = jobs.start(actor=admin, job=job, trial=trial)
    assert jobs.carry_on(run.pk)
    run.refresh_from_db()
    assert (run.state, run.errors) == ("done", [])
    return run


def aging(actor: Actor, **numbers: float) -> None:
    """Give the actor's space these numbers of the policy's section on aging."""
    Policy.objects.create(space_id=actor.space_id, numbers={"aging": numbers})
