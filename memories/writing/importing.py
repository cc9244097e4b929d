"""Bulk writing without comparison: loading what was judged elsewhere, as evaluation does."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from uuid import UUID

from django.db import transaction

from memories import history
from memories.embedding.client import Embeddings, embed
from memories.embedding.spaces import model_of
from memories.models.memory import Memory
from memories.permissions import Actor
from memories.policies import WritingPolicy, policy_for
from memories.text.index import embedded_text
from memories.writing.ahead import ahead
from memories.writing.draft import Draft
from memories.writing.gate import admit
from memories.writing.known import by_owner, owner_of
from memories.writing.quarantine import Doubt, doubtful, open_quarantine, waiting_like, withheld
from memories.writing.store import hold_owners
from memories.writing.write import unsaved

BATCH = 100  # B10
Text = tuple[object, ...]


def import_memories(*, actor: Actor, drafts: Iterable[tuple[str, Draft]]) -> Iterator[Memory]:
    """Store (user_id, draft) pairs in order, a batch a transaction; yield a memory for each.

    Each passes the gate and the screen, none is compared; a text its owner already has yields the
    known memory. While a batch is stored the next is embedded.
    Raises what write_memory() raises, and EmbedderDown.
    """
    actor.require("write")
    _version, policy = policy_for(actor.space_id)
    waiting = iter(drafts)
    batches = iter(lambda: list(islice(waiting, BATCH)), [])
    said = (
        [
            unsaved(draft, actor.acting_for(user_id), admit(draft, actor, policy.writing))
            for user_id, draft in batch
        ]
        for batch in batches
    )
    for batch, answer in ahead(said, partial(_embedded, model_of(actor.space_id))):
        for memory, vector in zip(batch, answer.vectors, strict=True):
            memory.embedding, memory.embedding_model = vector, answer.model
        yield from _store(batch, actor, policy.writing)


def _embedded(model: str, memories: Sequence[Memory]) -> Embeddings:
    return embed([embedded_text(memory) for memory in memories], model)


@transaction.atomic
def _store(said: Sequence[Memory], actor: Actor, policy: WritingPolicy) -> list[Memory]:
    doubts: dict[UUID, Doubt] = {}
    for memory in said:
        history.index(memory)
        if doubt := doubtful(memory, actor, policy):
            doubts[withheld(memory).pk] = doubt
    hold_owners(said)
    kept = _known(said)
    fresh = [memory for memory in said if kept.setdefault(_text(memory), memory) is memory]
    history.create(fresh, actor=actor, verb="imported")
    for memory in fresh:
        if memory.withheld:
            open_quarantine(memory, doubts[memory.pk], actor)
    return [kept[_text(memory)] for memory in said]


def _known(said: Sequence[Memory]) -> dict[Text, Memory]:
    """Return the memories that hold the same texts already: in use, or in quarantine."""
    known: dict[Text, Memory] = {}
    for owned in by_owner([memory for memory in said if not memory.withheld]).values():
        hashes = {memory.content_hash for memory in owned}
        live = Memory.objects.owned_like(owned[0]).live().filter(content_hash__in=hashes)
        known |= {_text(memory): memory for memory in live}
    for memory in said:
        if memory.withheld and (waiting := waiting_like(memory)):
            known[_text(memory)] = waiting.memory
    return known


def _text(memory: Memory) -> Text:
    # Two texts with one fingerprint may differ in what hides in them.
    text = memory.content if memory.withheld else memory.content_hash
    return *owner_of(memory), memory.withheld, text
