"""Recalls go out of the log, with their hits, after the policy's time (C6)."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from memories.jobs.base import Asked, Job, Row
from memories.lifecycle.purging import removed
from memories.models.ids import least_id
from memories.models.recall import Recall


def _due(asked: Asked) -> "QuerySet[Recall]":
    """What people judged stays: without its questions an evaluation could not be read again."""
    until = asked.now - timedelta(days=asked.policy.aging.log_days)
    due: QuerySet[Recall] = Recall.objects.filter(space_id=asked.space_id, pk__lt=least_id(until))
    return due.filter(judgements__isnull=True)


def _rows(asked: Asked, after: str, size: int) -> Sequence[Row]:
    due = _due(asked).filter(pk__gt=after) if after else _due(asked)
    return [(str(key), key) for key in due.order_by("pk").values_list("pk", flat=True)[:size]]


def _work(asked: Asked, key: UUID, ready: None) -> Mapping[str, int]:
    return _whole(asked, [key], ready)


def _whole(asked: Asked, keys: Sequence[UUID], _ready: None) -> Mapping[str, int]:
    held = _due(asked).filter(pk__in=keys).select_for_update(of=("self",)).order_by("pk")
    gone = removed(Recall.objects.filter(pk__in=list(held.values_list("pk", flat=True))))
    return {"removed": gone["recall"]}


JOB = Job(
    code="trim_log",
    order=70,
    label=_("Trim the log"),
    meaning=_(
        "Removes recalls from the log, with their hits, that are older than the policy keeps "
        "them. What was judged in an evaluation stays, and so does how often a memory was recalled."
    ),
    outcomes={"removed": _("recalls removed")},
    rows=_rows,
    work=_work,
    whole=_whole,
    total=lambda asked: _due(asked).count(),
    interval=lambda policy: policy.trim_log_days,
    batch=500,
    undoable=False,
)
