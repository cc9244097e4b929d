"""What went cold goes to the archive (E5)."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from memories.jobs.base import Asked, Job, Row
from memories.jobs.rows import keys_after
from memories.lifecycle import aged, forgetting
from memories.models.memory import Memory


def _found(asked: Asked) -> "QuerySet[Memory]":
    return aged.fading(asked.actor, asked.policy.aging, asked.now)


def _rows(asked: Asked, after: str, size: int) -> Sequence[Row]:
    return keys_after(asked, _found(asked), after, size)


def _work(asked: Asked, row: UUID, ready: None) -> Mapping[str, int]:
    return _whole(asked, [row], ready)


def _whole(asked: Asked, rows: Sequence[UUID], _ready: None) -> Mapping[str, int]:
    return forgetting.fade(actor=asked.actor, ids=rows, policy=asked.policy.aging, now=asked.now)


JOB = Job(
    code="fade",
    order=20,
    label=_("Forgetting"),
    meaning=_(
        "Puts memories that went cold into the archive. Pinned ones stay, and so does what was "
        "recalled at this time of the last quarter or year."
    ),
    outcomes={"archived": _("moved to the archive")},
    rows=_rows,
    work=_work,
    whole=_whole,
    total=lambda asked: _found(asked).count(),
    interval=lambda policy: policy.fade_days,
)
