"""The words for jobs and their runs on the pages. One place, translated."""

from datetime import datetime

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from memories.jobs.reading import Standing, waits
from memories.models.job import JobRun
from memories.pages.session_words import seconds
from memories.pages.words import ago


def every(days: float) -> str:
    """Return how often a job runs by itself: "every day", "every 7 days", "every 6 hours"."""
    if not days:
        return _("only when started")
    if days < 1:
        hours = round(days * 24) or 1
        return ngettext("every hour", "every %(n)d hours", hours) % {"n": hours}
    whole = round(days)
    return ngettext("every day", "every %(n)d days", whole) % {"n": whole}


def within(span: float) -> str:
    """Return how often a sweep looks, of seconds: "every 30 seconds", "every hour"."""
    if span < 60:
        return ngettext("every second", "every %(n)d seconds", round(span)) % {"n": round(span)}
    if span < 3600:
        minutes = round(span / 60)
        return ngettext("every minute", "every %(n)d minutes", minutes) % {"n": minutes}
    hours = round(span / 3600)
    return ngettext("every hour", "every %(n)d hours", hours) % {"n": hours}


def upcoming(standing: Standing, now: datetime | None = None) -> str:
    """Return when a job runs by itself next, "" when it never does."""
    now = now or timezone.now()
    if standing.due is None:
        return ""
    if standing.late:
        return _("was due %(when)s: is the schedule running?") % {"when": ago(standing.due, now)}
    if standing.due <= now:
        return _("due now")
    return _("next %(when)s") % {"when": _until((standing.due - now).total_seconds())}


def lasted(run: JobRun) -> str:
    """Return how long a run that has ended took, "" for any other."""
    if run.started_at is None or run.finished_at is None:
        return ""
    return seconds((run.finished_at - run.started_at).total_seconds())


def did_nothing(run: JobRun) -> str:
    """Return what to say of a run without counts."""
    if run.state == JobRun.State.DONE:
        return _("nothing to do")
    if run.state in (JobRun.State.WAITING, JobRun.State.RUNNING):
        return _("nothing yet")
    return _("nothing was changed")


def triggered(run: JobRun) -> str:
    """Return by what a run was started: the schedule, a person's name, a command."""
    if run.trigger == JobRun.Trigger.SCHEDULE:
        return _("by schedule")
    if run.trigger == JobRun.Trigger.COMMAND:
        return _("by a command")
    return pgettext("started", "by %(name)s") % {"name": run.started_by_name}


def waiting_for(run: JobRun) -> str:
    """Return what an open run waits for, as a sentence; "" while a worker has it."""
    sentences = {
        "soon": _("Its turn comes in a moment."),
        "service": _("What it needs is away; it is tried again every minute."),
        "worker": _("It waits for a worker: none has taken it up. Is one running?"),
    }
    return sentences.get(waits(run), "")


def _until(span: float) -> str:
    hours = round(span / 3600)
    if hours < 1:
        minutes = max(round(span / 60), 1)
        return ngettext("in %(n)d minute", "in %(n)d minutes", minutes) % {"n": minutes}
    if hours < 48:
        return ngettext("in %(n)d hour", "in %(n)d hours", hours) % {"n": hours}
    return ngettext("in %(n)d day", "in %(n)d days", round(hours / 24)) % {"n": round(hours / 24)}
