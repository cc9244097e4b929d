"""Every recall is written down after its answer, and what it returned grows warmer (C6)."""

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from memories.models.recall import Hit, Recall
from memories.models.space import Space
from memories.permissions import Actor
from memories.reading import Filters
from memories.recall.afterwards import Afterwards
from memories.recall.result import Scored

PATIENCE = 2.0
"""Seconds that written() waits for a recall, which is written down within a tenth of one."""
POLLING = 0.02

# Rows are locked in the order of their ids before anything refers to them, as every other writer
# does: two batches that share hits, or one and a review decision, cannot deadlock. A memory that
# was recalled n times grows warmer by n.
_WARM = """
UPDATE memories_memory AS memory
SET heat = held.times + memory.heat * power(0.5, least(1000, greatest(0, coalesce(
    extract(epoch FROM now() - memory.last_recalled_at), 0)::float8) / 86400 / held.half_life)),
  recall_count = memory.recall_count + held.times, last_recalled_at = now()
FROM (
  SELECT id, times, half_life FROM memories_memory
    JOIN unnest(%(ids)s::uuid[], %(times)s::int[], %(half_lives)s::float8[])
      AS given(id, times, half_life) USING (id)
  ORDER BY id FOR NO KEY UPDATE OF memories_memory
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


@dataclass(frozen=True, slots=True)
class Unwritten:
    """The rows of a recall, and how fast its space cools what it returned."""

    recall: Recall
    hits: tuple[Hit, ...]
    half_life_days: float


def logged(actor: Actor, entry: Entry, hits: Sequence[Scored]) -> UUID:
    """Have a recall and its hits written down soon, and the memories warmed; return its id.

    Within a transaction that is done at once, as a part of it. Warming is no change of a memory: no
    version, no event, `updated_at` stays.
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
    rows = tuple(
        Hit(recall=recall, memory=hit.memory, rank=hit.rank, score=hit.score, arms=hit.arms)
        for hit in hits
    )
    one = Unwritten(recall, rows, entry.half_life_days)
    if connection.in_atomic_block:
        _write([one])
    else:
        _afterwards.put(one)
    return recall.pk


def settled() -> bool:
    """Have every recall of this process written down, and say whether that has been done."""
    return _afterwards.settled()


def written(recall_id: UUID) -> bool:
    """Return whether a recall is in the log; one of this moment, by any process, is waited for.

    Not to be called by who has locked a memory that it returned: the log waits for the lock.
    """
    until = _made_at(recall_id) + PATIENCE
    while not (there := Recall.objects.filter(pk=recall_id).exists()) and time.time() < until:
        if connection.in_atomic_block:
            break
        time.sleep(POLLING)
    return there


def _made_at(recall_id: UUID) -> float:
    """Return when a recall was made, as its UUIDv7 says; never later than now."""
    return min((recall_id.int >> 80) / 1000, time.time())


def _write(entries: Sequence[Unwritten]) -> None:
    """Write recalls down in one transaction, without what has gone meanwhile.

    Once and no more: the connection may have broken after the transaction that wrote them.
    """
    with transaction.atomic():
        spaces = Space.objects.in_bulk({one.recall.space_id for one in entries})
        before = Recall.objects.in_bulk([one.recall.pk for one in entries])
        kept = [
            one for one in entries if one.recall.space_id in spaces and one.recall.pk not in before
        ]
        warm = _warmed(kept)
        Recall.objects.bulk_create(one.recall for one in kept)
        Hit.objects.bulk_create(hit for one in kept for hit in one.hits if hit.memory_id in warm)


def _warmed(entries: Iterable[Unwritten]) -> set[UUID]:
    """Add to what is left of each memory's heat (policies.warmth); return which still exist.

    They are locked until the transaction ends.
    """
    half_lives = {hit.memory_id: one.half_life_days for one in entries for hit in one.hits}
    times = Counter(hit.memory_id for one in entries for hit in one.hits)
    if not times:
        return set()
    given: dict[str, Any] = {
        "ids": list(times),
        "times": list(times.values()),
        "half_lives": [half_lives[key] for key in times],
    }
    with connection.cursor() as cursor:
        cursor.execute(_WARM, given)
        return {row[0] for row in cursor.fetchall()}


def _plain(filters: Filters) -> dict[str, Any]:
    """Return the filters that restrict, as JSON."""
    given = {name: value for name, value in asdict(filters).items() if value}
    return {
        name: value.isoformat() if hasattr(value, "isoformat") else value
        for name, value in given.items()
    }


def filters_of(recall: Recall) -> Filters:
    """Return the filters that a recall was asked with."""
    given: dict[str, Any] = dict(recall.filters)
    for name in given.keys() & {"since", "until"}:
        given[name] = datetime.fromisoformat(given[name])
    return Filters(**given)


_afterwards = Afterwards(_write)
