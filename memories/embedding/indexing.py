"""The indexes that a space gets once one of its owners has very many memories.

HNSW makes a write some ten times slower, so no other space has them; and a small scope is read
faster as a whole. They are of one space and one model, are made while everything goes on, and are
told apart by their names, so that what there is stands in the catalogue alone.
"""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID

from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.db.models import Count
from psycopg import sql

from memories.models.job import JobRun
from memories.models.memory import LIVE, Memory, Visibility
from memories.models.space import Space

MANY = 15_000
"""Memories of one owner from which a space gets its indexes (recall/nearest.py says why)."""
MOST_DIMENSIONS = 4_000
"""HNSW holds no longer vectors of half precision."""
SECONDS = 30.0
"""How long it is believed which indexes there are."""
WORK_MEMORY = "256MB"
"""For making one: a graph of 100,000 vectors fits in."""
_LOCK = 0x68_6E_73_77  # "hnsw"

IN_HAN = "content ~ '[一-鿿]'"
"""The condition of the first graph, the other has what is left: who wants an index says it so."""
_HNSW = (
    "USING hnsw ((embedding::halfvec({dimensions})) halfvec_cosine_ops) WHERE space_id = {space}"
)
_MOMENT = "coalesce(happened_at, created_at)"
# A graph for each script: what is asked in one of them looks for its answers in both.
_PARTS = {
    "han": f"{_HNSW} AND embedding_model = {{model}} AND {IN_HAN}",
    "other": f"{_HNSW} AND embedding_model = {{model}} AND NOT {IN_HAN}",
    "sample": "(user_id, uuid_hash(id)) WHERE space_id = {space}",
    "moment": f"({_MOMENT}) WHERE space_id = {{space}}",
    "session": f"(session, {_MOMENT}, id) WHERE space_id = {{space}} AND session <> ''",
}


@dataclass(frozen=True, slots=True)
class Ready:
    """The indexes of a space and a model are there; `memories` is about how many they hold.

    `owners` are the users who have MANY memories that every agent sees.
    """

    dimensions: int
    memories: int
    owners: frozenset[str]


_known: dict[tuple[UUID, str], tuple[float, Ready | None]] = {}


def ready(space_id: UUID, model: str) -> Ready | None:
    """Return what to know of the indexes of a space and a model, None unless all can be used.

    While a space changes its model, a vector may stand in either place, and only one is indexed.
    """
    now = time.monotonic()
    until, known = _known.get((space_id, model), (-math.inf, None))
    if now >= until:
        known = None if changing(space_id) else _found(space_id, model)
        _known[space_id, model] = now + SECONDS, known
    return known


def forget() -> None:
    """Look anew next time: this process has changed what there is."""
    _known.clear()


def changing(space_id: UUID) -> bool:
    """Whether a space has, or may have, vectors of two models."""
    runs = JobRun.objects.unfinished().filter(space_id=space_id, job__in=("reembed", "drop_model"))
    return runs.exists() or not Space.objects.filter(pk=space_id, other_model="").exists()


def wanted(space_id: UUID, model: str) -> dict[str, str]:
    """Return the indexes that a space should have, their statements by name; none for most."""
    held = Memory.objects.filter(space_id=space_id, status__in=LIVE)
    owners = held.order_by().values("user_id").annotate(n=Count("pk"))
    counts = {owner["user_id"]: owner["n"] for owner in owners}
    shared = counts.pop("", 0)  # what is about no user is in everybody's scope
    if shared + max(counts.values(), default=0) < MANY or changing(space_id):
        return {}
    dimensions = _dimensions(space_id, model)
    if not 0 < dimensions <= MOST_DIMENSIONS:
        return {}
    values = {
        "space": _literal(str(space_id)),
        "model": _literal(model),
        "dimensions": str(dimensions),
    }
    return {
        name: f'CREATE INDEX CONCURRENTLY "{name}" ON memories_memory {part.format(**values)}'
        for name, part in zip(_names(space_id, model, dimensions), _PARTS.values(), strict=True)
    }


def existing(space_id: UUID | None = None) -> dict[str, bool]:
    """Return the indexes that there are of a space or of any, by name, and whether each is whole.

    One is not when whoever made it was killed.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid"
            " WHERE indrelid = 'memories_memory'::regclass AND starts_with(relname, %s)",
            [_prefix(space_id)],
        )
        return dict(cursor.fetchall())


def make(name: str, statement: str) -> bool:
    """Make one index, or the rest of one that is not whole; return False while another is at work.

    Outside any transaction. Writes go on meanwhile.
    """
    with _alone() as cursor:
        if cursor and existing().get(name) is not True:
            cursor.execute(f'DROP INDEX CONCURRENTLY IF EXISTS "{name}"')
            cursor.execute("SELECT set_config('maintenance_work_mem', %s, false)", [WORK_MEMORY])
            try:
                cursor.execute(statement)
            finally:
                cursor.execute("RESET maintenance_work_mem")
    return cursor is not None


def drop(name: str) -> bool:
    """Drop one index, outside any transaction; return False while another is at work."""
    with _alone() as cursor:
        if cursor:
            cursor.execute(f'DROP INDEX CONCURRENTLY IF EXISTS "{name}"')
    return cursor is not None


@contextmanager
def _alone() -> Iterator[CursorWrapper | None]:
    """Yield a cursor, None while anybody makes or drops an index of the table.

    Two at once would not be faster but deadlock: one waits for the table, and the other at its end
    for everybody who waits. Who is killed leaves the lock to its server process, which goes on.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [_LOCK])
        if not cursor.fetchone()[0]:
            yield None
            return
        try:
            yield cursor
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [_LOCK])
            forget()


def abandoned() -> list[str]:
    """Return the indexes of spaces that are gone."""
    spaces = {_prefix(key) for key in Space.objects.values_list("pk", flat=True)}
    return [name for name in existing() if name[: len(_prefix(UUID(int=0)))] not in spaces]


def _found(space_id: UUID, model: str) -> Ready | None:
    whole = {name for name, valid in existing(space_id).items() if valid}
    for dimensions in {int(name.split("_")[3]) for name in whole}:
        names = _names(space_id, model, dimensions)
        if whole.issuperset(names):
            return Ready(dimensions, _tuples(names[2]), _owners(space_id))
    return None


def _owners(space_id: UUID) -> frozenset[str]:
    held = Memory.objects.filter(
        space_id=space_id, status__in=LIVE, visibility=Visibility.SHARED
    ).order_by()
    counts = held.values("user_id").annotate(n=Count("pk")).filter(n__gte=MANY)
    return frozenset(counts.values_list("user_id", flat=True))


def _tuples(name: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT greatest(reltuples, 0)::bigint FROM pg_class WHERE relname = %s", [name]
        )
        found: int = cursor.fetchone()[0]
    return found


def _dimensions(space_id: UUID, model: str) -> int:
    """Return how long the vectors of a model are, 0 without one."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT vector_dims(embedding) FROM memories_memory"
            " WHERE space_id = %s AND embedding_model = %s LIMIT 1",
            [space_id, model],
        )
        row = cursor.fetchone()
    return row[0] if row else 0


def _prefix(space_id: UUID | None) -> str:
    return "large_" if space_id is None else f"large_{space_id.hex}_"


def _names(space_id: UUID, model: str, dimensions: int) -> list[str]:
    """Return the names of a space's indexes, part by part: at most 62 of 63 bytes."""
    told = sha256(model.encode()).hexdigest()[:8]
    return [f"{_prefix(space_id)}{told}_{dimensions}_{part}" for part in _PARTS]


def _literal(value: str) -> str:
    return sql.Literal(value).as_string(connection.connection)
