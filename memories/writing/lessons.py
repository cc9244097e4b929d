"""What people rejected teaches: who says it again is not believed at once (B9, F4)."""

from django.db.models import QuerySet

from memories.models.event import Event
from memories.models.memory import Memory, Status
from memories.writing.compare import compare
from memories.writing.judge import statement_of, thresholds_for
from memories.writing.neighbours import Neighbour, nearest

# Of what is like a statement so many are compared, nearest first.
NEAREST = 5
# Rejections that say nothing against the text itself: said again, it may be true or new by then.
_NO_LESSON = ("outdated", "duplicate", "trivial")


def said_before(memory: Memory, rows: "QuerySet[Memory]") -> Memory | None:
    """Return which of `rows` an indexed memory only says again, in these or other words."""
    found = nearest(memory, rows, NEAREST)
    return next((near.memory for near in found if repeats(memory, near)), None)


def repeats(memory: Memory, near: Neighbour) -> bool:
    """Whether a memory adds nothing to the one it is near to."""
    thresholds = thresholds_for(memory.embedding_model or near.memory.embedding_model)
    verdict = compare(statement_of(memory), statement_of(near.memory), near.cosine, thresholds)
    return verdict.kind == "duplicate"


def rejected_like(memory: Memory) -> Memory | None:
    """Return the owner's memory that people found wrong or made to steer and this one repeats.

    What was superseded is none: it may be true again, and a person then decides the conflict.
    """
    overturned = Memory.objects.owned_like(memory).filter(status=Status.OVERTURNED)
    known = said_before(memory, overturned)
    return None if known is None or _reason_of(known) in _NO_LESSON else known


def _reason_of(rejected: Memory) -> str:
    """Return the reason of the rejection that stands, "" when it was overturned without one."""
    said = Event.objects.filter(memory_id=rejected.pk, verb="flag_resolved", data__has_key="reason")
    last = said.order_by("-id").values_list("data__reason", flat=True).first()
    return str(last or "")
