"""What is always on in this room, for the page of jobs."""

from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from memories.jobs.sweeps import Sweep, register
from memories.models.flag import Flag
from review.models import Batch


def register_all() -> None:
    """Add this room's sweeps to those that the page of jobs shows."""
    for sweep in _SWEEPS:
        register(sweep)


def _unconsidered(space_id: UUID) -> "QuerySet[Flag]":
    found: QuerySet[Flag] = Flag.objects.open().filter(space_id=space_id)
    return found.filter(considered_at__isnull=True)


def _at_work(space_id: UUID) -> "QuerySet[Batch]":
    states = [Batch.State.RUNNING, Batch.State.UNDOING]
    return Batch.objects.filter(space_id=space_id, state__in=states)


_SWEEPS = [
    Sweep(
        "review.consider_waiting",
        _("Rules"),
        _("New review items are looked at by the rules of the space."),
        _unconsidered,
    ),
    Sweep(
        "review.carry_on_waiting",
        _("Batches"),
        _("Decisions for many items at once are carried out, or undone."),
        _at_work,
    ),
]
