"""What is hardly believed and hardly used expires: first a warning, then the archive (E6)."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from memories.jobs.base import Asked, Job, Row
from memories.jobs.rows import keys_after
from memories.lifecycle import aged, forgetting
from memories.models.memory import Memory


def _found(asked: Asked) -> "QuerySet[Memory]":
    return aged.expiring(asked.actor, asked.policy.aging, asked.now)


def _rows(asked: Asked, after: str, size: int) -> Sequence[Row]:
    return keys_after(asked, _found(asked), after, size)


def _work(asked: Asked, row: UUID, ready: None) -> Mapping[str, int]:
    return _whole(asked, [row], ready)


def _whole(asked: Asked, rows: Sequence[UUID], _ready: None) -> Mapping[str, int]:
    return forgetting.expire(actor=asked.actor, ids=rows, policy=asked.policy.aging, now=asked.now)


JOB = Job(
    code="expire",
    order=30,
    label=_("Expiry"),
    meaning=_(
        "Warns of memories that are hardly believed and hardly used, and archives them when the "
        "date has come. Whatever is recalled, changed or pinned before stays."
    ),
    outcomes={
        "warned": _("given a date of expiry"),
        "kept": _("kept: needed since the warning"),
        "archived": _("moved to the archive"),
    },
    rows=_rows,
    work=_work,
    whole=_whole,
    total=lambda asked: _found(asked).count(),
    interval=lambda policy: policy.expire_days,
)
