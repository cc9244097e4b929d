"""history_export(): all that is known of one memory and its past, as plain JSON (E1, J4)."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Max, Min, Model, Q, QuerySet
from django.utils import timezone

from memories.models.event import Event
from memories.models.feedback import Feedback
from memories.models.flag import Flag
from memories.models.graph import Link, Mention
from memories.models.memory import KEPT_FIELDS, STATED_FIELDS, Memory, MemoryVersion
from memories.models.recall import Hit
from memories.permissions import Actor
from memories.reading import events_of, get_memory, memories_of, told_of

FORMAT, FORMAT_VERSION = "hindsight.memory_history", 1

# The columns of each table, by their own names; what only the database reads is left out.
_MEMORY = (
    "id",
    "user_id",
    "session",
    "visibility",
    *STATED_FIELDS,
    *KEPT_FIELDS,
    "version",
    "heat",
    "recall_count",
    "last_recalled_at",
    "content_hash",
    "embedding_model",
    "created_at",
    "updated_at",
)
_WHO = ("actor_kind", "actor_id", "actor_name")
_VERSION = ("number", *STATED_FIELDS, *KEPT_FIELDS, *_WHO, "reason", "operation", "created_at")
_EVENT = ("id", "verb", *_WHO, "data", "operation", "created_at")
_FLAG = (
    "id",
    "kind",
    "status",
    "memory_id",
    "counterpart_id",
    "memory_version",
    "counterpart_version",
    "reason",
    "scores",
    "evidence",
    "resolution",
    "opened_in",
    "resolved_in",
    "created_at",
    "resolved_at",
)
_FEEDBACK = ("id", "memory_version", "verdict", "note", *_WHO, "created_at")
# The verbs with which a memory comes about.
_WRITES = ("created", "imported")
# What an event says besides is for people: their comments, complaints and each other's names.
_FOR_AGENTS = ("version", "from", "reason", "kind", "resolution", "verdict", "pinned")


def history_export(*, actor: Actor, memory_id: UUID) -> dict[str, Any]:
    """Return everything about one memory that the actor may see, oldest first; raises NotFound.

    `format` and `version` name the shape; names are those of the tables, times ISO 8601 in UTC.
    Vectors are left out: they can be made again from the text.
    """
    memory = get_memory(actor=actor, memory_id=memory_id)
    events = events_of(actor=actor, memory_id=memory_id).order_by("id")
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "exported_at": timezone.now().isoformat(),
        "memory": row(memory, _MEMORY) | {"agent": memory.agent.name if memory.agent else ""},
        "versions": [row(one, _VERSION) for one in told_of(actor, memory).order_by("number")],
        "events": [event_record(event, actor) for event in events],
        "flags": [row(flag, _FLAG) for flag in flags_about(actor, memory).order_by("id")],
        "feedback": _feedback(memory, actor),
        "links": _links(memory, actor),
        "entities": sorted(
            Mention.objects.filter(memory=memory).values_list("entity__name", flat=True)
        ),
        "replaces": _texts(memories_of(actor).filter(replaced_by=memory), "pk"),
        "recalls": _recalls(memory),
    }


def steps_of(
    actor: Actor, memory: Memory, offset: int, most: int
) -> tuple[list[dict[str, Any]], bool]:
    """Return what happened to a memory, newest first from `offset` on, and whether more follows.

    A step that changed the text has it as `content`; "" otherwise, and of what was withheld.
    """
    rows = events_of(actor=actor, memory_id=memory.pk).order_by("-id")
    found = list(rows[offset : offset + most + 1])
    shown = found[:most]
    numbers = {event.pk: event.data["version"] for event in shown if _retells(event)}
    versions = told_of(actor, memory).filter(number__in=numbers.values())
    texts = dict(versions.values_list("number", "content"))
    steps = [_step(event, actor, texts.get(numbers.get(event.pk, 0), "")) for event in shown]
    return steps, len(found) > most


def _retells(event: Event) -> bool:
    """Whether the memory says something else since this event."""
    return event.verb in _WRITES or "content" in event.data.get("changed", {})


def _step(event: Event, actor: Actor, content: str) -> dict[str, Any]:
    data = event_record(event, actor)["data"]
    return {
        "at": event.created_at.isoformat(),
        "who": event.actor_name,
        "what": event.verb,
        "version": data.get("version"),
        "reason": data.get("reason", ""),
        "changed": sorted(data.get("changed", ())),
        "content": content,
    }


def flags_about(actor: Actor, memory: Memory) -> "QuerySet[Flag]":
    """Return the flags that an actor sees and that a memory took part in, newest first."""
    flags: QuerySet[Flag] = Flag.objects.visible_to(actor)
    return flags.filter(Q(memory=memory) | Q(counterpart=memory)).order_by("-id")


def version_record(version: MemoryVersion) -> dict[str, Any]:
    """Return a version with every column of its own."""
    return row(version, _VERSION)


def event_record(event: Event, actor: Actor) -> dict[str, Any]:
    """Return a row of the audit log; an agent learns which fields changed, not into what.

    What they said its versions tell, except what was withheld.
    """
    record = row(event, _EVENT)
    if actor.kind != "agent":
        return record
    told = {name: event.data[name] for name in _FOR_AGENTS if name in event.data}
    changed = event.data.get("changed")
    return record | {"data": told | ({"changed": sorted(changed)} if changed else {})}


def row(one: Model, names: Iterable[str]) -> dict[str, Any]:
    """Return columns of a row as plain JSON by their own names."""
    return {name: plain(getattr(one, name)) for name in names}


def _feedback(memory: Memory, actor: Actor) -> list[dict[str, Any]]:
    """Return what was said of it; for people, since no screen has looked at the words."""
    if actor.kind == "agent":
        return []
    said = Feedback.objects.filter(memory=memory).order_by("created_at", "pk")
    return [row(one, _FEEDBACK) for one in said]


def _links(memory: Memory, actor: Actor) -> list[dict[str, Any]]:
    seen = memories_of(actor).values("pk")
    links = Link.objects.filter(
        Q(source=memory, target__in=seen) | Q(target=memory, source__in=seen)
    ).order_by("pk")
    return [row(link, ("source_id", "target_id", "type", "origin", "created_at")) for link in links]


def _recalls(memory: Memory) -> dict[str, Any]:
    """Return how often it was recalled, with the span that the log still covers."""
    logged: Mapping[str, Any] = Hit.objects.filter(memory=memory).aggregate(
        logged=Count("pk"), first=Min("recall__created_at"), last=Max("recall__created_at")
    )
    return {"count": memory.recall_count} | {name: plain(what) for name, what in logged.items()}


def _texts(rows: "QuerySet[Memory]", name: str) -> list[str]:
    return [str(value) for value in rows.order_by(name).values_list(name, flat=True)]


def plain(value: Any) -> Any:
    """Return a column's value as JSON has it; times in ISO 8601, ids as text."""
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value
