"""Bulk writing without comparison: loading what was judged elsewhere (evaluation, exports)."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from uuid import UUID

from django.db import transaction

from memories import history
from memories.embedding.spaces import embed_for
from memories.models.memory import Memory, Visibility
from memories.permissions import Actor
from memories.policies import WritingPolicy, policy_for
from memories.text.index import embedded_text
from memories.writing.draft import Draft
from memories.writing.gate import admit
from memories.writing.neighbours import exact
from memories.writing.quarantine import Doubt, doubtful, open_quarantine, waiting_like, withheld
from memories.writing.write import unsaved

BATCH = 100  # B10
Owner = tuple[str, str, str]


def import_memories(*, actor: Actor, drafts: Iterable[tuple[str, Draft]]) -> Iterator[Memory]:
    """Store (user_id, draft) pairs in order, a batch a transaction; yield a memory for each.

    Each passes the gate and the screen, none is compared; a text its owner already has yields the
    known memory.
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
        yield from _store(said, actor, policy.writing)


def _store(said: Sequence[Memory], actor: Actor, policy: WritingPolicy) -> list[Memory]:
    kept: dict[Owner, Memory] = {}
    fresh: list[Memory] = []
    doubts: dict[UUID, Doubt] = {}
    for memory in said:
        history.index(memory)
        if doubt := doubtful(memory, actor, policy):
            doubts[withheld(memory).pk] = doubt
        if _owner(memory) not in kept:
            known = _known(memory)
            kept[_owner(memory)] = known or memory
            if known is None:
                fresh.append(memory)
    if fresh:
        _embed(fresh)
        with transaction.atomic():
            history.create(fresh, actor=actor, verb="imported")
            for memory in fresh:
                if memory.withheld:
                    open_quarantine(memory, doubts[memory.pk], actor)
    return [kept[_owner(memory)] for memory in said]


def _known(memory: Memory) -> Memory | None:
    """Return the memory that holds the same text already: among those in use, or in quarantine."""
    if not memory.withheld:
        return exact(memory)
    waiting = waiting_like(memory)
    return waiting.memory if waiting else None


def _owner(memory: Memory) -> Owner:
    private = memory.visibility == Visibility.PRIVATE
    # Two texts with one fingerprint may differ in what hides in them.
    text = memory.content if memory.withheld else memory.content_hash
    return memory.user_id, str(memory.agent_id) if private else "", text


def _embed(memories: Sequence[Memory]) -> None:
    answer = embed_for(memories[0].space_id, [embedded_text(memory) for memory in memories])
    for memory, vector in zip(memories, answer.vectors, strict=True):
        memory.embedding, memory.embedding_model = vector, answer.model
