"""Every recall is written down, and what it returned grows warmer (C6)."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from memories.models.recall import Hit, Recall
from memories.permissions import Actor
from memories.reading import Filters
from memories.recall.result import Scored

# Rows are locked in the order of their ids before anything refers to them, as every other writer
# does: two recalls that share hits, or a recall and a review decision, cannot deadlock.
_WARM = """
UPDATE memories_memory AS memory
SET heat = 1 + memory.heat * power(0.5, least(1000, greatest(0, coalesce(
    extract(epoch FROM now() - memory.last_recalled_at), 0)::float8) / 86400 / %(half_life)s)),
  recall_count = memory.recall_count + 1, last_recalled_at = now()
FROM (
  SELECT id FROM memories_memory WHERE id = ANY(%(ids)s) ORDER BY id FOR NO KEY UPDATE
) AS held
WHERE memory.id = held.id
RETURNING memory.id
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """What is written down of a recall besides its hits."""

    query: str
    session: str
    filters: Filters
    policy_version: int
    degraded: bool
    took_ms: float
    half_life_days: float


def logged(actor: Actor, entry: Entry, hits: Sequence[Scored]) -> UUID:
    """Write the recall and its hits and warm the memories, in one transaction; return its id.

    Warming is no change of the memory: no version, no event, `updated_at` stays.
    """
    recall = Recall(
        space_id=actor.space_id,
        actor_kind=actor.kind,
        actor_id=actor.id,
        actor_name=actor.name,
        user_id=actor.user_id,
        session=entry.session,
        query=entry.query,
        filters=_plain(entry.filters),
        policy_version=entry.policy_version,
        degraded=entry.degraded,
        took_ms=entry.took_ms,
    )
    with transaction.atomic():
        still_there = _warmed([hit.memory.pk for hit in hits], entry.half_life_days)
        recall.save(force_insert=True)
        Hit.objects.bulk_create(
            Hit(recall=recall, memory=hit.memory, rank=hit.rank, score=hit.score, arms=hit.arms)
            for hit in hits
            if hit.memory.pk in still_there
        )
    return recall.pk


def _warmed(ids: Sequence[UUID], half_life_days: float) -> set[UUID]:
    """Add 1 to what is left of each one's heat (policies.warmth) and return which still exist.

    They are locked until the transaction ends.
    """
    if not ids:
        return set()
    with connection.cursor() as cursor:
        cursor.execute(_WARM, {"ids": list(ids), "half_life": half_life_days})
        return {row[0] for row in cursor.fetchall()}


def _plain(filters: Filters) -> dict[str, Any]:
    """Return the filters that restrict, as JSON."""
    given = {name: value for name, value in asdict(filters).items() if value}
    return {
        name: value.isoformat() if hasattr(value, "isoformat") else value
        for name, value in given.items()
    }
