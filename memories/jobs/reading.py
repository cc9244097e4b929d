"""Selectors of jobs and runs: what runs, what ran, what is due, what waits for a worker (I5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from django.db.models import Max, QuerySet
from django.utils import timezone

from memories.jobs.base import Job
from memories.jobs.kinds import JOBS
from memories.models.flag import Flag
from memories.models.job import JobRun
from memories.models.memory import MemoryVersion
from memories.permissions import Actor
from memories.policies import policy_for

State = JobRun.State
# A worker takes up a run within seconds, and a schedule that is on looks every minute.
PATIENCE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Standing:
    """A job in one space: its newest run, and when it runs by itself next.

    `days` lie between two runs, 0: never by itself. `due` may be in the past: then `late` says
    whether nobody seems to look after the schedule.
    """

    job: Job
    last: JobRun | None
    days: float
    due: datetime | None
    late: bool


def jobs_of(actor: Actor, now: datetime | None = None) -> list[Standing]:
    """Return every job with its standing in the actor's space, in the order of the registry.

    Raises NotAllowed for who may not see all of the space.
    """
    now = now or timezone.now()
    runs = runs_of(actor)
    newest = {run.job: run for run in runs.order_by("job", "-id").distinct("job")}
    # One that goes on after it had failed may be older than one that has ended since.
    open_ones = runs.filter(state__in=[State.WAITING, State.RUNNING])
    newest |= {run.job: run for run in open_ones}
    real = runs.filter(trial=False).order_by().values("job").annotate(at=Max("created_at"))
    began = dict(real.values_list("job", "at"))
    policy = policy_for(actor.space_id)[1].jobs
    return [
        _standing(job, newest.get(code), job.interval(policy), began.get(code), now)
        for code, job in JOBS.items()
    ]


def runs_of(actor: Actor, *, job: str = "", state: str = "") -> "QuerySet[JobRun]":
    """Return the runs of the actor's space, newest first. Raises NotAllowed as jobs_of() does."""
    actor.require("see_private")
    given = {"job": job, "state": state}
    found: QuerySet[JobRun] = JobRun.objects.visible_to(actor)
    return found.filter(**{name: value for name, value in given.items() if value}).order_by("-id")


def changed_by(actor: Actor, run: JobRun) -> "QuerySet[MemoryVersion]":
    """Return the versions that a run wrote, newest first, each with its memory."""
    written = MemoryVersion.objects.filter(operation=run.pk, memory__space_id=actor.space_id)
    return written.select_related("memory").order_by("-id")


def asked_by(actor: Actor, run: JobRun) -> "QuerySet[Flag]":
    """Return what a run put to people, newest first."""
    opened: QuerySet[Flag] = Flag.objects.visible_to(actor).filter(opened_in=run.pk)
    return opened.order_by("-id")


def undone_by(actor: Actor, run: JobRun) -> JobRun | None:
    """Return the newest run that undoes this one for real, if any."""
    runs = runs_of(actor, job="undo_run")
    return runs.filter(trial=False, arguments__run=str(run.pk)).first()


def waits(run: JobRun, now: datetime | None = None) -> Literal["", "soon", "service", "worker"]:
    """Return what an open run waits for, "" when a worker has it or it has ended.

    "soon": its turn; "service": it is tried again at run.not_before; "worker": nobody takes it up,
    for too long to be the usual.
    """
    now = now or timezone.now()
    if run.state not in (State.WAITING, State.RUNNING):
        return ""
    if run.claimed_until is not None:
        return "" if run.claimed_until >= now else "worker"
    if run.not_before is not None and run.not_before > now:
        return "service"
    return "worker" if now - (run.not_before or run.created_at) > PATIENCE else "soon"


def stuck(runs: Sequence[JobRun], now: datetime | None = None) -> bool:
    """Whether one of these runs waits for a worker that does not come."""
    return any(waits(run, now) == "worker" for run in runs)


def _standing(
    job: Job, last: JobRun | None, days: float, began: datetime | None, now: datetime
) -> Standing:
    due = (began + timedelta(days=days) if began else now) if days else None
    late = began is not None and due is not None and now - due > 2 * PATIENCE
    running = last is not None and last.state in (State.WAITING, State.RUNNING)
    return Standing(job, last, days, due, late and not running)
