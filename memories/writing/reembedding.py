"""The vectors of a space that changes its model: which are missing, and putting them in (E9).

A memory has two places for a vector, and which model's counts is a field of the space. So nothing
here touches what is in use, no row is rewritten at the switch, and vectors of two models, also of
different dimensions, are never compared.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import F, Q, QuerySet

from memories.embedding.client import EmbedderDown, Vector, embed_each, identity
from memories.models.job import JobRun
from memories.models.memory import WIDE, Memory
from memories.models.space import Space
from memories.text.index import embedded_text

JOB = "reembed"
"""The job that fills the places; what is written after it has been through is followed up."""
BATCH = 100  # B10
# Locked in the order of their keys, as whoever else changes several memories does.
_WRITE = """
UPDATE memories_memory AS memory SET {place}
FROM unnest(%(ids)s::uuid[], %(versions)s::int[], %(vectors)s::text[])
    AS fresh(id, version, vector),
  (SELECT id FROM memories_memory WHERE id = ANY(%(ids)s) ORDER BY id FOR NO KEY UPDATE) AS held
WHERE memory.id = fresh.id AND memory.id = held.id AND memory.version = fresh.version
  AND space_id = %(space)s AND embedding IS NOT NULL
  AND embedding_model <> %(model)s AND other_model <> %(model)s
RETURNING memory.id
"""
# Without a vector the first place says that the memory waits, the second that it need not.
_PLACES = {
    "first": "embedding = vector::halfvec,"
    " embedding_model = CASE WHEN vector IS NULL THEN '' ELSE %(model)s END",
    "second": "other_embedding = vector::halfvec, other_model = %(model)s",
}


@dataclass(frozen=True, slots=True)
class Filling:
    """A model whose vectors are put beside those of another: a name to ask for, and two ids.

    `beside` is "" while nobody knows the other model's id; then there is nothing of it to keep.
    """

    name: str
    id: str
    beside: str = ""


@dataclass(frozen=True, slots=True)
class Fresh:
    """What the model made of some memories, None of a text that it refuses; by memory."""

    model: str
    vectors: Mapping[UUID, Vector | None]


def active_name(space: Space) -> str:
    """Return the name of the model that recall in a space compares with."""
    return space.embedding_model or settings.EMBEDDING_MODEL


def filling(name: str, beside: str) -> Filling:
    """Ask the embedder what it calls two models. Raises EmbedderDown when it cannot embed with the
    first; a space can leave a model that is gone.
    """
    made_by = identity(name)
    try:
        return Filling(name, made_by, identity(beside))
    except EmbedderDown:
        return Filling(name, made_by)


def lacking(space_id: UUID, model_id: str) -> "QuerySet[Memory]":
    """Return the memories that this model has not seen, whatever their status: a deleted one may be
    restored.

    What has no vector at all waits for the model in use (embed_waiting).
    """
    seen = Q(embedding_model=model_id) | Q(other_model=model_id)
    return Memory.objects.filter(space_id=space_id, embedding__isnull=False).exclude(seen)


def fresh(rows: Sequence[Memory], model: Filling) -> Fresh:
    """Embed memories; outside any transaction. Raises EmbedderDown."""
    vectors, made_by = embed_each([embedded_text(memory) for memory in rows], model.name)
    keys = [memory.pk for memory in rows]
    return Fresh(made_by, dict(zip(keys, vectors, strict=True)))


def put(rows: Sequence[Memory], made: Fresh, beside: str) -> dict[str, int]:
    """Give memories of one space their vectors beside those of the other model; return how many
    were "embedded", and how many "refused" because the model has none for their text.

    What says something else by now gets nothing. A refused one is marked, so that it holds up
    nothing: its words still find it.
    """
    done = Counter[str]()
    for here in _PLACES:
        some = [memory for memory in rows if _place(memory, beside) == here]
        for key in _written(some, made, here):
            done["refused" if made.vectors[key] is None else "embedded"] += 1
    return dict(done)


def _place(memory: Memory, beside: str) -> str:
    return "first" if beside and memory.other_model == beside else "second"


def _written(rows: Sequence[Memory], made: Fresh, place: str) -> list[UUID]:
    """Write one place of memories in one statement; return which still were what was embedded."""
    if not rows:
        return []
    vectors = [made.vectors[memory.pk] for memory in rows]
    values: dict[str, Any] = {
        "space": rows[0].space_id,
        "model": made.model,
        "ids": [memory.pk for memory in rows],
        "versions": [memory.version for memory in rows],
        "vectors": [None if vector is None else json.dumps(vector) for vector in vectors],
    }
    with connection.cursor() as cursor:
        cursor.execute(_WRITE.format(place=_PLACES[place]), values)
        return [row[0] for row in cursor.fetchall()]


def fill(space_id: UUID, model: Filling, most: int = BATCH) -> int:
    """Fill up to `most` places now; return how many. Raises EmbedderDown."""
    rows = list(lacking(space_id, model.id).defer(*WIDE).order_by("pk")[:most])
    if not rows:
        return 0
    return sum(put(rows, fresh(rows, model), model.beside).values())


def follow_up() -> int:
    """Fill what was written beside a change of model; return how many.

    The model in use first: a write that began before the switch and ended after it has only the
    former one's vector. The other model's when the job has been through, so that the switch, and
    the way back, lack nothing.
    """
    done = 0
    for space in Space.objects.exclude(other_model="").order_by("pk"):
        names = active_name(space), space.other_model
        with suppress(EmbedderDown):  # the next sweep, and the job, try again
            done += fill(space.pk, filling(*names))
            if _been_through(space.pk):
                done += fill(space.pk, filling(*reversed(names)))
    return done


def stale(space_id: UUID, model_id: str) -> "QuerySet[Memory]":
    """Return the memories that hold, or are marked with, anything but this model's vector."""
    first = Q(embedding__isnull=False) & ~Q(embedding_model=model_id)
    return Memory.objects.filter(first | ~Q(other_model=""), space_id=space_id)


def keep_only(rows: "QuerySet[Memory]", model_id: str) -> dict[str, int]:
    """Leave these memories only what this model made, in the first place; return how many were
    "moved" there, had another vector "dropped" beside it, or have none now and "wait" for one.
    """
    empty: dict[str, Any] = {"other_embedding": None, "other_model": ""}
    here = Q(embedding__isnull=False, embedding_model=model_id)
    beside = Q(other_embedding__isnull=False, other_model=model_id)
    told = {
        "moved": rows.filter(beside & ~here).update(
            embedding=F("other_embedding"), embedding_model=model_id, **empty
        ),
        "dropped": rows.filter(here).exclude(other_model="").update(**empty),
        "wait": rows.exclude(here).update(embedding=None, embedding_model="", **empty),
    }
    return {outcome: count for outcome, count in told.items() if count}


def _been_through(space_id: UUID) -> bool:
    runs = JobRun.objects.filter(space_id=space_id, job=JOB).order_by("-pk")
    return runs.values_list("state", flat=True).first() == JobRun.State.DONE
