"""Undoing a run of another job, row by row: what it left becomes again what it was (E1, I5)."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memories.jobs.base import Asked, Job, Row
from memories.lifecycle.undoing import Embeddings, returning_texts, undo_at
from memories.lifecycle.undoing_many import undo_each
from memories.models.flag import Flag
from memories.models.memory import MemoryVersion

# Finding the next rows sorts what is left of the run: fewer, larger batches than usual.
BATCH = 500


def _versions(asked: Asked) -> "QuerySet[MemoryVersion]":
    """Return what the run wrote; a run of another space has written nothing here."""
    written = MemoryVersion.objects.filter(operation=_run(asked))
    return written.filter(memory__space_id=asked.space_id).order_by()


def _flags(asked: Asked) -> "QuerySet[Flag]":
    """Return what the run put to people."""
    found: QuerySet[Flag] = Flag.objects.filter(space_id=asked.space_id, opened_in=_run(asked))
    return found.order_by()


def _run(asked: Asked) -> UUID:
    return UUID(str(asked.arguments["run"]))


def _rows(asked: Asked, after: str, size: int) -> Sequence[Row]:
    beyond = {"memory_id__gt": UUID(after)} if after else {}
    keys: set[UUID] = set()
    for touched in (_versions(asked), _flags(asked)):
        ids = touched.filter(**beyond).values_list("memory_id", flat=True).distinct()
        keys.update(ids.order_by("memory_id")[:size])
    return [(str(key), key) for key in sorted(keys)[:size]]


def _total(asked: Asked) -> int:
    versions, flags = (
        touched.values_list("memory_id") for touched in (_versions(asked), _flags(asked))
    )
    return versions.union(flags).count()


def _prepare(asked: Asked, rows: Sequence[UUID]) -> Embeddings:
    return returning_texts(_run(asked), rows)


def _whole(asked: Asked, rows: Sequence[UUID], ready: Embeddings) -> Mapping[str, int]:
    return undo_each(
        actor=asked.actor,
        operation=_run(asked),
        memory_ids=rows,
        embeddings=ready,
        reason=_("run undone"),
    )


def _work(asked: Asked, row: UUID, ready: Embeddings) -> str:
    return undo_at(
        actor=asked.actor,
        operation=_run(asked),
        memory_id=row,
        embeddings=ready,
        reason=_("run undone"),
    )


JOB = Job(
    code="undo_run",
    order=80,
    label=gettext_lazy("Undoing a run"),
    meaning=gettext_lazy(
        "Brings back what a run of another job changed, as new versions; a memory that was changed "
        "since is left alone."
    ),
    outcomes={
        "undone": gettext_lazy("brought back"),
        "changed": gettext_lazy("left alone: changed since"),
    },
    rows=_rows,
    prepare=_prepare,
    work=_work,
    whole=_whole,
    total=_total,
    batch=BATCH,
    by_hand=False,
    undoable=False,
)
