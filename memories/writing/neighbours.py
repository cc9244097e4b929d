"""Which known memories a statement is compared with."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.postgres.search import SearchQueryField
from django.db import connection
from django.db.models import BooleanField, F, Func, Q, QuerySet, Value
from django.db.models.functions import Cast
from pgvector import HalfVector
from pgvector.django import CosineDistance

from memories.models.memory import WIDE, Memory, vector_of
from memories.policies import WritingPolicy
from memories.text.tokens import tokenize, tsquery_literal

WORDS = 64  # of one text that are looked up
# What nearest() and _on_subject() ask for one statement, for several; `rows` may be found.
_EACH = """
WITH asked AS MATERIALIZED (
  SELECT id, vector::halfvec AS vector, subject
  FROM unnest(%s::uuid[], %s::text[], %s::text[]) AS given(id, vector, subject)
)
SELECT asked.id, near.id, near.cosine
FROM asked CROSS JOIN LATERAL (
  SELECT known.id, 1 - (known.vector <=> asked.vector) AS cosine
  FROM ({rows}) AS known WHERE {which} LIMIT %s
) AS near
"""
_BY_MEANING = "known.vector IS NOT NULL ORDER BY known.vector <=> asked.vector"
_BY_SUBJECT = "upper(known.subject) = upper(asked.subject) ORDER BY known.id DESC"


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


def nearest_each(
    memories: Sequence[Memory], rows: "QuerySet[Memory]", most: int, *, on_subject: bool = False
) -> Mapping[UUID, list[Neighbour]]:
    """Return, by id, up to `most` of `rows` that are nearest to each memory; `on_subject` the
    newest that have its subject. Two statements for all of them.

    The memories are of one owner, not stored yet, and have embeddings of one model.
    """
    found = _found(memories, rows, most, _BY_SUBJECT if on_subject else _BY_MEANING)
    known = rows.defer(*WIDE).in_bulk({other for _asked, other, _cosine in found})
    near: dict[UUID, list[Neighbour]] = {}
    for asked, other, cosine in found:
        if other in known:  # not gone between the two statements
            near.setdefault(asked, []).append(Neighbour(known[other], cosine))
    return near


def _found(
    memories: Sequence[Memory], rows: "QuerySet[Memory]", most: int, which: str
) -> list[tuple[UUID, UUID, float | None]]:
    if not memories:
        return []
    scope = rows.annotate(vector=vector_of(memories[0].embedding_model)).order_by()
    sql, params = scope.values("id", "subject", "vector").query.sql_with_params()
    vectors = [HalfVector(memory.embedding).to_text() for memory in memories]
    keys, subjects = [m.pk for m in memories], [m.subject for m in memories]
    with connection.cursor() as cursor:
        statement = _EACH.format(rows=sql, which=which)
        cursor.execute(statement, [keys, vectors, subjects, *params, most])
        return list(cursor)
