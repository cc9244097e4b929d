"""drop_model: after a change of model, the vectors of the model that is not in use are removed."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memories.embedding.client import EmbedderDown, identity
from memories.jobs.base import Asked, Job, Later, Row
from memories.models.job import JobRun
from memories.models.memory import Memory
from memories.models.space import Space
from memories.writing import reembedding

LATE = timedelta(minutes=1)
"""A write that began before the change was ended has come to its own end by then."""


def _kept(asked: Asked) -> str:
    """Return the id of the model in use; "" when another change has begun. Raises Later."""
    space = Space.objects.get(pk=asked.space_id)
    if space.other_model:
        return ""
    try:
        return identity(reembedding.active_name(space))
    except EmbedderDown as error:
        raise Later(str(error)) from error


def _rows(asked: Asked, after: str, size: int) -> Sequence[Row]:
    model = _kept(asked)
    if not model:
        return []
    found = reembedding.stale(asked.space_id, model).order_by("pk")
    if after:
        found = found.filter(pk__gt=UUID(after))
    return [(str(key), (key, model)) for key in found.values_list("pk", flat=True)[:size]]


def _total(asked: Asked) -> int:
    model = _kept(asked)
    return reembedding.stale(asked.space_id, model).count() if model else 0


def _work(asked: Asked, row: Any, ready: Any) -> Mapping[str, int]:
    return _whole(asked, [row], ready)


def _whole(_asked: Asked, rows: Sequence[Any], _ready: Any) -> Mapping[str, int]:
    keys, models = zip(*rows, strict=True)
    return reembedding.keep_only(Memory.objects.filter(pk__in=keys), models[0])


def _finish(asked: Asked, run: JobRun) -> None:
    """Look once more, for what was written with the former model meanwhile."""
    if timezone.now() < asked.now + LATE:
        raise Later(_("It waits a minute for writes that began before the change was ended."))
    model = _kept(asked)
    if not model:
        return
    rows = reembedding.stale(asked.space_id, model)
    for outcome, count in reembedding.keep_only(rows, model).items():
        run.counts[outcome] = run.counts.get(outcome, 0) + count


JOB = Job(
    code="drop_model",
    order=71,
    label=gettext_lazy("Remove the former model's vectors"),
    meaning=gettext_lazy(
        "After a change of model: only the vectors of the model in use stay. There is no way back"
        " then but another change."
    ),
    outcomes={
        "moved": gettext_lazy("keep the new vector"),
        "dropped": gettext_lazy("keep the vector they had"),
        "wait": gettext_lazy("wait to be embedded"),
    },
    rows=_rows,
    work=_work,
    whole=_whole,
    total=_total,
    finish=_finish,
    trial=False,
    by_hand=False,
    undoable=False,
)
