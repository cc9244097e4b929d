"""The one place where a memory's state is written: row, version and event together (E1).

Every function here expects to run inside the caller's transaction, with the memory's row locked
unless it is new.
"""

from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from memories.models.event import Event
from memories.models.flag import Flag
from memories.models.memory import STATED_FIELDS, Memory, MemoryVersion
from memories.permissions import Actor
from memories.text.clean import fingerprint
from memories.text.index import keyword_index


def log(actor: Actor, verb: str, memory: Memory | None = None, **data: Any) -> None:
    """Add one row to the audit log."""
    _event(actor, verb, memory, data).save(force_insert=True)


def index(memory: Memory) -> None:
    """Set what is derived from the text: its hash and its keyword index."""
    memory.content_hash = fingerprint(memory.content)
    memory.keywords, memory.keyword_count = keyword_index(memory)


def create(memories: Sequence[Memory], *, actor: Actor, verb: str = "created", **data: Any) -> None:
    """Insert new, indexed memories as version 1, with one statement a table."""
    Memory.objects.bulk_create(memories)
    MemoryVersion.objects.bulk_create(_version(memory, actor) for memory in memories)
    Event.objects.bulk_create(
        _event(actor, verb, memory, {"version": 1} | data) for memory in memories
    )


def change(
    memory: Memory,
    *,
    actor: Actor,
    verb: str,
    reason: str = "",
    data: dict[str, Any] | None = None,
    **fields: Any,
) -> Memory:
    """Write the next version of a locked memory and say in the log what became what."""
    before = {name: getattr(memory, name) for name in fields if name in STATED_FIELDS}
    for name, value in fields.items():
        setattr(memory, name, value)
    memory.version += 1
    index(memory)
    memory.save()
    _version(memory, actor, reason).save(force_insert=True)
    altered = {
        name: [_plain(old), _plain(getattr(memory, name))]
        for name, old in before.items()
        if old != getattr(memory, name)
    }
    log(actor, verb, memory, version=memory.version, reason=reason, changed=altered, **(data or {}))
    return memory


def resolve(flag: Flag, *, actor: Actor, resolution: str, **data: Any) -> None:
    """Close a locked open flag."""
    flag.status = Flag.Status.RESOLVED
    flag.resolution = resolution
    flag.resolved_at = timezone.now()
    flag.save(update_fields=["status", "resolution", "resolved_at"])
    log(actor, "flag_resolved", flag.memory, flag=str(flag.pk), resolution=resolution, **data)


def _version(memory: Memory, actor: Actor, reason: str = "") -> MemoryVersion:
    return MemoryVersion(
        memory=memory,
        number=memory.version,
        reason=reason,
        actor_kind=actor.kind,
        actor_id=actor.id,
        actor_name=actor.name,
        **{name: getattr(memory, name) for name in STATED_FIELDS},
    )


def _event(actor: Actor, verb: str, memory: Memory | None, data: dict[str, Any]) -> Event:
    return Event(
        space_id=actor.space_id,
        memory_id=memory.pk if memory else None,
        verb=verb,
        actor_kind=actor.kind,
        actor_id=actor.id,
        actor_name=actor.name,
        data=data,
    )


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value
