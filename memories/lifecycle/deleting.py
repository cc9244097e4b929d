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
    """What waited for a decision about this memory is settled by its absence.

    A merge proposal that would stand in for it goes, too.
    """
    opened = Flag.objects.open().about(memory).select_for_update(of=("self",)).order_by("pk")
    for flag in opened:
        history.resolve(flag, actor=actor, resolution="withdrawn")
        if flag.kind == Flag.Kind.MERGE and flag.memory_id != memory.pk:
            drop_proposal(flag, actor)
            continue
        other = flag.counterpart if flag.memory_id == memory.pk else flag.memory
        if other is not None:
            release(other, actor)


def drop_proposal(flag: Flag, actor: Actor) -> None:
    """Delete the text of a merge proposal that nobody can accept any more."""
    proposal = Memory.objects.select_for_update(no_key=True).get(pk=flag.memory_id)
    if proposal.status == Status.PENDING:
        history.change(proposal, actor=actor, verb="deleted", status=Status.DELETED)


def release(memory: Memory, actor: Actor) -> None:
    """Make a pending memory active once nothing about it is open any more."""
    locked = Memory.objects.select_for_update(no_key=True).get(pk=memory.pk)
    if locked.status == Status.PENDING and not Flag.objects.open().filter(memory=locked).exists():
        history.change(locked, actor=actor, verb="released", status=Status.ACTIVE)
