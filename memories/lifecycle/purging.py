"""Purging: a memory is removed for good, with every row and every text that speaks of it (E6).

What stays says nothing of it: a tombstone, and in the log who did what when.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Model, Q, QuerySet
from django.dispatch import Signal

from memories import history
from memories.graph.linking import relearn
from memories.lifecycle.deleting import release
from memories.lifecycle.locking import hold_near
from memories.models.distillation import Candidate
from memories.models.flag import Flag, FlagSource
from memories.models.graph import Entity
from memories.models.job import JobRun
from memories.models.memory import Memory, Status
from memories.models.tombstone import Tombstone
from memories.permissions import Actor
from memories.writing.tombstones import leave_tombstones, was_purged

__all__ = ["flags_removed", "purge_memories", "purge_memory", "removed", "was_purged"]

Removed = Counter[str]
"""How many rows of which model were removed or blanked."""

flags_removed = Signal()
"""Sent before flags go, with `flags`, their ids: rooms above blank what else they say of them."""

# Of an event's data this is no word of any memory: numbers, ids and codes.
KEPT_DATA = (
    *("version", "flag", "kind", "resolution", "verdict", "operation", "against", "sources"),
    *("comment", "run", "job", "confidence", "source", "trial"),
)
_SCRUB = """
UPDATE memories_event SET data = coalesce((
    SELECT jsonb_object_agg(key, value) FROM jsonb_each(data) WHERE key = ANY(%(kept)s)
), '{}'::jsonb)
WHERE (memory_id = ANY(%(memories)s)
       OR memory_id = ANY(%(others)s) AND data->>'flag' = ANY(%(flags)s))
  AND data - %(kept)s::text[] <> '{}'::jsonb
"""
_BLANK = {"content": "", "quote": "", "subject": "", "question": "", "value": ""}
# Of a flag's evidence this is text.
_QUOTES = ("found", "what")
_READ = ("space", "user_id", "visibility", "agent", "content")


def purge_memory(
    *, actor: Actor, memory_id: UUID, why: Tombstone.Why = Tombstone.Why.RETENTION
) -> bool:
    """Remove one memory for good, whatever its status; return whether it was there.

    In the caller's transaction, if there is one. Nothing brings it back.
    """
    rows = Memory.objects.filter(pk=memory_id, space_id=actor.space_id)
    return bool(purge_memories(rows, actor=actor, why=why))


def purge_memories(rows: "QuerySet[Memory]", *, actor: Actor, why: Tombstone.Why) -> Removed:
    """Remove these memories for good, a few statements a table; return how many rows went.

    `rows` is asked again under the lock: what no longer belongs to it stays.
    """
    near = list(rows.order_by().values_list("pk", flat=True))
    with history.erasing("texts"):
        hold_near(near)
        due = rows.filter(pk__in=near).select_for_update(of=("self",)).order_by("pk")
        held = list(due.only(*_READ))
        if not held:
            return Counter()
        leave_tombstones(held, why)
        return _purge([memory.pk for memory in held], actor, why)


def _purge(keys: Sequence[UUID], actor: Actor, why: Tombstone.Why) -> Removed:
    sides = Q(memory__in=keys) | Q(counterpart__in=keys)
    told = list(Flag.objects.filter(sides).order_by().values_list("pk", "memory", "counterpart"))
    flags = [flag for flag, _memory, _other in told]
    others = {side for _flag, *both in told for side in both if side} - set(keys)
    entities = Entity.objects.filter(mentions__memory__in=keys).values_list("pk", flat=True)
    mentioned = set(entities.order_by())
    Candidate.objects.filter(memory__in=keys).exclude(content="").update(**_BLANK)
    _forget_quoted(keys, actor)
    _forget_errors(keys, actor)
    _scrub(keys, sorted(others), flags)
    if flags:
        flags_removed.send(sender=Flag, flags=flags)
    counts = removed(Memory.objects.filter(pk__in=keys).only("pk"))
    if mentioned:
        counts += removed(Entity.objects.filter(pk__in=mentioned, mentions__isnull=True))
        relearn(sorted(mentioned))
    history.log_each(actor, "purged", keys, why=str(why))
    waiting = Memory.objects.filter(pk__in=others, status=Status.PENDING)
    for memory in waiting.only("pk").order_by("pk"):
        release(memory, actor)
    return counts


def removed(rows: "QuerySet[Model]") -> Removed:
    """Delete rows with all that hangs on them; return how many of which model."""
    _all, told = rows.delete()
    counts: Removed = Counter()
    for label, n in told.items():
        if n:
            counts[label.rpartition(".")[2].lower()] += n
    return counts


def _scrub(keys: Iterable[UUID], others: Iterable[UUID], flags: Iterable[UUID]) -> None:
    """Leave in the events about memories, and about flags that go with them, only plain data."""
    given: dict[str, Any] = {
        "kept": list(KEPT_DATA),
        "memories": list(keys),
        "others": list(others),
        "flags": [str(flag) for flag in flags],
    }
    with connection.cursor() as cursor:
        cursor.execute(_SCRUB, given)


def _forget_quoted(keys: Sequence[UUID], actor: Actor) -> None:
    """Items about other memories may quote these: repeated in quarantine, or a source of a merge.

    Why they were opened stays, the quote goes.
    """
    repeats = Q(kind=Flag.Kind.QUARANTINE, evidence__memory__in=[str(key) for key in keys])
    merges = Q(pk__in=FlagSource.objects.filter(memory__in=keys).order_by().values("flag"))
    quoting = Flag.objects.filter(repeats | merges, space_id=actor.space_id)
    for flag in quoting.select_for_update().order_by("pk"):
        blank = {name: "" for name in _QUOTES if name in flag.evidence}
        if blank:
            flag.evidence = flag.evidence | blank
            flag.save(update_fields=["evidence"])


def _forget_errors(keys: Iterable[UUID], actor: Actor) -> None:
    """What a run says of a row that failed may quote the row; that it failed stays."""
    gone = {str(key) for key in keys}
    ended = JobRun.objects.filter(space_id=actor.space_id, finished_at__isnull=False)
    for run in ended.exclude(errors=[]).only("errors").order_by("pk"):
        told = [one | {"error": ""} if one["row"] in gone else one for one in run.errors]
        if told != run.errors:
            JobRun.objects.filter(pk=run.pk).update(errors=told)
