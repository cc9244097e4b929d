"""A corpus goes into a space with COPY, history included, as if it had been used for two years."""

import random
import uuid
from bisect import bisect
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any

from django.db import connection, models, transaction
from django.utils import timezone

from memories import history
from memories.evaluation import corpus
from memories.evaluation.vectors import vector
from memories.models import Agent, Hit, Memory, Policy, Recall, Space
from memories.models.memory import KEPT_FIELDS, STATED_FIELDS, Status
from memories.policies import JobsPolicy, warmth

AGENTS = 5
RECALLS = 0.4
"""Recalls in two years for each memory of an owner; half of the memories are never found."""
HITS = 5
HALF_LIFE = 30.0  # days
CHUNK = 5_000
"""Memories of one owner that are held at once."""

# The ids are new in each table, so the memory's own serves; the first version is as it was written.
_VERSIONS = """
INSERT INTO memories_memoryversion
  (id, memory_id, number, reason, actor_kind, actor_id, actor_name, created_at, {fields})
SELECT {id}, id, {number}, '', 'agent', agent_id, 'bench', {moment}, {values}
FROM memories_memory WHERE space_id = %s AND version >= {number}
"""
_EVENTS = """
INSERT INTO memories_event
  (id, space_id, memory_id, verb, actor_kind, actor_id, actor_name, data, created_at)
SELECT {id}, space_id, id, {verb}, 'agent', agent_id, 'bench',
  jsonb_build_object('version', {number}), {moment}
FROM memories_memory WHERE space_id = %s AND version >= {number}
"""


def sizes(memories: int, owners: int, largest: int = 0) -> list[int]:
    """Return how many memories each user gets: the first one `largest`, else all alike."""
    if largest:
        return [largest, *(sizes(memories - largest, owners - 1) if owners > 1 else ())]
    return [memories // owners + (owner < memories % owners) for owner in range(owners)]


def fill(
    space: Space,
    memories: int,
    owners: int,
    model: str,
    told: Callable[[str], None],
    *,
    largest: int = 0,
) -> None:
    """Put memories of so many users into an empty space, in sizes(); `told` hears how far it is.

    Nothing of it is started by schedule. One transaction.
    """
    now = timezone.now()
    agents = Agent.objects.bulk_create(
        Agent(space=space, name=f"bench-{number}") for number in range(AGENTS)
    )
    by_hand = JobsPolicy(**dict.fromkeys(JobsPolicy.model_fields, 0.0))
    Policy.objects.create(space=space, version=1, numbers={"jobs": by_hand.model_dump()})
    with transaction.atomic():
        with connection.cursor() as cursor:
            # Checked as they come: until the end, PostgreSQL would remember every row.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for owner, count in enumerate(sizes(memories, owners, largest)):
            _fill_owner(space, agents, owner, corpus.owned(owner, count, now), model)
            if owner % max(owners // 10, 1) == 0:
                told(f"{owner + 1} of {owners} owners filled")
        _write_history(space)
    with connection.cursor() as cursor:
        # As the server does by itself some time after so many rows.
        cursor.execute("ANALYZE")


def remove(space: Space) -> None:
    """Remove a space with all in it, table by table: row by row in Python takes minutes."""
    with history.erasing("space"):
        for rows in reversed(rows_of(space)):
            rows._raw_delete(rows.db)


def rows_of(space: Space) -> "list[models.QuerySet[Any]]":
    """Return what belongs to a space, a query for each table, the space itself first."""
    tables: dict[type[models.Model], models.QuerySet[Any]] = {}
    waiting: list[models.QuerySet[Any]] = [Space.objects.filter(pk=space.pk)]
    while waiting:
        rows = waiting.pop(0)
        if rows.model in tables:
            continue  # nearer to the space already, and there are the same rows
        tables[rows.model] = rows
        for relation in rows.model._meta.get_fields(include_hidden=True):
            if isinstance(relation, models.ForeignObjectRel) and _owned(relation):
                other, name = relation.related_model, relation.field.name
                waiting.append(other._base_manager.filter(**{f"{name}__in": rows}))
    return list(tables.values())


def _owned(relation: models.ForeignObjectRel) -> bool:
    return relation.on_delete is models.CASCADE


def key(moment: datetime, chance: random.Random) -> uuid.UUID:
    """Return a UUIDv7 of that moment: 48 bits of milliseconds, the version, the variant, chance."""
    upper = int(moment.timestamp() * 1000) << 16 | 7 << 12 | chance.getrandbits(12)
    return uuid.UUID(int=upper << 64 | 0b10 << 62 | chance.getrandbits(62))


def _fill_owner(
    space: Space, agents: Sequence[Agent], owner: int, made: list[corpus.Made], model: str
) -> None:
    chance = random.Random(f"fill {owner}")  # noqa: S311 (the same each time)
    for start in range(0, len(made), CHUNK):
        part = made[start : start + CHUNK]
        rows = [_memory(space, agents, owner, one, model, chance) for one in part]
        recalls, hits = _recalled(space, rows, chance)
        _copy(Memory, rows)
        _copy(Recall, recalls)
        _copy(Hit, hits)


def _memory(
    space: Space,
    agents: Sequence[Agent],
    owner: int,
    made: corpus.Made,
    model: str,
    chance: random.Random,
) -> Memory:
    changed = made.status != Status.ACTIVE
    memory = Memory(
        id=key(made.written, chance),
        space=space,
        user_id=f"user-{owner}",
        agent=chance.choice(agents),
        session=f"session-{owner}-{chance.randrange(50)}",
        visibility="private" if chance.random() < 0.1 else "shared",
        content=made.content,
        subject=made.subject,
        kind=made.kind,
        tags=[str(made.kind)],
        source=made.source,
        confidence=made.confidence,
        status=made.status,
        version=2 if changed else 1,
        embedding_model=model,  # the embedding itself is made as the row is written
        created_at=made.written,
        updated_at=made.written + timedelta(days=1 if changed else 0),
    )
    history.index(memory)
    return memory


def _recalled(
    space: Space, rows: Sequence[Memory], chance: random.Random
) -> tuple[list[Recall], list[Hit]]:
    """Return an owner's recalls and their hits, and warm the memories that they found."""
    found = [row for row in rows if chance.random() < 0.5]
    written = [row.created_at for row in found]
    if not found:
        return [], []
    span = timezone.now() - written[0]
    moments = sorted(written[0] + span * chance.random() for _n in range(int(len(rows) * RECALLS)))
    recalls: list[Recall] = []
    hits: list[Hit] = []
    for moment in moments:
        known = bisect(written, moment)
        recall = _recall(space, rows[0].user_id, moment, chance)
        recalls.append(recall)
        for rank, place in enumerate({int(known * chance.random() ** 2) for _n in range(HITS)}, 1):
            _warm(found[place], moment)
            hits.append(Hit(recall=recall, memory=found[place], rank=rank, score=0.5, arms={}))
    return recalls, hits


def _recall(space: Space, user_id: str, moment: datetime, chance: random.Random) -> Recall:
    fields = {"policy_version": 0, "took_ms": 20.0, "actor_kind": "agent", "actor_name": "bench"}
    asked = {"query": "bench", "created_at": moment}
    return Recall(id=key(moment, chance), space=space, user_id=user_id, **fields, **asked)


def _warm(memory: Memory, moment: datetime) -> None:
    since = memory.last_recalled_at or moment
    days = (moment - since) / timedelta(days=1)
    memory.heat = 1 + warmth(memory.heat, days, HALF_LIFE)
    memory.recall_count += 1
    memory.last_recalled_at = moment


def _copy(model: type[models.Model], rows: Iterable[models.Model]) -> None:
    """COPY rows into their table, as they are: no default of the database, no `auto_now`."""
    fields = [field for field in model._meta.concrete_fields if not isinstance(field, _SERIAL)]
    columns = ", ".join(f'"{field.column}"' for field in fields)
    values = [_value(field) for field in fields]
    table = model._meta.db_table
    with connection.cursor() as cursor, cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as out:
        for row in rows:
            out.write_row([value(row) for value in values])


_SERIAL = (models.AutoField, models.BigAutoField)


def _value(field: "models.Field[Any, Any]") -> Callable[[Any], Any]:
    """Return what makes a field's value for COPY; most are written as they are."""
    if field.model is Memory and field.attname == "embedding":
        return _embedding
    if isinstance(field, models.JSONField):
        return lambda row: field.get_db_prep_save(getattr(row, field.attname), connection)
    return attrgetter(field.attname)


def _embedding(memory: Memory) -> str:
    return f"[{','.join([f'{number:.4f}' for number in vector(memory.content)])}]"


def _write_history(space: Space) -> None:
    fields = (*STATED_FIELDS, *KEPT_FIELDS)  # named as their columns are
    listed = ", ".join(f'"{name}"' for name in fields)
    first = {"id": "id", "number": 1, "moment": "created_at", "verb": "'created'"}
    # What is not in use any more has a second version, and a verb that is called like its status.
    second = {"id": "gen_random_uuid()", "number": 2, "moment": "updated_at", "verb": "status"}
    with connection.cursor() as cursor:
        for step in (
            first | {"values": listed.replace('"status"', "'active'")},
            second | {"values": listed},
        ):
            cursor.execute(_VERSIONS.format(fields=listed, **step), [space.pk])
            cursor.execute(_EVENTS.format(fields=listed, **step), [space.pk])
