"""The best candidates become hits: their memories are read in the scope they were found in."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING
from uuid import UUID

from django.db.models import JSONField

from memories.models.agent import Agent
from memories.models.flag import Flag
from memories.models.memory import WIDE, Memory
from memories.recall.arms import statement
from memories.recall.explain import explained
from memories.recall.prepared import prepared
from memories.recall.ranking import Ranked
from memories.recall.result import Scored

if TYPE_CHECKING:
    from django.db.models import QuerySet

# What reading.memories_of() says of a memory, without an ORM expression built for each recall.
_READ = """
SELECT {columns}, agent.name, EXISTS (
    SELECT FROM memories_flag AS flag WHERE flag.kind = %(conflict)s AND flag.status = %(open)s
      AND memory.id IN (flag.memory_id, flag.counterpart_id)
  )
FROM memories_memory AS memory LEFT JOIN memories_agent AS agent ON agent.id = memory.agent_id
WHERE memory.id IN (SELECT told.id FROM ({scope}) AS told WHERE told.id = ANY(%(ids)s))
"""


def read(
    scope: "QuerySet[Memory]", ids: Sequence[UUID], half_life_days: float
) -> dict[UUID, Memory]:
    """Return those memories that still are in the scope, each with `.disputed`, by id.

    `half_life_days` is the policy's, by which their heat is shown.
    """
    if not ids:
        return {}
    named, given = statement(scope)
    given = given | {"ids": list(ids), "conflict": Flag.Kind.CONFLICT, "open": Flag.Status.OPEN}
    names, columns = _columns()
    with prepared() as cursor:
        cursor.execute(_READ.format(columns=columns, scope=named), given)
        rows = cursor.fetchall()
    found = {}
    for *values, agent_name, disputed in rows:
        memory = Memory.from_db(scope.db, names, values)
        memory.metadata = json.loads(memory.metadata)
        vars(memory).update(half_life_days=half_life_days, disputed=disputed)
        if memory.agent_id is not None:
            memory.agent = Agent.from_db(scope.db, ("id", "name"), (memory.agent_id, agent_name))
        found[memory.pk] = memory
    return found


def scored(best: Sequence[Ranked], found: Mapping[UUID, Memory]) -> tuple[Scored, ...]:
    """Return the hits whose memories were found, in their order, from rank 1."""
    here = [one for one in best if one.candidate.id in found]
    return tuple(
        Scored(
            found[one.candidate.id],
            rank,
            min(1.0, one.score),
            one.arms,
            one.shown(),
            explained(one),
        )
        for rank, one in enumerate(here, 1)
    )


@cache
def _columns() -> tuple[list[str], str]:
    """Return the fields that are read, and their columns; JSON as text in every cursor."""
    shown = [field for field in Memory._meta.concrete_fields if field.name not in WIDE]
    columns = (
        f'memory."{field.column}"{"::text" if isinstance(field, JSONField) else ""}'
        for field in shown
    )
    return [field.attname for field in shown], ", ".join(columns)
