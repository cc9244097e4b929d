"""A memory's page, made ready for its template: its history, and what it took part in."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from django.db.models import Q, QuerySet

from memories.models.event import Event
from memories.models.flag import Flag
from memories.models.memory import Memory, MemoryVersion
from memories.permissions import Actor
from memories.reading import events_of, memories_of, versions_of
from memories.text.diff import Piece, word_diff

# A page shows this many versions, and says where the older ones are.
STEPS = 20
# Of what else happened it shows the newest, and says so.
MOST = 50
_COMPARED = ("kind", "subject", "reflection", "source", "status", "confidence")


@dataclass(frozen=True, slots=True)
class Step:
    """A version and what it changed: pieces of content, and (field, before, after) of the rest."""

    version: MemoryVersion
    pieces: Sequence[Piece]
    altered: Sequence[tuple[str, Any, Any]]


@dataclass(frozen=True, slots=True)
class History:
    """Everything a memory's page tells beside its present state."""

    steps: Sequence[Step]
    older_than: int | None
    events: Sequence[Event]
    flags: Sequence[Flag]
    replaces: Sequence[Memory]
    replaced_by: Memory | None
    most: int = MOST


def history_of(memory: Memory, actor: Actor, *, before: int | None = None) -> History:
    """Return a memory's history as far as this actor may see it: versions up to `before` − 1.

    `older_than` is the `before` of the versions that did not fit, None when all did.
    """
    versions = versions_of(actor=actor, memory_id=memory.pk)
    if before is not None:
        versions = versions.filter(number__lt=before)
    # One more than is shown, because a step is the difference between two.
    taken = list(versions[: STEPS + 1])
    near = memories_of(actor)
    by = memory.replaced_by_id
    return History(
        steps=_steps(taken)[:STEPS],
        older_than=taken[STEPS - 1].number if len(taken) > STEPS else None,
        events=list(events_of(actor=actor, memory_id=memory.pk)[:MOST]),
        flags=list(_flags_about(memory, actor)[:MOST]),
        replaces=list(near.filter(replaced_by=memory).order_by("-id")[:MOST]),
        replaced_by=near.filter(pk=by).first() if by else None,
    )


def _flags_about(memory: Memory, actor: Actor) -> "QuerySet[Flag]":
    flags: QuerySet[Flag] = Flag.objects.visible_to(actor)
    return flags.filter(Q(memory=memory) | Q(counterpart=memory)).order_by("-id")


def _steps(versions: Sequence[MemoryVersion]) -> list[Step]:
    steps = [_step(newer, older) for newer, older in pairwise(versions)]
    if versions and versions[-1].number == 1:
        steps.append(Step(versions[-1], [Piece("both", versions[-1].content)], []))
    return steps


def _step(newer: MemoryVersion, older: MemoryVersion) -> Step:
    altered = [
        (name, getattr(older, name), getattr(newer, name))
        for name in _COMPARED
        if getattr(older, name) != getattr(newer, name)
    ]
    return Step(newer, word_diff(older.content, newer.content), altered)
