"""The one place where a memory's state is written: row, version and event together (E1).

Every function here expects to run inside the caller's transaction, with the memory's row locked
unless it is new.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Literal
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone
from psycopg.types.json import Jsonb

from memories.dispatch import nudge
from memories.models.event import Event
from memories.models.flag import Flag, FlagSource
from memories.models.ids import new_id
from memories.models.memory import KEPT_FIELDS, STATED_FIELDS, Memory, MemoryVersion
from memories.permissions import Actor
from memories.text.clean import fingerprint
from memories.text.index import keyword_index

# What the keyword index is made of.
_INDEXED = {"content", "reflection", "subject", "tags"}
_COPIED = ", ".join((*STATED_FIELDS, *KEPT_FIELDS))
# The first version and event of memories just inserted: what they say is there already.
_BEGIN = f"""
WITH given AS MATERIALIZED (
  SELECT * FROM unnest(%(memories)s::uuid[], %(versions)s::uuid[], %(events)s::uuid[])
    AS given(memory_id, version_id, event_id)
),
version AS (
  INSERT INTO memories_memoryversion (id, memory_id, number, reason, actor_kind, actor_id,
    actor_name, operation, created_at, {_COPIED})
  SELECT version_id, id, version, '', %(actor_kind)s, %(actor_id)s::uuid, %(actor_name)s,
    %(operation)s::uuid, %(now)s, {_COPIED}
  FROM given JOIN memories_memory ON id = memory_id
)
INSERT INTO memories_event (id, space_id, memory_id, verb, actor_kind, actor_id, actor_name, data,
  operation, created_at)
SELECT event_id, space_id, id, %(verb)s, %(actor_kind)s, %(actor_id)s::uuid, %(actor_name)s,
  %(data)s, %(operation)s::uuid, %(now)s
FROM given JOIN memories_memory ON id = memory_id
"""  # noqa: S608 (names of fields alone)
_operation: ContextVar[UUID | None] = ContextVar("operation", default=None)


@contextmanager
def together(operation: UUID | None = None) -> Iterator[UUID]:
    """Give everything that is written inside one operation, so that it can be undone as one.

    Yields the operation's id, a new one unless it is given. An inner one belongs to the outer one.
    """
    operation = _operation.get() or operation or new_id()
    token = _operation.set(operation)
    try:
        yield operation
    finally:
        _operation.reset(token)


@contextmanager
def erasing(what: Literal["texts", "space"]) -> Iterator[None]:
    """Let this transaction remove versions and take texts out of events, or remove all of a space.

    The database refuses it otherwise (E1, E6); a purge is the only reason to ask.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('hindsight.erasing', %s, true)", [what])
        yield
        cursor.execute("SELECT set_config('hindsight.erasing', '', true)")


def log(actor: Actor, verb: str, memory: Memory | None = None, **data: Any) -> None:
    """Add one row to the audit log."""
    _event(actor, verb, memory.pk if memory else None, data).save(force_insert=True)


def log_each(actor: Actor, verb: str, memory_ids: Iterable[UUID], **data: Any) -> None:
    """Add a row to the audit log for each of these memories, which may be gone by now."""
    Event.objects.bulk_create(_event(actor, verb, key, data) for key in memory_ids)


def index(memory: Memory) -> set[str]:
    """Set what is derived from the text, its hash and its keyword index; return the names."""
    derived = {"content_hash": fingerprint(memory.content), **keyword_index(memory)}
    for name, value in derived.items():
        setattr(memory, name, value)
    return set(derived)


def create(memories: Sequence[Memory], *, actor: Actor, verb: str = "created", **data: Any) -> None:
    """Insert new, indexed memories as version 1, with two statements for any number."""
    if not memories:
        return
    Memory.objects.bulk_create(memories)
    ids = [(memory.pk, new_id(), new_id()) for memory in memories]
    given: dict[str, Any] = {
        "actor_kind": actor.kind,
        "actor_id": actor.id,
        "actor_name": actor.name,
        "operation": _operation.get(),
        "now": timezone.now(),
        "verb": verb,
        "data": Jsonb({"version": 1} | data),
    }
    names = ("memories", "versions", "events")
    given |= dict(zip(names, map(list, zip(*ids, strict=True)), strict=True))
    with connection.cursor() as cursor:
        cursor.execute(_BEGIN, given)


def change(
    memory: Memory,
    *,
    actor: Actor,
    verb: str,
    reason: str = "",
    data: dict[str, Any] | None = None,
    **fields: Any,
) -> Memory:
    """Write the next version of a locked memory and say in the log what became what.

    Open flags about the same text go along with it; about another text rebase_flags() decides.
    """
    before = {name: getattr(memory, name) for name in fields if name in STATED_FIELDS}
    if "embedding" in fields:
        # Another text: what the space's other model made of the old one is nothing any more.
        fields |= {"other_embedding": None, "other_model": ""}
    for name, value in fields.items():
        setattr(memory, name, value)
    memory.version += 1
    written = {*fields, "version", "updated_at"}
    if _INDEXED & fields.keys():
        written |= index(memory)
    memory.save(update_fields=written)
    _version(memory, actor, reason).save(force_insert=True)
    if before.get("content", memory.content) == memory.content:
        _carry_flags(memory)
    altered = {
        name: [_plain(old), _plain(getattr(memory, name))]
        for name, old in before.items()
        if old != getattr(memory, name)
    }
    log(actor, verb, memory, version=memory.version, reason=reason, changed=altered, **(data or {}))
    return memory


def change_each(
    changes: Sequence[tuple[Memory, dict[str, Any], dict[str, Any]]],
    *,
    actor: Actor,
    verb: str,
    reason: str = "",
) -> None:
    """Write the next version of many locked memories, as change() does, with one statement a table.

    Each comes with the same fields, none of them of its text, and with what the log says besides.
    Nothing may be open about any of them: there is no flag to go along.
    """
    if not changes:
        return
    now, events, written = timezone.now(), [], {"version", "updated_at"}
    for memory, fields, data in changes:
        altered = {
            name: [_plain(getattr(memory, name)), _plain(value)]
            for name, value in fields.items()
            if name in STATED_FIELDS and getattr(memory, name) != value
        }
        for name, value in (fields | {"version": memory.version + 1, "updated_at": now}).items():
            setattr(memory, name, value)
        written |= fields.keys()
        told = {"version": memory.version, "reason": reason, "changed": altered} | data
        events.append(_event(actor, verb, memory.pk, told))
    memories = [memory for memory, _fields, _data in changes]
    Memory.objects.bulk_update(memories, sorted(written))
    MemoryVersion.objects.bulk_create(_version(memory, actor, reason) for memory in memories)
    Event.objects.bulk_create(events)


def _carry_flags(memory: Memory) -> None:
    """What was flagged is still what it says: the flag is about its newest version."""
    opened = Flag.objects.open()
    last = memory.version - 1
    opened.filter(memory=memory, memory_version=last).update(memory_version=memory.version)
    opened.filter(counterpart=memory, counterpart_version=last).update(
        counterpart_version=memory.version
    )
    FlagSource.objects.filter(memory=memory, memory_version=last, flag__in=opened).update(
        memory_version=F("memory_version") + 1
    )


def open_flag(flag: Flag, *, actor: Actor, verb: str, **data: Any) -> Flag:
    """Insert a flag and say in the log of its memory why."""
    flag.opened_in = _operation.get()
    flag.save(force_insert=True)
    nudge("review.consider", str(flag.pk))
    log(actor, verb, flag.memory, flag=str(flag.pk), **data)
    return flag


def resolve(flag: Flag, *, actor: Actor, resolution: str, **data: Any) -> None:
    """Close a locked open flag."""
    flag.status = Flag.Status.RESOLVED
    flag.resolution = resolution
    flag.resolved_at = timezone.now()
    flag.resolved_in = _operation.get()
    flag.save(update_fields=["status", "resolution", "resolved_at", "resolved_in"])
    told = {"flag": str(flag.pk), "kind": flag.kind, "resolution": resolution}
    log(actor, "flag_resolved", flag.memory, **told, **data)


def reopen(flag: Flag, *, actor: Actor, **data: Any) -> None:
    """Open a locked resolved flag again: what resolved it was undone."""
    flag.status = Flag.Status.OPEN
    flag.resolution, flag.resolved_at, flag.resolved_in = "", None, None
    flag.save(update_fields=["status", "resolution", "resolved_at", "resolved_in"])
    log(actor, "flag_reopened", flag.memory, flag=str(flag.pk), **data)


def _version(memory: Memory, actor: Actor, reason: str = "") -> MemoryVersion:
    return MemoryVersion(
        memory=memory,
        number=memory.version,
        reason=reason,
        actor_kind=actor.kind,
        actor_id=actor.id,
        actor_name=actor.name,
        operation=_operation.get(),
        **{name: getattr(memory, name) for name in (*STATED_FIELDS, *KEPT_FIELDS)},
    )


def _event(actor: Actor, verb: str, memory_id: UUID | None, data: dict[str, Any]) -> Event:
    return Event(
        space_id=actor.space_id,
        memory_id=memory_id,
        verb=verb,
        actor_kind=actor.kind,
        actor_id=actor.id,
        actor_name=actor.name,
        data=data,
        operation=_operation.get(),
    )


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value
