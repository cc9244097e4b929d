"""What looks every few seconds or minutes for rows that wait: always on, no run, nothing to start.

Every row is its own queue, so that how much there is to do is a count, asked here.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from memories.jobs.base import Text
from memories.models.memory import LIVE, Memory
from memories.models.session import Session
from memories.permissions import Actor
from memories.policies import policy_for
from memories.sessions.retention import purgeable

# Beyond this the exact number helps nobody, and counting on is work for every look.
MOST = 999


@dataclass(frozen=True, slots=True)
class Sweep:
    """One of them: `task` is its name in the beat schedule, `waiting` the rows of a space."""

    task: str
    label: Text
    meaning: Text
    waiting: Callable[[UUID], "QuerySet[Any]"]


@dataclass(frozen=True, slots=True)
class Swept:
    """A sweep in one space: rows waiting, as "3" or "999+", and seconds between two looks."""

    sweep: Sweep
    waiting: str
    seconds: float


def register(sweep: Sweep) -> None:
    """Add a sweep of another room; rooms above this one are not known here."""
    if all(known.task != sweep.task for known in _SWEEPS):
        _SWEEPS.append(sweep)


def sweeps_of(actor: Actor) -> list[Swept]:
    """Return every sweep with what waits for it in the actor's space, a query each.

    Raises NotAllowed for who may not see all of the space.
    """
    actor.require("see_private")
    beat: Iterable[Mapping[str, Any]] = settings.CELERY_BEAT_SCHEDULE.values()
    every = {entry["task"]: float(entry["schedule"]) for entry in beat}
    return [
        Swept(sweep, _counted(sweep.waiting(actor.space_id)), every.get(sweep.task, 0.0))
        for sweep in _SWEEPS
    ]


def _counted(rows: "QuerySet[Any]") -> str:
    count = rows.order_by()[: MOST + 1].count()
    return f"{MOST}+" if count > MOST else str(count)


def _unembedded(space_id: UUID) -> "QuerySet[Memory]":
    found: QuerySet[Memory] = Memory.objects.filter(space_id=space_id)
    return found.filter(status__in=LIVE, embedding__isnull=True)


def _undistilled(space_id: UUID) -> "QuerySet[Session]":
    found: QuerySet[Session] = Session.objects.undistilled().filter(space_id=space_id)
    return found


def _idle(space_id: UUID) -> "QuerySet[Session]":
    minutes = policy_for(space_id)[1].sessions.idle_minutes
    since = timezone.now() - timedelta(minutes=minutes)
    found: QuerySet[Session] = Session.objects.filter(space_id=space_id)
    return found.filter(ended_at__isnull=True, touched_at__lt=since)


def _kept_long_enough(space_id: UUID) -> "QuerySet[Session]":
    days = policy_for(space_id)[1].sessions.retention_days
    return purgeable(timezone.now() - timedelta(days=days)).filter(space_id=space_id)


_SWEEPS = [
    Sweep(
        "memories.embed_waiting",
        _("Embedding"),
        _("Memories written while the embedder was away are embedded and compared."),
        _unembedded,
    ),
    Sweep(
        "memories.distil_waiting",
        _("Looking back"),
        _("Sessions that ended are distilled into memories."),
        _undistilled,
    ),
    Sweep(
        "memories.end_idle_sessions",
        _("Idle sessions"),
        _("Sessions that nobody ended are ended after their idle time."),
        _idle,
    ),
    Sweep(
        "memories.purge_old_turns",
        _("Old turns"),
        _("Turns of sessions are removed after their retention time."),
        _kept_long_enough,
    ),
]
