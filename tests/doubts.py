"""A statement that was not believed enough to be active, for tests of what people do with it."""

from typing import Any

from django.db import transaction

from memories.models import Flag, Memory
from memories.models.memory import Status
from memories.permissions import Actor
from memories.policies import WritingPolicy
from memories.writing.draft import drafted
from memories.writing.store import open_pending, store
from memories.writing.write import embedded, unsaved

DOUBTED = "The team seems to prefer short stand-ups."
SURE = "The team prefers stand-ups of ten minutes."


def doubt(actor: Actor, content: str = DOUBTED, **said: Any) -> Flag:
    """Store a statement as pending, as a look back at a session does, and return its flag.

    When it contradicts what is known, it has a flag for each contradiction besides.
    """
    draft = drafted(content=content, source="llm_reasoning", **said)
    memory = embedded(unsaved(draft, actor, 0.45))
    memory.status = Status.PENDING
    with transaction.atomic():
        store(memory, draft, actor, WritingPolicy())
        return ask(memory, actor)


def ask(memory: Memory, actor: Actor) -> Flag:
    """Put a pending memory to a person."""
    return open_pending(
        memory,
        actor,
        reason="low_confidence",
        scores={"confidence": 0.45, "store_from": 0.6},
        evidence={},
    )
