"""What lay in the trash for the policy's time is removed for good (E6)."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from memories.jobs.base import Asked, Job, Row
from memories.lifecycle.purging import purge_memories
from memories.models.memory import Memory, Status
from memories.models.tombstone import Tombstone


def _due(asked: Asked) -> "QuerySet[Memory]":
    """Deleting was the last change: `updated_at` says when."""
    until = asked.now - timedelta(days=asked.policy.aging.trash_days)
    due: QuerySet[Memory] = Memory.objects.filter(
        space_id=asked.space_id, status=Status.DELETED, updated_at__lte=until
    )
    return due


def _rows(asked: Asked, after: str, size: int) -> Sequence[Row]:
    due = _due(asked).filter(pk__gt=after) if after else _due(asked)
    return [(str(key), key) for key in due.order_by("pk").values_list("pk", flat=True)[:size]]


def _work(asked: Asked, key: UUID, _ready: None) -> Mapping[str, int]:
    return _whole(asked, [key], _ready)


def _whole(asked: Asked, keys: Sequence[UUID], _ready: None) -> Mapping[str, int]:
    due = _due(asked).filter(pk__in=keys)
    counts = purge_memories(due, actor=asked.actor, why=Tombstone.Why.RETENTION)
    return {"purged": counts["memory"]}


JOB = Job(
    code="purge",
    order=60,
    label=_("Empty the trash"),
    meaning=_(
        "Removes memories for good that were deleted long enough ago: their texts, versions, "
        "embeddings, hits, links, and what the log said of them."
    ),
    outcomes={"purged": _("removed for good")},
    rows=_rows,
    work=_work,
    whole=_whole,
    total=lambda asked: _due(asked).count(),
    interval=lambda policy: policy.purge_days,
    batch=500,
    undoable=False,
)
