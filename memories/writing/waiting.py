"""Memories that were written while the embedder was away get their embedding and comparison."""

from collections.abc import Sequence
from itertools import groupby
from uuid import UUID

from django.db import transaction

from memories.embedding.client import EmbedderDown, Vector, embed_each
from memories.embedding.spaces import model_of
from memories.identity import system_actor
from memories.models.memory import LIVE, WIDE, Memory
from memories.permissions import Actor
from memories.policies import policy_for
from memories.text.index import embedded_text
from memories.writing.judge import judge
from memories.writing.reembedding import follow_up
from memories.writing.store import hold_owner, open_flags, open_near_duplicate

BATCH = 100  # B10


def embed_waiting() -> int:
    """Embed and compare a batch of waiting memories, or follow up a change of model; return how
    many were done.

    A text that the embedder refuses goes on waiting and stops no other. Raises EmbedderDown when
    the embedder is still away. Running it twice, or two at once, changes nothing: each row is
    looked at again under its owner's lock.
    """
    waiting = Memory.objects.filter(status__in=LIVE, embedding__isnull=True)
    waiting = waiting.defer(*WIDE).order_by("pk")
    away: EmbedderDown | None = None
    rows = list(waiting[:BATCH])
    while rows:
        done = 0
        for space_id, group in groupby(sorted(rows, key=_space), key=_space):
            try:
                done += _embed(space_id, list(group))
            except EmbedderDown as error:  # of this space's model; another may be there
                away = error
        if done:
            return done
        rows = list(waiting.filter(pk__gt=rows[-1].pk)[:BATCH])
    if away is not None:
        raise away
    return follow_up()


def _space(memory: Memory) -> UUID:
    return memory.space_id


def _embed(space_id: UUID, rows: Sequence[Memory]) -> int:
    vectors, model = embed_each([embedded_text(memory) for memory in rows], model_of(space_id))
    found = [(memory, vector) for memory, vector in zip(rows, vectors, strict=True) if vector]
    for memory, vector in found:
        _finish(memory, vector, model)
    return len(found)


def _finish(seen: Memory, vector: Vector, model: str) -> None:
    actor = system_actor(seen.space_id)
    with transaction.atomic():
        hold_owner(seen)
        memory = Memory.objects.select_for_update().filter(pk=seen.pk, version=seen.version).first()
        if memory is None or memory.embedding is not None:
            return
        memory.embedding, memory.embedding_model = vector, model
        # As if written now: consolidation looks at what has changed since it last did.
        memory.save(update_fields=["embedding", "embedding_model", "updated_at"])
        flag_contradictions(memory, actor, as_told=True)


def flag_contradictions(memory: Memory, actor: Actor, *, as_told: bool = False) -> None:
    """Compare a stored memory with its neighbours; open what contradicts it, or what it repeats.

    What was acknowledged as stored is not merged behind a back: a person says whether two are one.
    What is withheld is compared once it is released.
    """
    if memory.withheld:
        return
    _version, policy = policy_for(memory.space_id)
    judgement = judge(memory, policy.writing, as_told=as_told)
    open_flags(judgement.conflicts, actor)
    if judgement.repeats is not None:
        open_near_duplicate(judgement.repeats, actor)
