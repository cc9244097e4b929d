"""Receipts: the answer once given to an idempotency key, kept with the write and found again."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from uuid import UUID

from django.utils.translation import gettext as _

from memories.errors import Invalid
from memories.models.flag import Flag
from memories.models.memory import Memory
from memories.models.receipt import Receipt
from memories.permissions import Actor
from memories.writing.draft import Draft
from memories.writing.quarantine import withheld
from memories.writing.result import Outcome, WriteResult
from memories.writing.store import as_said

Flags = Mapping[UUID, tuple[Flag, ...]]


def request_hash(draft: Draft, user_id: str) -> str:
    """Return what a write says of whom, as 64 hex digits: the same for the same write."""
    said = asdict(draft) | {"user_id": user_id}
    return hashlib.sha256(json.dumps(said, sort_keys=True, default=str).encode()).hexdigest()


def receipts_of(actor: Actor, keys: Iterable[str]) -> dict[str, Receipt]:
    """Return, by key, what this actor wrote under these keys before."""
    wanted = {key for key in keys if key}
    if not wanted or actor.id is None:
        return {}
    found = Receipt.objects.filter(actor_kind=actor.kind, actor_id=actor.id, key__in=wanted)
    return {receipt.key: receipt for receipt in found.select_related("memory")}


def flags_on(receipts: Iterable[Receipt]) -> Flags:
    """Return the open flags on what was written, by the memory's id."""
    flags: defaultdict[UUID, tuple[Flag, ...]] = defaultdict(tuple)
    keys = [receipt.memory_id for receipt in receipts]
    for flag in Flag.objects.open().filter(memory__in=keys) if keys else ():
        flags[flag.memory_id] += (flag,)
    return flags


def answered(receipt: Receipt, said: Memory, request: str, flags: Flags) -> WriteResult:
    """Return the answer once given, for `said`, the unsaved memory of the same write come again.

    Raises Invalid when `request`, its hash, is another: the key was used for another text.
    """
    if receipt.request_hash != request:
        raise Invalid(
            _("This idempotency_key was used for another text: use a new key for a new write."),
            field="idempotency_key",
        )
    memory = receipt.memory
    if memory.withheld:
        said.confidence = memory.confidence
        memory = as_said(withheld(said), memory)
    return WriteResult(
        Outcome(receipt.outcome),
        memory,
        _("Already done under this key."),
        flags.get(memory.pk, ()),
        again=True,
    )


def receipts_for(
    results: Iterable[tuple[WriteResult, str, str]], actor: Actor
) -> dict[str, Receipt]:
    """Write down the answers of (result, key, hash of the request), in one statement; by key."""
    if actor.id is None:
        return {}
    made = [
        Receipt(
            space_id=actor.space_id,
            actor_kind=actor.kind,
            actor_id=actor.id,
            key=key,
            request_hash=request,
            outcome=result.outcome,
            memory=result.memory,
        )
        for result, key, request in results
        if key
    ]
    return {receipt.key: receipt for receipt in Receipt.objects.bulk_create(made)}
