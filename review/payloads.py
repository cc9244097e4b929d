"""The one shape in which a flag leaves through any door."""

from typing import Any, TypedDict

from memories.models.flag import Flag
from memories.payloads import MemoryPayload, memory_payload
from review.models import Decision


class DecisionPayload(TypedDict):
    """What a person decided."""

    choice: str
    reason: str
    note: str
    content: str
    user: str
    created_at: str


class FlagVersions(TypedDict):
    """The versions that the memories had when the flag was opened."""

    new: int
    old: int | None


class FlagPayload(TypedDict):
    """A flag as plain JSON: `new` is the memory it was opened for, `old` what it speaks against,
    None when it is about one memory alone."""

    id: str
    kind: str
    status: str
    reason: str
    scores: dict[str, Any]
    evidence: dict[str, Any]
    new: MemoryPayload
    old: MemoryPayload | None
    flagged_versions: FlagVersions
    created_at: str
    resolved_at: str | None
    resolution: str
    decision: DecisionPayload | None


def flag_payload(flag: Flag) -> FlagPayload:
    """Return a flag of review.queue as plain JSON; times are ISO 8601 in UTC."""
    return {
        "id": str(flag.pk),
        "kind": flag.kind,
        "status": flag.status,
        "reason": flag.reason,
        "scores": flag.scores,
        "evidence": flag.evidence,
        "new": memory_payload(flag.memory),
        "old": memory_payload(flag.counterpart) if flag.counterpart else None,
        "flagged_versions": {"new": flag.memory_version, "old": flag.counterpart_version},
        "created_at": flag.created_at.isoformat(),
        "resolved_at": flag.resolved_at.isoformat() if flag.resolved_at else None,
        "resolution": flag.resolution,
        "decision": _decision(getattr(flag, "decision", None)),
    }


def _decision(decision: Decision | None) -> DecisionPayload | None:
    if decision is None:
        return None
    return {
        "choice": decision.choice,
        "reason": decision.reason,
        "note": decision.note,
        "content": decision.content,
        "user": decision.user_name,
        "created_at": decision.created_at.isoformat(),
    }
