"""Selectors: what an actor may read, one function a question. Foreign and missing look the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, FloatField, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast, Coalesce
from django.utils.translation import gettext as _

from memories.errors import NotFound
from memories.models.event import Event
from memories.models.flag import Flag
from memories.models.memory import WIDE, Memory, MemoryVersion
from memories.models.policy import Policy
from memories.permissions import Actor
from memories.policies import AgingPolicy


@dataclass(frozen=True, slots=True)
class Filters:
    """Which memories (C3): empty fields do not restrict; times bound when it happened."""

    kinds: Sequence[str] = ()
    tags: Sequence[str] = ()
    statuses: Sequence[str] = ()
    agent: str = ""
    session: str = ""
    user_id: str = ""
    since: datetime | None = None
    until: datetime | None = None
    min_confidence: float = 0.0

    def condition(self) -> Q:
        """Return the filters as one condition on memories; user_id narrows to exactly that user."""
        given = {
            "kind__in": list(self.kinds),
            "tags__contains": list(self.tags),
            "status__in": list(self.statuses),
            "agent__name": self.agent,
            "session": self.session,
            "user_id": self.user_id,
            "confidence__gte": self.min_confidence,
        }
        condition = Q(**{name: value for name, value in given.items() if value})
        if self.since:
            condition &= Q(happened_at__gte=self.since) | Q(
                happened_at__isnull=True, created_at__gte=self.since
            )
        if self.until:
            condition &= Q(happened_at__lt=self.until) | Q(
                happened_at__isnull=True, created_at__lt=self.until
            )
        return condition


def missing() -> NotFound:
    """The one answer to an id that is unknown or belongs to someone else (D1)."""
    return NotFound(
        _("There is no such memory here. If it is about one user, pass that user_id."),
        field="memory_id",
    )


def memories_of(actor: Actor, filters: Filters | None = None) -> "QuerySet[Memory]":
    """Return the memories an actor may read, newest first, each with `.disputed`."""
    actor.require("read")
    condition = (filters or Filters()).condition()
    return _annotated(Memory.objects.visible_to(actor).filter(condition))


def get_memory(*, actor: Actor, memory_id: UUID) -> Memory:
    """Return one memory with `.disputed`, whatever its status, or raise NotFound."""
    actor.require("read")
    return seen_by(actor, memory_id)


def seen_by(actor: Actor, memory_id: UUID) -> Memory:
    """Return one memory for a service with its own rule of who may call it, or raise NotFound."""
    memory = _annotated(Memory.objects.visible_to(actor)).filter(pk=memory_id).first()
    if memory is None:
        raise missing()
    return memory


def _annotated(memories: "QuerySet[Memory]") -> "QuerySet[Memory]":
    """Leave out what only the database reads, and add what every door shows."""
    shown = memories.select_related("agent").defer(*WIDE)
    return shown.annotate(disputed=is_disputed(), half_life_days=half_life())


def versions_of(*, actor: Actor, memory_id: UUID) -> "QuerySet[MemoryVersion]":
    """Return a memory's history, newest first, or raise NotFound."""
    return told_of(actor, get_memory(actor=actor, memory_id=memory_id))


def told_of(actor: Actor, memory: Memory) -> "QuerySet[MemoryVersion]":
    """Return the versions of a memory that an actor sees, newest first.

    What was withheld reaches no agent later on either, though people let another text pass (F2).
    """
    versions: QuerySet[MemoryVersion] = MemoryVersion.objects.filter(memory=memory)
    return versions.filter(withheld=False) if actor.kind == "agent" else versions


def events_of(*, actor: Actor, memory_id: UUID) -> "QuerySet[Event]":
    """Return the audit rows of a memory, newest first, or raise NotFound."""
    memory = get_memory(actor=actor, memory_id=memory_id)
    return Event.objects.filter(space_id=actor.space_id, memory_id=memory.pk)


def half_life() -> Coalesce:
    """The days after which half of a memory's heat is left, by its space's newest policy (E5)."""
    newest = Policy.objects.filter(space_id=OuterRef("space_id")).order_by("-version")
    given = KeyTextTransform("half_life_days", KeyTransform("aging", "numbers"))
    days = Subquery(newest.values(days=Cast(given, FloatField()))[:1])
    return Coalesce(days, Value(AgingPolicy().half_life_days))


def is_disputed() -> Q | Exists:
    """Whether an open conflict speaks of the memory: recall says so until it is decided (E3)."""
    conflicts = Flag.objects.open().filter(kind=Flag.Kind.CONFLICT)
    return Exists(conflicts.filter(memory=OuterRef("pk"))) | Exists(
        conflicts.filter(counterpart=OuterRef("pk"))
    )
