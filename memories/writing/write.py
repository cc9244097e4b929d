"""write_memory(): the one door through which a statement becomes a memory."""

from typing import Any

from django.db import IntegrityError, transaction

from memories.embedding.client import EmbedderDown
from memories.embedding.spaces import embed_for
from memories.inputs import MAX_NAME, short_text
from memories.models.memory import Memory
from memories.permissions import Actor
from memories.policies import policy_for
from memories.text.index import embedded_text
from memories.writing.draft import Draft, drafted
from memories.writing.gate import admit
from memories.writing.receipts import (
    answered,
    flags_on,
    receipts_for,
    receipts_of,
    request_hash,
)
from memories.writing.result import WriteResult
from memories.writing.store import store


def write_memory(
    *, actor: Actor, content: str, user_id: str = "", idempotency_key: str = "", **said: Any
) -> WriteResult:
    """Keep one statement; returns after commit (B10).

    `said` are the other fields of `drafted()`. Raises Invalid (unusable input), Refused (a rule
    turned it away) or NotAllowed; nothing is stored then.
    """
    actor.require("write")
    actor = actor.acting_for(short_text(user_id, "user_id", MAX_NAME))
    key = short_text(idempotency_key, "idempotency_key", MAX_NAME)
    draft = drafted(content=content, **said)
    request = request_hash(draft, actor.user_id)
    earlier = _earlier(actor, key, request, draft)
    if earlier is not None:
        return earlier
    _version, policy = policy_for(actor.space_id)
    confidence = admit(draft, actor, policy.writing)
    memory = embedded(unsaved(draft, actor, confidence))
    try:
        with transaction.atomic():
            result = store(memory, draft, actor, policy.writing)
            receipts_for([(result, key, request)] if key else (), actor)
    except IntegrityError:
        # The same key arrived twice at once; the other one has committed.
        earlier = _earlier(actor, key, request, draft)
        if earlier is None:
            raise
        return earlier
    return result


def unsaved(draft: Draft, actor: Actor, confidence: float) -> Memory:
    """Return the memory a draft would become."""
    return Memory(
        space_id=actor.space_id,
        user_id=actor.user_id,
        agent_id=actor.id if actor.kind == "agent" else None,
        session=draft.session,
        visibility=draft.visibility,
        kind=draft.kind,
        subject=draft.subject,
        content=draft.content,
        reflection=draft.reflection,
        tags=list(draft.tags),
        metadata=draft.metadata,
        happened_at=draft.happened_at,
        source=draft.source,
        confidence=confidence,
    )


def embedded(memory: Memory) -> Memory:
    """Give a memory of a space its embedding; without the embedder it stays marked as waiting."""
    try:
        answer = embed_for(memory.space_id, [embedded_text(memory)])
    except EmbedderDown:
        memory.embedding, memory.embedding_model = None, ""
    else:
        memory.embedding, memory.embedding_model = answer.vectors[0], answer.model
    return memory


def _earlier(actor: Actor, key: str, request: str, draft: Draft) -> WriteResult | None:
    """Return the answer this key was given before; another text under the same key is an error."""
    known = receipts_of(actor, [key])
    if not known:
        return None
    said = unsaved(draft, actor, known[key].memory.confidence)
    return answered(known[key], said, request, flags_on(known.values()))
