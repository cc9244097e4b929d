"""The graph's arm: question → memories → the names in them → other memories of the scope (J1).

Two hops and no more. Names that many memories of the scope mention lead nowhere, and what leads is
only what the actor may see: the scope bounds the memories that names are read from, the memories
they lead to, and the count of how many there are (D1).
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from uuid import UUID

from memories.permissions import Actor
from memories.recall.arms import READ, Candidate, Proposed, compared, statement
from memories.recall.arms_sql import VOICES
from memories.recall.prepared import prepared
from memories.recall.question import Question
from memories.text.names import keys_in

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from memories.models.memory import Memory
    from memories.recall.ranking import Ranking

SEEDS = 8
"""The best hits, whose names are followed."""
REACHED = 60
"""Memories that names may lead to."""
SHARE, FEW, MANY = 0.05, 5, 50
"""A name leads somewhere while no more than this share of the scope mentions it, or so few; never
one that so many do. Looser or fewer ones ranked no better.
"""

# `lead` are the names, by their keys, of what was found and of the question itself (seed NULL);
# `told` is who of the scope mentions them, in whatever owner's words.
_HOP = """
WITH base AS NOT MATERIALIZED ({scope}),
lead AS MATERIALIZED (
  SELECT DISTINCT memory_id AS seed, unnest(keys) AS key
  FROM memories_mention JOIN memories_entity AS entity ON entity.id = entity_id
  WHERE memory_id = ANY(%(seeds)s)
  UNION ALL SELECT NULL, unnest(%(asked)s::varchar[])
),
name AS MATERIALIZED (
  SELECT id AS entity, shared.key, count(*) OVER (PARTITION BY shared.key) AS owners
  FROM memories_entity CROSS JOIN LATERAL (
    SELECT DISTINCT unnest(keys) AS key INTERSECT SELECT key FROM lead
  ) AS shared
  WHERE space_id = %(space)s AND (%(everyone)s OR user_id = ANY(%(users)s))
    AND (%(private)s OR agent_id IS NULL OR agent_id = %(agent)s)
    AND keys && (SELECT array_agg(DISTINCT key) FROM lead)
),
told AS MATERIALIZED (
  SELECT DISTINCT name.key, memory_id FROM name CROSS JOIN LATERAL (
    SELECT memory_id FROM memories_mention JOIN base ON base.id = memory_id
    WHERE entity_id = name.entity LIMIT %(most)s + 1
  ) AS mention
  WHERE owners <= %(most)s
),
known AS (SELECT key, count(*) AS many FROM told GROUP BY key HAVING count(*) <= %(most)s),
tie AS MATERIALIZED (
  SELECT memory_id AS id, seed,
    max(1 - ln(greatest(many, 2) - 1) / ln(greatest(%(size)s, 3)))::float8 AS specific
  FROM told JOIN known USING (key) JOIN lead USING (key)
  WHERE seed IS NULL OR seed <> memory_id GROUP BY 1, 2
),
reached AS (
  SELECT id FROM tie GROUP BY id ORDER BY max(specific) DESC, count(*) DESC, id LIMIT %(reached)s
),
{voices}
SELECT tie.seed, tie.specific, id, 0.0::float8, 0.0::float8,
  CASE WHEN embedding_model = %(model)s THEN 1 - (embedding <=> %(vector)s::halfvec)
    WHEN other_model = %(model)s THEN 1 - (other_embedding <=> %(vector)s::halfvec)
  END + CASE WHEN han = %(han)s THEN 0 ELSE %(gap)s END,
  session, source, confidence, heat, coalesce(happened_at, created_at), coalesce(upheld, 0),
  coalesce(refuted, 0), last_recalled_at, coalesce(voices.useful, 0), coalesce(voices.wrong, 0),
  left(content, %(read)s)
FROM reached JOIN tie USING (id) JOIN base USING (id)
  LEFT JOIN (SELECT id AS agent_id, upheld, refuted FROM memories_agent) AS writer USING (agent_id)
  LEFT JOIN voices ON voices.memory_id = id
"""


@dataclass(frozen=True, slots=True)
class Ties:
    """Where names lead: memories not proposed before, and for each memory who leads to it.

    `to[memory][seed]` is how specific the name is that both mention, 0–1; the seed None is the
    question itself.
    """

    fresh: tuple[Candidate, ...] = ()
    to: Mapping[UUID, Mapping[UUID | None, float]] = field(default_factory=dict)

    def joined(self, more: Mapping[UUID, Mapping[UUID, float]]) -> "Ties":
        """Return these and more; of two ties between the same two the stronger one."""
        to: dict[UUID, dict[UUID | None, float]] = {key: {**by} for key, by in self.to.items()}
        for key, by in more.items():
            own = to.setdefault(key, {})
            for seed, specific in by.items():
                own[seed] = max(specific, own.get(seed, 0.0))
        return replace(self, to=to)


def followed(
    scope: "QuerySet[Memory]",
    question: Question,
    actor: Actor,
    *,
    proposed: Proposed,
    best: "Ranking",
    vector: list[float] | None,
    model: str,
) -> Ties:
    """Return where the names of the best hits and of the question lead, in one round trip.

    What was not proposed before counts by its meaning alone: no arm had found words in it.
    """
    named, scoped = statement(scope)
    given = scoped | {
        "space": actor.space_id,
        "everyone": actor.kind != "agent" and not actor.user_id,
        "users": ["", actor.user_id],
        # Not even how many private owners know a name may tell in an order (D1).
        "private": "see_private" in actor.verbs,
        "agent": actor.id if actor.kind == "agent" else None,
        "seeds": [one.id for one in best.candidates[:SEEDS]],
        "asked": keys_in(question.text),
        "most": min(max(FEW, int(SHARE * proposed.size)), MANY),
        "size": proposed.size,
        "reached": REACHED,
        "read": READ,
        "han": question.han,
        "gap": proposed.gap,
        **compared(vector, model),
    }
    with prepared() as cursor:
        voices = VOICES.format(ids="SELECT id FROM reached")
        cursor.execute(_HOP.format(scope=named, voices=voices), given)
        rows = cursor.fetchall()
    to: defaultdict[UUID, dict[UUID | None, float]] = defaultdict(dict)
    there = {one.id for one in proposed.candidates} if rows else set()
    fresh: dict[UUID, Candidate] = {}
    for seed, specific, *values in rows:
        candidate = Candidate(*values)
        to[candidate.id][seed] = specific
        if candidate.id not in there:
            fresh[candidate.id] = candidate
    return Ties(tuple(fresh.values()), to)
