"""Undoing what a run did to a batch of memories with a few statements a batch (E1, I5)."""

from collections import Counter
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from memories import history
from memories.lifecycle.locking import hold_near
from memories.lifecycle.undoing import RESTORED, Embeddings, Step, steps_of, undo_at
from memories.models.flag import Flag, FlagSource
from memories.models.memory import WIDE, Memory
from memories.permissions import Actor

# What the keyword index is made of: a change of it is a change of text, which takes more.
_TEXT = ("content", "reflection", "subject", "tags")


def undo_each(
    *,
    actor: Actor,
    operation: UUID,
    memory_ids: Sequence[UUID],
    embeddings: Embeddings,
    reason: str = "",
) -> Counter[str]:
    """Do what undo_at() does for each of these memories; return how many had which outcome.

    Raises what undo_at() raises, and IntegrityError when another memory says the same by now: then
    nothing of the batch may stay.
    """
    hold_near(memory_ids)
    rows = Memory.objects.visible_to(actor).defer(*WIDE).in_bulk(memory_ids)
    flagged = _flagged(operation, memory_ids)
    plain = {
        step.memory_id: (rows[step.memory_id], step)
        for step in steps_of(operation, memory_ids)
        if step.memory_id in rows and step.memory_id not in flagged
        if _is_plain(rows[step.memory_id], step)
    }
    _bring_back(list(plain.values()), actor, reason)
    outcomes: Counter[str] = Counter(undone=len(plain))
    for key in memory_ids:
        if key not in plain:
            outcome = undo_at(
                actor=actor,
                operation=operation,
                memory_id=key,
                embeddings=embeddings,
                reason=reason,
            )
            outcomes[outcome] += 1
    del outcomes[""]
    return outcomes


def _is_plain(memory: Memory, step: Step) -> bool:
    """Whether only fields of its row come back: it was not touched since, and says the same."""
    before = step.before
    if before is None or before.replaced_by_id or memory.version != step.after:
        return False
    return all(getattr(memory, name) == getattr(before, name) for name in _TEXT)


def _bring_back(plain: Sequence[tuple[Memory, Step]], actor: Actor, reason: str) -> None:
    names = {
        name
        for memory, step in plain
        for name in RESTORED
        if getattr(memory, name) != getattr(step.before, name)
    }
    changes: list[tuple[Memory, dict[str, Any], dict[str, Any]]] = [
        (memory, {name: getattr(step.before, name) for name in names}, {}) for memory, step in plain
    ]
    history.change_each(changes, actor=actor, verb="undone", reason=reason)


def _flagged(operation: UUID, memory_ids: Sequence[UUID]) -> set[UUID]:
    """Return those of the memories that an open flag, or one of the operation, speaks of."""
    concerned = Q(status=Flag.Status.OPEN) | Q(opened_in=operation) | Q(resolved_in=operation)
    flags: QuerySet[Flag] = Flag.objects.filter(concerned).about(*memory_ids)
    sides = flags.values_list("memory_id", "counterpart_id")
    sources = FlagSource.objects.filter(flag__in=flags).values_list("memory_id", flat=True)
    return {key for pair in sides for key in pair if key} | set(sources)
