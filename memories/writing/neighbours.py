"""Which known memories a statement is compared with."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib.postgres.search import SearchQueryField
from django.db.models import BooleanField, F, Func, QuerySet, Value
from django.db.models.functions import Cast
from pgvector.django import CosineDistance

from memories.models.memory import Memory
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
    nearest = _by_meaning if memory.embedding is not None else _by_words
    found |= {near.memory.pk: near for near in nearest(memory, policy)}
    return list(found.values())


def _candidates(memory: Memory) -> "QuerySet[Memory]":
    others: QuerySet[Memory] = Memory.objects.owned_like(memory).live().exclude(pk=memory.pk)
    return others.defer("embedding", "keywords")


def _by_meaning(memory: Memory, policy: WritingPolicy) -> Iterator[Neighbour]:
    rows = (
        _candidates(memory)
        .filter(embedding_model=memory.embedding_model, embedding__isnull=False)
        .annotate(distance=CosineDistance("embedding", memory.embedding))
        .order_by("distance")[: policy.neighbours]
    )
    for row in rows:
        yield Neighbour(row, 1.0 - row.distance)


def _by_words(memory: Memory, policy: WritingPolicy) -> Iterator[Neighbour]:
    """The embedder is away: whatever shares words, newest first."""
    words = tsquery_literal(sorted(set(tokenize(memory.content)))[:WORDS])
    shares = Func(
        F("keywords"),
        Cast(Value(words), SearchQueryField()),
        arg_joiner=" @@ ",
        template="%(expressions)s",
        output_field=BooleanField(),
    )
    for row in _candidates(memory).filter(shares).order_by("-id")[: policy.neighbours]:
        yield Neighbour(row, None)


def _on_subject(memory: Memory, policy: WritingPolicy) -> Iterator[Neighbour]:
    if not memory.subject:
        return
    rows = _candidates(memory).filter(subject__iexact=memory.subject).order_by("-id")
    if memory.embedding is not None:
        rows = rows.annotate(distance=CosineDistance(F("embedding"), memory.embedding))
    for row in rows[: policy.neighbours]:
        distance = getattr(row, "distance", None)
        yield Neighbour(row, None if distance is None else 1.0 - distance)
