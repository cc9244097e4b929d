"""What is weak and unused is put to a person (E7); nothing else happens to it."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from memories.jobs.base import Asked, Job, Row
from memories.jobs.rows import keys_after
from memories.lifecycle import aged, forgetting
from memories.models.memory import Memory


def _found(asked: Asked) -> "QuerySet[Memory]":
    return aged.questioned(asked.actor, asked.policy.aging, asked.now)


def _rows(asked: Asked, after: str, size: int) -> Sequence[Row]:
    return keys_after(asked, _found(asked), after, size)


def _work(asked: Asked, row: UUID, ready: None) -> Mapping[str, int]:
    return _whole(asked, [row], ready)


def _whole(asked: Asked, rows: Sequence[UUID], _ready: None) -> Mapping[str, int]:
    return forgetting.question(
        actor=asked.actor, ids=rows, policy=asked.policy.aging, now=asked.now
    )


JOB = Job(
    code="audit",
    order=40,
    label=_("Audit"),
    meaning=_(
        "Proposes memories for clean-up that are hardly believed and were not recalled for a long "
        "time. A person decides; it deletes nothing."
    ),
    outcomes={"proposed": _("proposed for clean-up")},
    rows=_rows,
    work=_work,
    whole=_whole,
    total=lambda asked: _found(asked).count(),
    interval=lambda policy: policy.audit_days,
)
