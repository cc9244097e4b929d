"""Bulk writing without comparison: loading what was judged elsewhere (evaluation, exports)."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from django.db import transaction

from memories import history
from memories.embedding.client import embed
from memories.models.memory import Memory, Visibility
from memories.permissions import Actor
from memories.policies import policy_for
from memories.text.index import embedded_text
from memories.writing.draft import Draft
from memories.writing.gate import admit
from memories.writing.neighbours import exact
from memories.writing.write import unsaved

BATCH = 100  # B10
Owner = tuple[str, str, str]


def import_memories(*, actor: Actor, drafts: Iterable[tuple[str, Draft]]) -> Iterator[Memory]:
    """Store (user_id, draft) pairs in order, a batch a transaction; yield a memory for each.

    Each passes the gate, none is compared; a text its owner already has yields the known memory.
    Raises what write_memory() raises, and EmbedderDown.
    """
    actor.require("write")
    _version, policy = policy_for(actor.space_id)
    waiting = iter(drafts)
    while batch := list(islice(waiting, BATCH)):
        said = [
            unsaved(draft, actor.acting_for(user_id), admit(draft, actor, policy.writing))
            for user_id, draft in batch
        ]
        yield from _store(said, actor)


def _store(said: Sequence[Memory], actor: Actor) -> list[Memory]:
    kept: dict[Owner, Memory] = {}
    fresh: list[Memory] = []
    for memory in said:
        history.index(memory)
        if _owner(memory) not in kept:
            known = exact(memory)
            kept[_owner(memory)] = known or memory
            if known is None:
                fresh.append(memory)
    if fresh:
        _embed(fresh)
        with transaction.atomic():
            history.create(fresh, actor=actor, verb="imported")
    return [kept[_owner(memory)] for memory in said]


def _owner(memory: Memory) -> Owner:
    private = memory.visibility == Visibility.PRIVATE
    return memory.user_id, str(memory.agent_id) if private else "", memory.content_hash


def _embed(memories: Sequence[Memory]) -> None:
    answer = embed([embedded_text(memory) for memory in memories])
    for memory, vector in zip(memories, answer.vectors, strict=True):
        memory.embedding, memory.embedding_model = vector, answer.model
