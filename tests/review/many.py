"""Many open flags at once, without a model: for tests of what is decided together."""

from typing import Any

from memories import history
from memories.models import Flag, Memory
from memories.models.memory import Status
from memories.permissions import Actor
from review import bulk
from review.models import Batch
from tests.review.flags import opened


def remembered(actor: Actor, content: str, **fields: object) -> Memory:
    """Store a memory as it is: neither embedded nor compared."""
    memory = Memory(
        space_id=actor.space_id,
        agent_id=actor.id,
        content=content,
        **{"confidence": 0.6, "status": Status.ACTIVE} | fields,
    )
    history.index(memory)
    history.create([memory], actor=actor)
    return memory


def complaints(actor: Actor, count: int) -> list[Flag]:
    """Return one open complaint about each of `count` memories."""
    texts = (f"Room {number} seats {number + 3} people." for number in range(count))
    return [opened(actor, "feedback", "wrong", remembered(actor, text)) for text in texts]


def against(actor: Actor, old: Memory, content: str) -> Flag:
    """Return an open conflict of a new statement with an old one."""
    new = remembered(actor, content, status=Status.PENDING)
    flag = Flag(
        kind="conflict",
        space_id=old.space_id,
        memory=new,
        counterpart=old,
        memory_version=new.version,
        counterpart_version=old.version,
        reason="number",
    )
    return history.open_flag(flag, actor=actor, verb="flagged")


def drafted(person: Actor, flags: list[Flag], choice: str = "keep", **more: Any) -> Batch:
    """Return a draft that decides these flags."""
    return bulk.preview(actor=person, choice=choice, flag_ids=[f.pk for f in flags], **more)


def states(batch: Batch) -> list[str]:
    """Return what became of each item."""
    return list(batch.items.values_list("state", flat=True))


def whys(batch: Batch) -> list[str]:
    """Return why items were not decided."""
    return list(batch.items.exclude(why="").values_list("why", flat=True))


def started(person: Actor, flags: list[Flag], choice: str = "keep", **more: Any) -> Batch:
    """Return a batch of these flags that was confirmed."""
    return bulk.start(actor=person, batch_id=drafted(person, flags, choice, **more).pk)
