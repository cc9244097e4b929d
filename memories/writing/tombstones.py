"""Tombstones: what a purged memory leaves, so that old sessions cannot bring it back (B9, E6)."""

import hashlib
import hmac
import json
from collections.abc import Iterable
from uuid import UUID

from django.conf import settings

from memories.models.memory import Memory, Visibility
from memories.models.tombstone import Tombstone
from memories.text.clean import fingerprint


def leave_tombstones(memories: Iterable[Memory], why: Tombstone.Why) -> None:
    """Write down, without a word of them, that these memories were here."""
    Tombstone.objects.bulk_create(
        (
            Tombstone(pk=memory.pk, space_id=memory.space_id, digest=_digest(memory), why=why)
            for memory in memories
        ),
        ignore_conflicts=True,
    )


def was_purged(memory: Memory) -> bool:
    """Whether a memory of this owner with exactly this text was removed for good (B9).

    A former SECRET_KEY that is kept as a fallback still counts.
    """
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    digests = [_digest(memory, key) for key in keys]
    return Tombstone.objects.filter(space_id=memory.space_id, digest__in=digests).exists()


def subject_digest(space_id: UUID, user_id: str) -> str:
    """Return what stands for an erased end user in receipts: 64 hex digits, the same each time."""
    return _keyed(settings.SECRET_KEY, "user", str(space_id), user_id)


def _digest(memory: Memory, key: str | None = None) -> str:
    private = memory.visibility == Visibility.PRIVATE
    agent = str(memory.agent_id) if private and memory.agent_id else ""
    owner = (str(memory.space_id), memory.user_id, str(memory.visibility), agent)
    return _keyed(key or settings.SECRET_KEY, "memory", *owner, fingerprint(memory.content))


def _keyed(key: str, *parts: str) -> str:
    """As JSON, so that no two lists of parts read the same."""
    said = json.dumps(parts).encode()
    return hmac.new(key.encode(), said, hashlib.sha256).hexdigest()
