"""Which known memories a statement is compared with."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.contrib.postgres.search import SearchQueryField
from django.db import connection
from django.db.models import BooleanField, F, Func, Q, QuerySet, Value
from django.db.models.expressions import RawSQL
from django.db.models.functions import Cast
from pgvector.django import CosineDistance

from memories.embedding.halves import written
from memories.embedding.indexing import IN_HAN, Ready, ready
from memories.models.memory import WIDE, Memory, Status, Visibility, vector_of
from memories.policies import WritingPolicy
from memories.text.tokens import tokenize, tsquery_literal

_Scope = tuple[str, tuple[Any, ...]]

WORDS = 64  # of one text that are looked up
# What a comparison reads of a known memory, as its columns come.
_READ = {"id", "subject", "content", "version", "embedding_model", "created_at"}
_SEEN = tuple(field.attname for field in Memory._meta.concrete_fields if field.attname in _READ)
# What exact(), nearest() and _on_subject() ask for one statement, for several of many users.
_AROUND = """
WITH asked AS MATERIALIZED (
  SELECT id, user_id, content_hash, upper(subject) AS subject, vector::halfvec AS vector
  FROM unnest(%s::uuid[], %s::text[], %s::text[], %s::text[], %s::text[])
    AS given(id, user_id, content_hash, subject, vector)
)
SELECT asked.id, near.* FROM asked CROSS JOIN LATERAL (
  (SELECT 'same', {seen}, NULL::float8
   FROM ({live}) AS known WHERE known.content_hash = asked.content_hash LIMIT 1)
  UNION ALL
  (SELECT 'on_subject', {seen}, 1 - (known.vector <=> asked.vector)
   FROM ({live}) AS known
   WHERE known.subject <> '' AND asked.subject <> '' AND upper(known.subject) = asked.subject
   ORDER BY known.id DESC LIMIT %s)
  UNION ALL
  {nearest}
  UNION ALL
  (SELECT 'overturned', {seen}, 1 - (known.vector <=> asked.vector)
   FROM ({overturned}) AS known
   WHERE known.vector IS NOT NULL OR known.content_hash = asked.content_hash
   ORDER BY known.vector <=> asked.vector NULLS FIRST LIMIT %s)
) AS near
"""
_EXACTLY = """
  (SELECT 'nearest', {seen}, 1 - (known.vector <=> asked.vector)
   FROM ({live}) AS known WHERE known.vector IS NOT NULL
   ORDER BY known.vector <=> asked.vector LIMIT %s)
"""
# Of either script the nearest, each by its index; see indexing.py.
_BY_INDEX = """
  (SELECT 'nearest', {seen}, 1 - known.distance FROM ({han} UNION ALL {other}) AS known
   ORDER BY known.distance LIMIT %s)
"""
_OF_SCRIPT = """
  (SELECT known.*, {distance} AS distance FROM ({live}) AS known
   WHERE known.embedding_model = %s AND {script} ORDER BY {distance} LIMIT %s)
"""
_DISTANCE = "known.embedding::halfvec({dimensions}) <=> asked.vector::halfvec({dimensions})"
_SETTINGS = """
SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true),
  set_config('hnsw.ef_search', '200', true)
"""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A known memory and its cosine similarity to the new one (None without an embedding)."""

    memory: Memory
    cosine: float | None


def exact(memory: Memory) -> Memory | None:
    """Return the live memory of the same owner that says the same words, if any (B7)."""
    same = Memory.objects.owned_like(memory).live().exclude(pk=memory.pk)
    found: Memory | None = same.filter(content_hash=memory.content_hash).first()
    return found


def neighbours(memory: Memory, policy: WritingPolicy) -> list[Neighbour]:
    """Return the nearest memories of the same owner, then those on the same subject."""
    found = {near.memory.pk: near for near in _on_subject(memory, policy)}
    closest = nearest(memory, Memory.objects.owned_like(memory).live(), policy.neighbours)
    found |= {near.memory.pk: near for near in closest}
    return list(found.values())


def nearest(memory: Memory, rows: "QuerySet[Memory]", most: int) -> list[Neighbour]:
    """Return up to `most` of `rows` that are most like a memory, itself left out, in one query.

    By meaning, the same words first; while it has no embedding, by shared words, newest first.
    """
    others = rows.exclude(pk=memory.pk).defer(*WIDE)
    if memory.embedding is None:
        return [Neighbour(row, None) for row in _by_words(memory, others)[:most]]
    found = _by_meaning(memory, others)[:most]
    return [Neighbour(row, None if row.distance is None else 1.0 - row.distance) for row in found]


def _by_meaning(memory: Memory, rows: "QuerySet[Memory]") -> "QuerySet[Any]":
    comparable = Q(embedding_model=memory.embedding_model, embedding__isnull=False)
    comparable |= Q(other_model=memory.embedding_model, other_embedding__isnull=False)
    return (
        rows.filter(comparable | Q(content_hash=memory.content_hash))
        .annotate(distance=_distance(memory))
        .order_by(F("distance").asc(nulls_first=True))
    )


def _distance(memory: Memory) -> CosineDistance:
    """Return how far a row lies from a memory, NULL where their models differ."""
    return CosineDistance(vector_of(memory.embedding_model), memory.embedding)


def _by_words(memory: Memory, rows: "QuerySet[Memory]") -> "QuerySet[Memory]":
    words = tsquery_literal(sorted(set(tokenize(memory.content)))[:WORDS])
    shares = Func(
        F("keywords"),
        Cast(Value(words), SearchQueryField()),
        arg_joiner=" @@ ",
        template="%(expressions)s",
        output_field=BooleanField(),
    )
    return rows.filter(shares).order_by("-id")


def _on_subject(memory: Memory, policy: WritingPolicy) -> Iterator[Neighbour]:
    if not memory.subject:
        return
    others = Memory.objects.owned_like(memory).live().exclude(pk=memory.pk)
    rows = others.filter(subject__iexact=memory.subject).order_by("-id")
    rows = rows.defer(*WIDE)
    if memory.embedding is not None:
        rows = rows.annotate(distance=_distance(memory))
    for row in rows[: policy.neighbours]:
        distance = getattr(row, "distance", None)
        yield Neighbour(row, None if distance is None else 1.0 - distance)


def around(
    memories: Sequence[Memory], most: int, most_overturned: int
) -> dict[UUID, dict[str, list[Neighbour]]]:
    """Return, by id, what is around each memory: up to `most` that are "nearest" to it and that
    are newest "on_subject", one with the "same" text, and the nearest "overturned" ones.

    One statement for all of them, and another where the indexes of a large owner find too few; what
    comes has only what a comparison reads. The memories are indexed and not stored yet, of one
    space and one audience, and have embeddings of one model.
    """
    first = memories[0]
    indexes = ready(first.space_id, first.embedding_model)
    large = indexes and first.visibility == Visibility.SHARED and _only_of(memories, indexes.owners)
    if indexes and large:
        found = _found(memories, most, most_overturned, indexes)
        if all(len(near.get("nearest", ())) == most for near in found.values()):
            return found
    return _found(memories, most, most_overturned)


def _only_of(memories: Sequence[Memory], owners: Collection[str]) -> bool:
    return all(memory.user_id in owners for memory in memories)


def _found(
    memories: Sequence[Memory], most: int, most_overturned: int, indexes: Ready | None = None
) -> dict[UUID, dict[str, list[Neighbour]]]:
    """Do what around() says; with `indexes` the nearest are those that HNSW finds."""
    first = memories[0]
    agent = first.agent_id if first.visibility == Visibility.PRIVATE else None
    users = {memory.user_id for memory in memories}
    # Of one user alone the planner knows how much there is to read.
    user = first.user_id if len(users) == 1 else None
    (live, living), (overturned, rejected) = _scopes(
        first.space_id, user, first.visibility, agent, first.embedding_model
    )
    seen = ", ".join(f"known.{name}" for name in _SEEN)
    near, asked = _EXACTLY.format(seen=seen, live=live), [*living, most]
    if indexes:
        near = _by_index(seen, live, indexes.dimensions)
        asked = [*([*living, first.embedding_model, most] * 2), most]
    statement = _AROUND.format(seen=seen, live=live, nearest=near, overturned=overturned)
    columns = map(list, zip(*map(_asked, memories), strict=True))
    given = [*columns, *living, *living, most, *asked, *rejected, most_overturned]
    found: dict[UUID, dict[str, list[Neighbour]]] = {memory.pk: {} for memory in memories}
    with connection.cursor() as cursor:
        if indexes:
            cursor.execute(_SETTINGS)
        cursor.execute(statement, given)
        for pk, how, *values, cosine in cursor:
            known = Memory.from_db(connection.alias, _SEEN, values)
            found[pk].setdefault(how, []).append(Neighbour(known, cosine))
    return found


def _by_index(seen: str, live: str, dimensions: int) -> str:
    distance = _DISTANCE.format(dimensions=dimensions)
    han, other = (
        _OF_SCRIPT.format(distance=distance, live=live, script=script)
        for script in (IN_HAN, f"NOT {IN_HAN}")
    )
    return _BY_INDEX.format(seen=seen, han=han, other=other)


def _asked(memory: Memory) -> tuple[Any, ...]:
    vector = written(memory.embedding)
    return memory.pk, memory.user_id, memory.content_hash, memory.subject, vector


@lru_cache(maxsize=1024)
def _scopes(
    space_id: UUID, user_id: str | None, visibility: str, agent_id: UUID | None, model: str
) -> "list[_Scope]":
    """Return the live and the overturned memories of a user, as SQL with values; None is whom each
    row of `asked` is about.
    """
    like = Memory(
        space_id=space_id,
        user_id=RawSQL("asked.user_id", ()) if user_id is None else user_id,
        visibility=visibility,
        agent_id=agent_id,
    )
    owned = Memory.objects.owned_like(like)
    vector = vector_of(model)
    return [
        rows.annotate(vector=vector)
        .order_by()
        .values(*_SEEN, "content_hash", "vector", "embedding")
        .query.sql_with_params()
        for rows in (owned.live(), owned.filter(status=Status.OVERTURNED))
    ]
