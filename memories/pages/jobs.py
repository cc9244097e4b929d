"""The pages of jobs and their runs: doors only."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from memories import jobs
from memories.errors import Invalid
from memories.jobs.reading import changed_by, jobs_of, runs_of, stuck
from memories.jobs.starting import get_run
from memories.jobs.sweeps import sweeps_of
from memories.models.job import JobRun
from memories.pages import job_words as words
from memories.pages.access import MemberRequest, member_page, posts_to
from memories.pages.job_present import (
    JobRow,
    RunFilter,
    reason_against,
    rows_of,
    run_context,
)
from memories.pages.paging import page_of, without_cursor
from memories.pages.rendering import page_or_fragment

PAGE = 30
# Changed memories that a page of a run shows.
CHANGED = 25


@require_safe
@member_page
def index(request: MemberRequest) -> HttpResponse:
    """Every job: what it is for, when it ran, when it runs next, how far it is."""
    rows = [JobRow.of(standing) for standing in jobs_of(request.actor)]
    last = [row.last for row in rows if row.last]
    context: dict[str, Any] = {
        "rows": rows,
        "running": any(run.open for run in last),
        "stuck": stuck([run.run for run in last]),
        "late": any(row.late for row in rows),
        "against": reason_against(request.actor),
        "sweeps": [(one, words.within(one.seconds)) for one in sweeps_of(request.actor)],
    }
    return page_or_fragment(request, "jobs/index.html", "jobs/_jobs.html", context)


@require_safe
@member_page
def runs(request: MemberRequest) -> HttpResponse:
    """The runs, newest first."""
    query = without_cursor(request.GET)
    form = RunFilter(query)
    found = runs_of(request.actor)
    context: dict[str, Any] = {"filter": form, "query": query.urlencode()}
    if form.is_valid():
        found = runs_of(request.actor, **form.cleaned_data)
        page = page_of(found, request.GET, PAGE)
        context |= {"page": page, "rows": rows_of(page.rows)}
    return page_or_fragment(request, "jobs/runs.html", "jobs/_runs.html", context)


@require_safe
@member_page
def run(request: MemberRequest, run_id: UUID) -> HttpResponse:
    """One run: how far it is, what it did, what it changed, what went wrong."""
    request.actor.require("see_private")
    found = get_run(actor=request.actor, run_id=run_id)
    context = run_context(found, request.actor)
    if not found.trial:
        changed = changed_by(request.actor, found)
        context["page"] = page_of(changed, request.GET, CHANGED)
    return page_or_fragment(request, "jobs/run.html", "jobs/_run.html", context)


@posts_to("jobs:index")
@member_page
def start(request: MemberRequest) -> HttpResponse:
    """Start a run of the job that the form names, or a dry run of it."""
    try:
        begun = jobs.start_by_hand(
            actor=request.actor,
            job=request.POST.get("job", ""),
            trial=request.POST.get("do") == "trial",
        )
    except Invalid as error:
        messages.error(request, error.message)
        return redirect("jobs:index")
    return redirect("jobs:run", begun.pk)


@posts_to("jobs:run")
@member_page
def stop(request: MemberRequest, run_id: UUID) -> HttpResponse:
    """End an open run."""
    return _asked(request, run_id, jobs.stop, "")


@posts_to("jobs:run")
@member_page
def retry(request: MemberRequest, run_id: UUID) -> HttpResponse:
    """Let a run that failed or was stopped go on."""
    return _asked(request, run_id, jobs.retry, _("It goes on where it was."))


@posts_to("jobs:run")
@member_page
def undo(request: MemberRequest, run_id: UUID) -> HttpResponse:
    """Bring back what a run changed, or count what that would be."""
    trial = request.POST.get("do") == "trial"

    def undone(*, actor: Any, run_id: UUID) -> JobRun:
        return jobs.undo_run(actor=actor, run_id=run_id, trial=trial)

    return _asked(request, run_id, undone, "")


@posts_to("jobs:run")
@member_page
def carry_out(request: MemberRequest, run_id: UUID) -> HttpResponse:
    """Do for real what a dry run counted."""
    return _asked(request, run_id, jobs.carry_out, "")


def _asked(
    request: MemberRequest, run_id: UUID, what: Callable[..., JobRun], said: str
) -> HttpResponse:
    """Do something to a run, and show the run that it is about now."""
    try:
        about = what(actor=request.actor, run_id=run_id)
    except Invalid as error:
        messages.error(request, error.message)
        return redirect("jobs:run", run_id)
    if said:
        messages.success(request, said)
    return redirect("jobs:run", about.pk)
