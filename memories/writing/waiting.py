"""Memories that were written while the embedder was away get their embedding and comparison."""

from django.db import transaction

from memories.embedding.client import embed
from memories.identity import system_actor
from memories.models.memory import LIVE, Memory
from memories.permissions import Actor
from memories.policies import policy_for
from memories.text.index import embedded_text
from memories.writing.judge import judge
from memories.writing.store import hold_owner, open_flags, open_near_duplicate

BATCH = 100  # B10


def embed_waiting() -> int:
    """Embed and compare up to one batch of waiting memories; return how many.

    Raises EmbedderDown when the embedder is still away. Running it twice, or two at once, changes
    nothing: each row is looked at again under its owner's lock.
    """
    waiting = list(
        Memory.objects.filter(status__in=LIVE, embedding__isnull=True).order_by("id")[:BATCH]
    )
    if not waiting:
        return 0
    answer = embed([embedded_text(memory) for memory in waiting])
    for memory, vector in zip(waiting, answer.vectors, strict=True):
        _finish(memory, vector, answer.model)
    return len(waiting)


def _finish(seen: Memory, vector: list[float], model: str) -> None:
    actor = system_actor(seen.space_id)
    with transaction.atomic():
        hold_owner(seen)
        memory = Memory.objects.select_for_update().filter(pk=seen.pk, version=seen.version).first()
        if memory is None or memory.embedding is not None:
            return
        memory.embedding, memory.embedding_model = vector, model
        memory.save(update_fields=["embedding", "embedding_model"])
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
