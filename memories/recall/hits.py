"""The best candidates become hits: their memories are read in the scope they were found in."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING
from uuid import UUID

from memories.models.agent import Agent
from memories.models.flag import Flag
from memories.models.memory import WIDE, Memory
from memories.recall.arms import statement
from memories.recall.explain import explained
from memories.recall.ranking import Ranked
from memories.recall.result import Scored

if TYPE_CHECKING:
    from django.db.models import QuerySet

# What reading.memories_of() says of a memory, without an ORM expression built for each recall.
_READ = """
SELECT {columns}, agent.name AS agent_name, EXISTS (
    SELECT FROM memories_flag AS flag WHERE flag.kind = %(conflict)s AND flag.status = %(open)s
      AND memory.id IN (flag.memory_id, flag.counterpart_id)
  ) AS disputed
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
    found = {}
    for memory in Memory.objects.raw(_READ.format(columns=_columns(), scope=named), given):
        told = vars(memory)
        told["half_life_days"] = half_life_days
        name = told.pop("agent_name")
        if memory.agent_id is not None:
            memory.agent = Agent.from_db(None, ("id", "name"), (memory.agent_id, name))
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
def _columns() -> str:
    shown = (field for field in Memory._meta.concrete_fields if field.name not in WIDE)
    return ", ".join(f'memory."{field.column}"' for field in shown)
