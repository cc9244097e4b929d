"""Flags put straight into the tables, for tests of lists: no embedder has to see their texts."""

from typing import Any

from django.utils import timezone

from memories import history
from memories.models import Flag, Memory
from memories.models.memory import Visibility
from memories.permissions import Actor


def told(actor: Actor, content: str, **fields: Any) -> Memory:
    """Store a memory as its agent wrote it."""
    memory = Memory(
        space_id=actor.space_id,
        agent_id=actor.id,
        content=content,
        **{"confidence": 0.5, "visibility": Visibility.SHARED} | fields,
    )
    history.index(memory)
    history.create([memory], actor=actor)
    return memory


def flagged(
    actor: Actor,
    content: str,
    *,
    against: str = "",
    kind: str = "pending",
    reason: str = "low_confidence",
    **fields: Any,
) -> Flag:
    """Open a flag about a new memory, and about an older one when a text is given for it."""
    old = told(actor, against) if against else None
    new = told(actor, content, **fields)
    return Flag.objects.create(
        space_id=actor.space_id,
        kind=kind,
        reason=reason,
        memory=new,
        memory_version=1,
        counterpart=old,
        counterpart_version=1 if old else None,
        considered_at=timezone.now(),
    )
