"""What a memory is to others of its owner, where its words say so: supports, caused by."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from memories.graph.entities import entities
from memories.models.graph import Link
from memories.models.memory import LIVE, Kind, Memory
from memories.policies import PolicyNumbers
from memories.writing.compare import Statement, compare
from memories.writing.judge import statement_of, thresholds_for

COMMON = 40
"""A name that so many memories of one owner mention tells nothing about two of them."""
MOST = 3
"""Links of one type that one memory begins."""
EVENTS = frozenset({Kind.INCIDENT, Kind.DISCOVERY, Kind.CORRECTION, Kind.DECISION})
"""What can be the cause of something: what happened, not what is."""

_CAUSE = re.compile(
    r"\b(?:because(?: of)?|due to|caused by|owing to|as a result of|thanks to|triggered by"
    r"|root cause(?: was| is)?:?)\b(?P<en>[^.;!?\n]*)"
    r"|(?:因为|由于|起因是|原因是|根因是|是因为|归因于)(?P<han>[^。；！？\n,，]*)"
    r"|(?P<before>[^。；！？\n]*?)(?:导致|引起|引发|造成)"
)
# One round trip for a batch: who shares a name that few mention, or the subject, is of the same
# owner, and can support (somebody else says nearly the same) or have caused it (an event).
_RELATED = """
WITH asked AS (SELECT * FROM unnest(%(memories)s::uuid[], %(entities)s::uuid[]) AS a(mine, entity)),
spoken AS MATERIALIZED (
  SELECT entity, array_agg(memory_id) AS memories
  FROM (SELECT DISTINCT entity FROM asked) AS name CROSS JOIN LATERAL (
    SELECT memory_id FROM memories_mention WHERE entity_id = entity LIMIT %(common)s
  ) AS mention
  GROUP BY entity HAVING count(*) < %(common)s
),
near AS (
  SELECT mine, memory_id AS id, array_agg(entity) AS entities
  FROM asked JOIN spoken USING (entity) CROSS JOIN LATERAL unnest(memories) AS memory_id
  WHERE memory_id <> mine GROUP BY mine, memory_id
  UNION ALL
  SELECT mine.id, same.id, ARRAY[]::uuid[] FROM memories_memory AS mine CROSS JOIN LATERAL (
    SELECT id FROM memories_memory AS other
    WHERE other.space_id = mine.space_id AND other.user_id = mine.user_id AND other.subject <> ''
      AND upper(other.subject) = upper(mine.subject) AND other.id <> mine.id
    ORDER BY id DESC LIMIT %(common)s
  ) AS same
  WHERE mine.id = ANY(%(subjects)s)
),
pair AS (
  SELECT near.mine, other.id, other.content, other.subject, other.kind, other.source,
    other.agent_id, coalesce(other.happened_at, other.created_at) AS moment, near.entities,
    other.agent_id IS DISTINCT FROM mine.agent_id OR other.source <> mine.source AS apart,
    CASE WHEN other.embedding_model = mine.embedding_model AND mine.embedding_model <> ''
      THEN 1 - (other.embedding <=> mine.embedding) END AS cosine
  FROM near JOIN memories_memory AS other USING (id)
    JOIN memories_memory AS mine ON mine.id = near.mine
  WHERE other.space_id = mine.space_id AND other.user_id = mine.user_id
    AND other.visibility = mine.visibility
    AND (mine.visibility = 'shared' OR other.agent_id = mine.agent_id)
    AND other.status = ANY(%(live)s) AND NOT other.withheld
)
SELECT mine, id, content, subject, kind, source, agent_id, moment, entities, apart, cosine FROM pair
WHERE (apart AND cosine >= %(least)s) OR (kind = ANY(%(events)s) AND mine = ANY(%(effects)s))
"""
LEAST = 0.8
"""A cosine under which nothing supports anything, whatever the model; its profile decides."""


@dataclass(frozen=True, slots=True)
class Other:
    """A memory of the same owner that shares something; `cosine` None where none can be had."""

    id: UUID
    content: str
    subject: str
    kind: str
    source: str
    agent_id: UUID | None
    moment: datetime
    entities: Sequence[UUID]
    apart: bool
    cosine: float | None


def links_for(
    spoken: Mapping[UUID, tuple[Memory, Mapping[str, UUID]]], policy: PolicyNumbers
) -> Iterator[Link]:
    """Yield the links of memories whose mentions are stored, each with its entities by key."""
    able = {
        pk: (memory, names)
        for pk, (memory, names) in spoken.items()
        if memory.status in LIVE and not memory.withheld and (names or memory.subject)
    }
    for pk, others in _others(able).items():
        memory, names = able[pk]
        yield from _causes(memory, names, others)
        yield from _agreeing(memory, others, policy)


def causes_in(text: str) -> list[str]:
    """Return what a text gives as a cause: what follows “because”, what stands before 导致."""
    found = (match["en"] or match["han"] or match["before"] for match in _CAUSE.finditer(text))
    return [cause.strip() for cause in found if cause and cause.strip()]


def _others(
    able: Mapping[UUID, tuple[Memory, Mapping[str, UUID]]],
) -> dict[UUID, list[Other]]:
    """Return for each memory what of its owner may be linked with it."""
    pairs = [(pk, entity) for pk, (_memory, names) in able.items() for entity in names.values()]
    given: dict[str, Any] = {
        "memories": [pk for pk, _entity in pairs],
        "entities": [entity for _pk, entity in pairs],
        "subjects": [pk for pk, (memory, _names) in able.items() if memory.subject],
        "effects": [pk for pk, (memory, _names) in able.items() if causes_in(memory.content)],
        "events": list(EVENTS),
        "common": COMMON,
        "least": LEAST,
        "live": list(LIVE),
    }
    if not able:
        return {}
    found: dict[UUID, dict[UUID, Other]] = {}
    with connection.cursor() as cursor:
        cursor.execute(_RELATED, given)
        for mine, *row in cursor.fetchall():
            found.setdefault(mine, {}).setdefault(row[0], Other(*row))
    return {mine: list(others.values()) for mine, others in found.items()}


def _causes(memory: Memory, names: Mapping[str, UUID], others: Sequence[Other]) -> Iterator[Link]:
    """Yield caused-by links to earlier events that speak of what the memory gives as its cause."""
    clauses = causes_in(memory.content)
    if not clauses:
        return
    keys = {name.key for clause in clauses for name in entities(f"… {clause}")}
    causing = {names[key] for key in keys if key in names}
    moment = memory.happened_at or memory.created_at
    earlier = [
        (len(causing & set(one.entities)), one.cosine or 0.0, one)
        for one in others
        if one.kind in EVENTS and one.moment <= moment and causing & set(one.entities)
    ]
    for _shared, _cosine, one in sorted(earlier, key=lambda row: row[:2], reverse=True)[:MOST]:
        yield Link(source=memory, target_id=one.id, type=Link.Type.CAUSED_BY)


def _agreeing(memory: Memory, others: Sequence[Other], policy: PolicyNumbers) -> Iterator[Link]:
    """Yield supports links with what another agent or another source says alike (F3).

    The later one supports the earlier. What contradicts never supports, however near it is.
    """
    thresholds = thresholds_for(memory.embedding_model)
    least = thresholds.duplicate - policy.writing.same_subject_margin
    independent = [
        one for one in others if one.apart and one.cosine is not None and one.cosine >= least
    ]
    independent.sort(key=lambda one: one.cosine or 0.0, reverse=True)
    for one in independent[:MOST]:
        said = Statement(one.content, one.subject)
        verdict = compare(statement_of(memory), said, one.cosine, thresholds)
        same = bool(memory.subject) and memory.subject.casefold() == one.subject.casefold()
        if verdict.kind == "duplicate" or (same and verdict.kind == "distinct"):
            later, earlier = max(memory.pk, one.id), min(memory.pk, one.id)
            yield Link(source_id=later, target_id=earlier, type=Link.Type.SUPPORTS)
