"""A memory's version as plain JSON."""

from typing import Any

from memories.models.memory import STATED_FIELDS, MemoryVersion


def version_payload(version: MemoryVersion) -> dict[str, Any]:
    """Return one step of a memory's history; times are ISO 8601 in UTC."""
    said = {name: getattr(version, name) for name in STATED_FIELDS}
    return said | {
        "happened_at": version.happened_at.isoformat() if version.happened_at else None,
        "confidence": round(version.confidence, 4),
        "number": version.number,
        "reason": version.reason,
        "actor": version.actor_name,
        "actor_kind": version.actor_kind,
        "created_at": version.created_at.isoformat(),
    }
