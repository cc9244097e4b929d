"""Which known memories a statement is compared with."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.search import SearchQueryField
from django.db.models import BooleanField, F, Func, Q, QuerySet, Value
from django.db.models.functions import Cast
from pgvector.django import CosineDistance

from memories.models.memory import WIDE, Memory, vector_of
from memories.policies import WritingPolicy
from memories.text.tokens import tokenize, tsquery_literal

WORDS = 64  # of one text that are looked up


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
