"""write_memory(): the one door through which a statement becomes a memory."""

import hashlib
import json
from dataclasses import asdict
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from memories.embedding.client import EmbedderDown
from memories.embedding.spaces import embed_for
from memories.errors import Invalid
from memories.inputs import MAX_NAME, short_text
from memories.models.memory import Memory
from memories.models.receipt import Receipt
from memories.permissions import Actor
from memories.policies import policy_for
from memories.text.index import embedded_text
from memories.writing.draft import Draft, drafted
from memories.writing.gate import admit
from memories.writing.quarantine import withheld
from memories.writing.result import Outcome, WriteResult
from memories.writing.store import as_said, store


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
    request_hash = _request_hash(draft, actor.user_id)
    earlier = _earlier(actor, key, request_hash, draft)
    if earlier is not None:
        return earlier
    _version, policy = policy_for(actor.space_id)
    confidence = admit(draft, actor, policy.writing)
    memory = embedded(unsaved(draft, actor, confidence))
    try:
        with transaction.atomic():
            result = store(memory, draft, actor, policy.writing)
            if key and actor.id is not None:
                _keep_receipt(actor.kind, actor.id, key, request_hash, result)
    except IntegrityError:
        # The same key arrived twice at once; the other one has committed.
        earlier = _earlier(actor, key, request_hash, draft)
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


def _request_hash(draft: Draft, user_id: str) -> str:
    said = asdict(draft) | {"user_id": user_id}
    return hashlib.sha256(json.dumps(said, sort_keys=True, default=str).encode()).hexdigest()


def _earlier(actor: Actor, key: str, request_hash: str, draft: Draft) -> WriteResult | None:
    """Return the answer this key was given before; another text under the same key is an error."""
    if not key or actor.id is None:
        return None
    receipt = (
        Receipt.objects.select_related("memory")
        .filter(actor_kind=actor.kind, actor_id=actor.id, key=key)
        .first()
    )
    if receipt is None:
        return None
    if receipt.request_hash != request_hash:
        raise Invalid(
            _("This idempotency_key was used for another text: use a new key for a new write."),
            field="idempotency_key",
        )
    memory = receipt.memory
    flags = tuple(memory.flags.open())
    if memory.withheld:
        memory = as_said(withheld(unsaved(draft, actor, memory.confidence)), memory)
    return WriteResult(Outcome(receipt.outcome), memory, _("Already done under this key."), flags)


def _keep_receipt(
    actor_kind: str, actor_id: UUID, key: str, request_hash: str, result: WriteResult
) -> None:
    Receipt.objects.create(
        space_id=result.memory.space_id,
        actor_kind=actor_kind,
        actor_id=actor_id,
        key=key,
        request_hash=request_hash,
        outcome=result.outcome,
        memory=result.memory,
    )
