"""Recalls written down, and memories put in place, as of some days ago."""

import uuid
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from memories.models import Hit, Memory, Recall
from memories.models.ids import least_id
from memories.permissions import Actor
from tests.memories.recall.helpers import jot


def asked(actor: Actor, query: str, *found: Memory, days: float = 0, **said: Any) -> Recall:
    """Write down a recall of so many days ago, and what it returned, best first."""
    moment = timezone.now() - timedelta(days=days)
    fields: dict[str, Any] = {
        "id": key_of(moment),
        "space_id": actor.space_id,
        "actor_kind": actor.kind,
        "actor_id": actor.id,
        "actor_name": actor.name,
        "query": query,
        "policy_version": 0,
        "took_ms": 12,
    }
    recall = Recall.objects.create(**(fields | said))
    Recall.objects.filter(pk=recall.pk).update(created_at=moment)
    for rank, memory in enumerate(found, 1):
        arms = {"semantic": 0.9, "feedback": -0.2}
        Hit.objects.create(recall=recall, memory=memory, rank=rank, score=1 / rank, arms=arms)
        now = Memory.objects.get(pk=memory.pk)
        now.recall_count += 1
        now.last_recalled_at = max(moment, now.last_recalled_at or moment)
        Memory.objects.bulk_update([now], ["recall_count", "last_recalled_at"])
    return recall


def jotted(actor: Actor, content: str, days: float, **fields: Any) -> Memory:
    """Store a memory without an embedding that is so many days old, and so is its key."""
    moment = timezone.now() - timedelta(days=days)
    memory = jot(actor, content, id=key_of(moment), **fields)
    Memory.objects.filter(pk=memory.pk).update(created_at=moment, updated_at=moment)
    return memory


def key_of(moment: datetime) -> uuid.UUID:
    """Return a UUIDv7 of a moment."""
    return uuid.UUID(int=least_id(moment).int | uuid.uuid4().int & (1 << 60) - 1)
