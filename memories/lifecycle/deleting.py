"""Soft deletion: gone from every answer, restorable by a person until it is purged (E6)."""

from uuid import UUID

from django.db import transaction

from memories import history
from memories.inputs import short_text
from memories.lifecycle.locking import locked_memory
from memories.models.flag import Flag
from memories.models.memory import Memory, Status
from memories.permissions import Actor
from memories.reading import seen_by


def delete_memory(
    *, actor: Actor, memory_id: UUID, expected_version: int | None = None, reason: str = ""
) -> Memory:
    """Delete softly and return the memory; deleting twice changes nothing the second time.

    Raises NotFound, NotAllowed or Stale.
    """
    actor.require("write")
    reason = short_text(reason, "reason", 300)
    with transaction.atomic():
        memory = locked_memory(actor=actor, memory_id=memory_id, expected_version=expected_version)
        if memory.status != Status.DELETED:
            history.change(
                memory, actor=actor, verb="deleted", reason=reason, status=Status.DELETED
            )
            drop_flags_of(memory, actor)
    return seen_by(actor, memory_id)


def drop_flags_of(memory: Memory, actor: Actor) -> None:
    """What waited for a decision about this memory is settled by its absence."""
    opened = Flag.objects.open().select_for_update()
    for flag in [*opened.filter(memory=memory), *opened.filter(counterpart=memory)]:
        history.resolve(flag, actor=actor, resolution="withdrawn")
        other = flag.counterpart if flag.memory_id == memory.pk else flag.memory
        if other is not None:
            release(other, actor)


def release(memory: Memory, actor: Actor) -> None:
    """Make a pending memory active once nothing about it is open any more."""
    locked = Memory.objects.select_for_update().get(pk=memory.pk)
    if locked.status == Status.PENDING and not Flag.objects.open().filter(memory=locked).exists():
        history.change(locked, actor=actor, verb="released", status=Status.ACTIVE)
