"""The one shape in which a memory leaves through any door: MCP, REST and exports say the same."""

from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict
from uuid import UUID

from memories.models.feedback import Feedback
from memories.models.flag import Flag
from memories.models.memory import Memory

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
    version: int
    replaced_by: str | None
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


class FeedbackPayload(TypedDict):
    """What was said of a version of a memory, and whether people are asked about it by now."""

    id: str
    memory_id: str
    version: int
    verdict: str
    note: str
    recall_id: str | None
    under_review: bool


def memory_payload(memory: Memory) -> MemoryPayload:
    """Return a memory as plain JSON; `disputed` is the annotation of reading.memories_of()."""
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
        "version": memory.version,
        "replaced_by": _text(memory.replaced_by_id),
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


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _text(key: UUID | None) -> str | None:
    return None if key is None else str(key)
