"""Link: new and changed memories take their place in the graph (A3, J1)."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import F
from django.utils.translation import gettext_lazy as _

from memories.graph import extracting, linking
from memories.jobs.base import Asked, Job, Row
from memories.models.job import JobRun
from memories.models.memory import Memory


def _rows(asked: Asked, after: str, size: int) -> Sequence[Row]:
    return [(str(pk), pk) for pk in linking.waiting(asked.space_id, after, size)]


def _total(asked: Asked) -> int:
    rows = Memory.objects.filter(space_id=asked.space_id, linked_version__lt=F("version"))
    return rows.count()


def _prepare(_asked: Asked, rows: Sequence[Any]) -> linking.Ready:
    memories = linking.read(rows)
    return linking.prepared(memories, extracting.asked_of_llm(memories))


def _work(asked: Asked, row: UUID, ready: linking.Ready) -> Mapping[str, int]:
    return linking.link([row], ready, asked.policy)


def _whole(asked: Asked, rows: Sequence[UUID], ready: linking.Ready) -> Mapping[str, int]:
    return linking.link(rows, ready, asked.policy)


def _finish(asked: Asked, _run: JobRun) -> None:
    linking.prune(asked.space_id)


JOB = Job(
    code="link",
    order=10,
    label=_("Link memories"),
    meaning=_("Finds the names in new and changed memories, and what they are to one another."),
    outcomes={"linked": _("linked"), "alone": _("without names")},
    rows=_rows,
    prepare=_prepare,
    work=_work,
    whole=_whole,
    total=_total,
    finish=_finish,
    interval=lambda policy: policy.link_days,
    batch=linking.BATCH,
    trial=False,
    undoable=False,
)
