"""What people ask for: a run from the list, a dry run carried out for real, a run undone."""

from uuid import UUID

from django.utils.translation import gettext as _

from memories.errors import Invalid
from memories.jobs.base import Job
from memories.jobs.kinds import JOBS
from memories.jobs.kinds.undo_run import JOB as UNDO_RUN
from memories.jobs.starting import get_run, start
from memories.models.job import JobRun
from memories.permissions import Actor

State = JobRun.State


def start_by_hand(
    *, actor: Actor, job: str, trial: bool = False, trigger: str = JobRun.Trigger.PERSON
) -> JobRun:
    """Open a run of a job that needs nothing but its name, or return the one that is open.

    Raises NotAllowed, or Invalid for an unknown job, one that has a page of its own, and when the
    open run is a dry run and this one would not be, or the other way round.
    """
    actor.require("administer")
    known = JOBS.get(job)
    if known is not None and not known.by_hand:
        raise Invalid(
            _("“%(job)s” needs to know more: it is started where it is asked for.")
            % {"job": known.label},
            field="job",
        )
    return _as_wanted(start(actor=actor, job=job, trial=trial, trigger=trigger), trial)


def carry_out(*, actor: Actor, run_id: UUID) -> JobRun:
    """Do for real what a dry run did and took back: open such a run.

    Raises NotAllowed, NotFound, or Invalid for what is no dry run that has ended.
    """
    actor.require("administer")
    run = get_run(actor=actor, run_id=run_id)
    if reason := reason_against_carrying_out(run):
        raise Invalid(reason, field="run_id")
    if run.job == UNDO_RUN.code:
        return undo_run(actor=actor, run_id=UUID(run.arguments["run"]))
    return start_by_hand(actor=actor, job=run.job)


def undo_run(*, actor: Actor, run_id: UUID, trial: bool = False) -> JobRun:
    """Open a run that brings back what another run changed, or return the one that does already.

    Memories that were changed since stay as they are. Undoing twice changes nothing. Raises
    NotAllowed, NotFound, or Invalid with the reason why this run cannot be undone.
    """
    actor.require("administer")
    run = get_run(actor=actor, run_id=run_id)
    if reason := reason_against_undoing(run):
        raise Invalid(reason, field="run_id")
    arguments = {"run": str(run.pk)}
    undoing = start(actor=actor, job=UNDO_RUN.code, trial=trial, arguments=arguments)
    if undoing.arguments != arguments:
        raise Invalid(_("Another run is being undone: wait until that has ended."))
    return _as_wanted(undoing, trial)


def reason_against_carrying_out(run: JobRun) -> str:
    """Return why there is nothing to do for real here, "" when there is."""
    job = JOBS.get(run.job)
    if not run.trial:
        return _("This was no dry run.")
    if is_open(run):
        return _("The dry run has not ended yet.")
    if job is None or not (job.by_hand or job is UNDO_RUN):
        return _("This job is started where it is asked for.")
    return ""


def reason_against_undoing(run: JobRun) -> str:
    """Return why what a run changed cannot be brought back, "" when it can."""
    job: Job | None = JOBS.get(run.job)
    if run.trial:
        return _("A dry run changed nothing: there is nothing to undo.")
    if is_open(run):
        return _("This run has not ended: stop it first.")
    if job is None or not job.undoable:
        return _("What this job does cannot be undone.")
    return ""


def is_open(run: JobRun) -> bool:
    """Whether a run waits or is being carried on."""
    return run.state in (State.WAITING, State.RUNNING)


def _as_wanted(run: JobRun, trial: bool) -> JobRun:
    if run.trial != trial:
        raise Invalid(
            _("A dry run of this job is open: wait until it has ended, or stop it.")
            if run.trial
            else _("A run of this job is open: wait until it has ended, or stop it."),
            run=str(run.pk),
        )
    return run
