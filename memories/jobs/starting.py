"""Runs begin: by schedule, by a person, by a command. The row is the queue (I5)."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from memories import history
from memories.dispatch import nudge
from memories.errors import Invalid, NotFound
from memories.identity import system_actor
from memories.jobs.kinds import JOBS
from memories.models.job import JobRun
from memories.models.space import Space
from memories.permissions import Actor
from memories.policies import policy_for

State = JobRun.State
# How long it is remembered what ran; receipts of what was erased stay.
KEPT = timedelta(days=90)
RECEIPTS = ("erase_user",)


def start(
    *,
    actor: Actor,
    job: str,
    trial: bool = False,
    arguments: Mapping[str, Any] | None = None,
    trigger: str = JobRun.Trigger.PERSON,
) -> JobRun:
    """Open a run of a job over the actor's space, or return the one that is open already.

    A worker carries it on; nothing is done here. Raises NotAllowed, Invalid for an unknown job or
    a trial that it does not offer.
    """
    actor.require("administer")
    known = JOBS.get(job)
    if known is None:
        raise Invalid(
            _("There is no job “%(job)s”. There are: %(jobs)s.")
            % {"job": job, "jobs": ", ".join(JOBS)},
            field="job",
        )
    if trial and not known.trial:
        raise Invalid(_("This job has no dry run."), field="trial")
    run = JobRun(
        space_id=actor.space_id,
        job=job,
        trigger=trigger,
        started_by_id=actor.id if actor.kind == "user" else None,
        started_by_name=actor.name,
        trial=trial,
        arguments=dict(arguments or {}),
    )
    with transaction.atomic():
        opened = _open(run)
        if opened is run:
            history.log(actor, "job_started", run=str(run.pk), job=job, trial=trial)
    return opened


def start_due(now: datetime | None = None) -> int:
    """Open a run for every space and job whose interval is over; forget old runs. Return how many.

    Asked often: a beat that slept, or a machine that was off, only delays.
    """
    now = now or timezone.now()
    JobRun.objects.filter(finished_at__lt=now - KEPT).exclude(job__in=RECEIPTS).delete()
    started = 0
    for space_id in list(Space.objects.order_by("id").values_list("pk", flat=True)):
        for code in _due(space_id, now):
            actor = system_actor(space_id)
            run = JobRun(space_id=space_id, job=code, started_by_name=actor.name)
            started += _open(run) is run
    return started


def retry(*, actor: Actor, run_id: UUID) -> JobRun:
    """Let a run that failed or was stopped go on where it was. Raises NotFound or Invalid."""
    actor.require("administer")
    try:
        with transaction.atomic():
            run = _locked(actor, run_id)
            if run.state not in (State.FAILED, State.STOPPED):
                raise Invalid(_("Only a run that failed or was stopped can go on."))
            run.state, run.note, run.finished_at = State.WAITING, "", None
            run.deaths, run.not_before = 0, timezone.now()
            run.save(update_fields=["state", "note", "finished_at", "deaths", "not_before"])
            history.log(actor, "job_retried", run=str(run.pk), job=run.job)
    except IntegrityError as error:
        raise Invalid(_("Another run of this job is open: wait until it has ended.")) from error
    nudge("memories.carry_on_run", str(run.pk))
    return run


def stop(*, actor: Actor, run_id: UUID) -> JobRun:
    """End an open run after the step it is in; what is done stays. Raises NotFound or Invalid."""
    actor.require("administer")
    with transaction.atomic():
        run = _locked(actor, run_id)
        if run.state not in (State.WAITING, State.RUNNING):
            raise Invalid(_("This run has ended already."))
        run.state, run.finished_at = State.STOPPED, timezone.now()
        run.token, run.claimed_until = None, None  # the worker finds out before its next commit
        run.note = _("Stopped by %(name)s.") % {"name": actor.name}
        run.save(update_fields=["state", "finished_at", "token", "claimed_until", "note"])
        history.log(actor, "job_stopped", run=str(run.pk), job=run.job)
    return run


def get_run(*, actor: Actor, run_id: UUID) -> JobRun:
    """Return one run of the actor's space, or raise NotFound."""
    run: JobRun | None = JobRun.objects.visible_to(actor).filter(pk=run_id).first()
    if run is None:
        raise NotFound(_("There is no such run here."), field="run_id")
    return run


def _locked(actor: Actor, run_id: UUID) -> JobRun:
    get_run(actor=actor, run_id=run_id)
    locked: JobRun = JobRun.objects.select_for_update().get(pk=run_id)
    return locked


def _open(run: JobRun) -> JobRun:
    """Insert a run unless one of its job is open in its space; return whichever is."""
    try:
        with transaction.atomic():
            run.save(force_insert=True)
            nudge("memories.carry_on_run", str(run.pk))
    except IntegrityError:
        open_ones = JobRun.objects.unfinished().filter(space_id=run.space_id, job=run.job)
        return open_ones.first() or run
    return run


def _due(space_id: UUID, now: datetime) -> list[str]:
    policy = policy_for(space_id)[1].jobs
    runs = JobRun.objects.filter(space_id=space_id, trial=False).values("job")
    last = dict(runs.annotate(last=Max("created_at")).order_by().values_list("job", "last"))
    due = []
    for code, job in JOBS.items():
        days = job.interval(policy)
        if days and (code not in last or now - last[code] >= timedelta(days=days)):
            due.append(code)
    return due
