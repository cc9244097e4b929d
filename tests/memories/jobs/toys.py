"""A toy job for tests of the runner: it marks memories, and does what a test wants on the way."""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

import pytest

from memories import history
from memories.jobs import Asked, Job, runner, starting
from memories.jobs.base import Row
from memories.models import Memory
from memories.permissions import Actor
from tests.memories.recall.helpers import jot

Hook = Callable[[Memory], None]


def rows(asked: Asked, after: str, size: int) -> Sequence[Row]:
    """Memories by id."""
    found = Memory.objects.filter(space_id=asked.space_id).order_by("pk")
    if after:
        found = found.filter(pk__gt=UUID(after))
    return [(str(memory.pk), memory) for memory in found[:size]]


def marking(hook: Hook | None = None, **given: Any) -> Job:
    """Return a job that gives every memory the tag “seen”, once; `hook` is called before."""

    def work(asked: Asked, row: Memory, _ready: Any) -> str:
        memory = Memory.objects.select_for_update().get(pk=row.pk)
        if hook is not None:
            hook(memory)
        if "seen" in memory.tags:
            return ""
        history.change(memory, actor=asked.actor, verb="updated", tags=["seen"])
        return "marked"

    plain: dict[str, Any] = {
        "code": "toy",
        "order": 1,
        "label": "Toy",
        "meaning": "Marks memories.",
        "outcomes": {"marked": "marked"},
        "rows": rows,
        "work": work,
        "total": lambda asked: Memory.objects.filter(space_id=asked.space_id).count(),
        "batch": 2,
    }
    return Job(**plain | given)


def install(monkeypatch: pytest.MonkeyPatch, *jobs: Job) -> None:
    """Let the product know these jobs and no others."""
    for room in (runner, starting):
        monkeypatch.setattr(room, "JOBS", {job.code: job for job in jobs})


def some(actor: Actor, count: int = 5) -> list[Memory]:
    """Store memories that need no embedding."""
    return [jot(actor, f"Note number {number}.") for number in range(count)]


def seen(actor: Actor) -> int:
    """Return how many memories of the space were marked."""
    return Memory.objects.filter(space_id=actor.space_id, tags=["seen"]).count()
