"""The one shape in which a memory leaves through any door: MCP, REST and exports say the same."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypedDict
from uuid import UUID

from django.db.models import prefetch_related_objects
from django.utils import timezone

from memories.errors import ServiceError
from memories.models.feedback import Feedback
from memories.models.flag import Flag
from memories.models.memory import Memory
from memories.policies import policy_for, warmth

if TYPE_CHECKING:
    from memories.writing import WriteResult


class MemoryPayload(TypedDict):
    """A memory as plain JSON; times are ISO 8601 in UTC."""

    id: str
    content: str
    kind: str
    subject: str
    reflection: str
    tags: list[str]
    metadata: dict[str, Any]
    user_id: str
    agent: str
    session: str
    visibility: str
    happened_at: str | None
    source: str
    confidence: float
    status: str
    disputed: bool
    pinned: bool
    expires_at: str | None
    version: int
    replaced_by: str | None
    heat: float
    recall_count: int
    last_recalled_at: str | None
    created_at: str
    updated_at: str


class WritePayload(TypedDict):
    """What became of a write."""

    outcome: str
    reason: str
    degraded: bool
    memory: MemoryPayload
    flags: list[str]


RefusalPayload = dict[str, dict[str, Any]]
"""{"error": {"code", "message", "field"?, "details"?}}"""


class CountsPayload(TypedDict):
    """How many of several writes ended in which way."""

    created: int
    reinforced: int
    duplicate: int
    flagged: int
    refused: int


class BatchPayload(TypedDict):
    """What became of several writes, in their order."""

    results: list[WritePayload | RefusalPayload]
    counts: CountsPayload


class FeedbackPayload(TypedDict):
    """What was said of a version of a memory, and whether people are asked about it by now."""

    id: str
    memory_id: str
    version: int
    verdict: str
    note: str
    recall_id: str | None
    under_review: bool


class ConsolidationPayload(TypedDict):
    """What waits for a person in place of several memories."""

    flag: str
    memory_id: str
    content: str
    memory_ids: list[str]


def memory_payload(memory: Memory) -> MemoryPayload:
    """Return a memory as plain JSON; `disputed` is the annotation of reading.memories_of().

    `heat` is what is left of it now, to two places (E5).
    """
    return {
        "id": str(memory.pk),
        "content": memory.content,
        "kind": memory.kind,
        "subject": memory.subject,
        "reflection": memory.reflection,
        "tags": list(memory.tags),
        "metadata": memory.metadata,
        "user_id": memory.user_id,
        "agent": memory.agent.name if memory.agent else "",
        "session": memory.session,
        "visibility": memory.visibility,
        "happened_at": _iso(memory.happened_at),
        "source": memory.source,
        "confidence": round(memory.confidence, 4),
        "status": memory.status,
        "disputed": bool(getattr(memory, "disputed", False)),
        "pinned": memory.pinned,
        "expires_at": _iso(memory.expires_at),
        "version": memory.version,
        "replaced_by": _text(memory.replaced_by_id),
        "heat": _heat(memory),
        "recall_count": memory.recall_count,
        "last_recalled_at": _iso(memory.last_recalled_at),
        "created_at": memory.created_at.isoformat(),
        "updated_at": memory.updated_at.isoformat(),
    }


def write_payload(result: "WriteResult") -> WritePayload:
    """Return the answer to a write as plain JSON."""
    payload = memory_payload(result.memory)
    against = (flag.kind == Flag.Kind.CONFLICT for flag in result.flags)
    payload["disputed"] = payload["disputed"] or any(against)
    return {
        "outcome": result.outcome.value,
        "reason": result.reason,
        "degraded": result.degraded,
        "memory": payload,
        "flags": [str(flag.pk) for flag in result.flags],
    }


def refusal_payload(
    code: str, message: str, field: str = "", details: Mapping[str, Any] | None = None
) -> RefusalPayload:
    """Return why something was refused; `field` and `details` only when there are any."""
    told = {"code": code, "message": message, "field": field, "details": details}
    return {"error": {name: value for name, value in told.items() if value}}


def batch_payload(answers: "Sequence[WriteResult | ServiceError]") -> BatchPayload:
    """Return the answers to a list of writes as plain JSON; a refusal's field names its place."""
    kept = [one.memory for one in answers if not isinstance(one, ServiceError)]
    prefetch_related_objects(kept, "agent")
    counts = Counter("refused" if isinstance(one, ServiceError) else one.outcome for one in answers)
    return {
        "results": [
            _refused(one, f"memories[{place}]")
            if isinstance(one, ServiceError)
            else write_payload(one)
            for place, one in enumerate(answers)
        ],
        "counts": {
            "created": counts["created"],
            "reinforced": counts["reinforced"],
            "duplicate": counts["duplicate"],
            "flagged": counts["flagged"],
            "refused": counts["refused"],
        },
    }


def _refused(error: ServiceError, place: str) -> RefusalPayload:
    field = f"{place}.{error.field}" if error.field else place
    return refusal_payload(error.code, error.message, field, error.details)


def feedback_payload(given: Feedback) -> FeedbackPayload:
    """Return what lifecycle.give_feedback() recorded as plain JSON."""
    asked = Flag.objects.open().filter(kind=Flag.Kind.FEEDBACK, memory_id=given.memory_id)
    return {
        "id": str(given.pk),
        "memory_id": str(given.memory_id),
        "version": given.memory_version,
        "verdict": str(given.verdict),
        "note": given.note,
        "recall_id": _text(given.recall_id),
        "under_review": asked.exists(),
    }


def _heat(memory: Memory) -> float:
    if not memory.heat:
        return 0.0
    half_life = getattr(memory, "half_life_days", None)
    if half_life is None:
        half_life = policy_for(memory.space_id)[1].aging.half_life_days
    since = memory.last_recalled_at or memory.created_at
    days = (timezone.now() - since) / timedelta(days=1)
    return round(warmth(memory.heat, days, half_life), 2)


def consolidation_payload(flag: Flag) -> ConsolidationPayload:
    """Return the merge that consolidation.consolidate() proposed as plain JSON."""
    sources = flag.sources.values_list("memory_id", flat=True)
    return {
        "flag": str(flag.pk),
        "memory_id": str(flag.memory_id),
        "content": flag.memory.content,
        "memory_ids": sorted(str(key) for key in sources),
    }


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _text(key: UUID | None) -> str | None:
    return None if key is None else str(key)
