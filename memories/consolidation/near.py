"""Which memories of one owner lie near one another, a whole batch of them in one statement."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet

from memories.models.flag import Flag, FlagSource
from memories.models.memory import Kind, Memory, Status

Pair = frozenset[UUID]

# The owner is the seed's own row: no two owners ever meet, nor two models (D1, E9).
_NEAR = """
SELECT seed.id, near.id, near.cosine
FROM memories_memory AS seed CROSS JOIN LATERAL (
  SELECT other.id, 1 - (other.embedding <=> seed.embedding) AS cosine
  FROM memories_memory AS other
  WHERE other.space_id = seed.space_id AND other.user_id = seed.user_id
    AND other.visibility = seed.visibility
    AND (seed.visibility = 'shared' OR other.agent_id = seed.agent_id)
    AND other.embedding_model = seed.embedding_model AND other.embedding IS NOT NULL
    AND other.status = 'active' AND NOT other.withheld AND NOT other.pinned
    AND other.kind <> 'procedure' AND other.id <> seed.id
  ORDER BY other.embedding <=> seed.embedding LIMIT %(most)s
) AS near
WHERE seed.id = ANY(%(seeds)s) AND seed.embedding IS NOT NULL AND near.cosine >= %(least)s
ORDER BY seed.id, near.cosine DESC, near.id
"""
_BETWEEN = """
SELECT one.id, other.id, 1 - (one.embedding <=> other.embedding)
FROM memories_memory AS one JOIN memories_memory AS other ON one.id < other.id
WHERE one.id = ANY(%(ids)s) AND other.id = ANY(%(ids)s)
  AND one.embedding_model = other.embedding_model
"""


def in_use(space_id: UUID) -> "QuerySet[Memory]":
    """Return what consolidation may touch in a space, whether or not people are asked about it.

    What people pinned stays as it is; the steps of a procedure belong to it alone.
    """
    rows: QuerySet[Memory] = Memory.objects.filter(
        space_id=space_id, status=Status.ACTIVE, withheld=False, pinned=False
    )
    return rows.exclude(kind=Kind.PROCEDURE)


def eligible(space_id: UUID) -> "QuerySet[Memory]":
    """Return what of it nobody is asked about."""
    opened = Flag.objects.open()
    asked = (
        Exists(opened.filter(memory=OuterRef("pk"))),
        Exists(opened.filter(counterpart=OuterRef("pk"))),
        Exists(FlagSource.objects.filter(memory=OuterRef("pk"), flag__status=Flag.Status.OPEN)),
    )
    return in_use(space_id).filter(*(~each for each in asked))


def near(seeds: Sequence[UUID], most: int, least: float) -> Mapping[UUID, Mapping[UUID, float]]:
    """Return, by seed, up to `most` memories of its owner with a cosine of at least `least`."""
    found: dict[UUID, dict[UUID, float]] = {}
    asked: dict[str, Any] = {"seeds": list(seeds), "most": most, "least": least}
    with connection.cursor() as cursor:
        cursor.execute(_NEAR, asked)
        for seed, other, cosine in cursor:
            found.setdefault(seed, {})[other] = cosine
    return found


def between(ids: Iterable[UUID]) -> Mapping[Pair, float]:
    """Return the cosine of each two of these memories, those that have one."""
    with connection.cursor() as cursor:
        cursor.execute(_BETWEEN, {"ids": list(ids)})
        return {frozenset((one, other)): cosine for one, other, cosine in cursor}


def pairs(memories: Iterable[Memory]) -> Iterable[tuple[Memory, Memory]]:
    """Return each two of these memories as (later, earlier): keys sort by the time of writing."""
    ordered = sorted(memories, key=lambda memory: memory.pk, reverse=True)
    return combinations(ordered, 2)
