"""The endpoints of jobs: people start, watch, stop and undo runs. Agents have none of it."""

from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from memories import jobs
from memories.api import job_shapes as shapes
from memories.api.documented import documented
from memories.api.door import Door, page
from memories.errors import NotAllowed
from memories.jobs.payload import job_payload, run_payload
from memories.jobs.reading import jobs_of, runs_of
from memories.jobs.starting import get_run


class JobDoor(Door):
    """What an agent's key never opens, whatever it says and whether or not the id exists."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse whoever may not see all of the space before anything else is looked at."""
        super().initial(request, *args, **kwargs)
        if self.actor.kind != "user":
            raise NotAllowed(_("Jobs are for people; an agent's key does not reach them."))
        self.actor.require("see_private")


class Jobs(JobDoor):
    """The jobs of a space."""

    @documented("list_jobs", ok={200: shapes.JobList})
    def get(self, request: Request) -> Response:
        """Every job with its newest run and when it is due."""
        self.query(shapes.NothingInput)
        return Response({"items": [job_payload(one) for one in jobs_of(self.actor)]})


class RunsOfJob(JobDoor):
    """The runs of one job."""

    @documented(
        "start_run", body=shapes.StartRunInput, ok={202: shapes.JobRunOutput}, errors=(413, 415)
    )
    def post(self, request: Request, job: str) -> Response:
        """Start a run, or a dry run; a worker carries it on. One that is open already is returned.
        For admins."""
        given = self.body(shapes.StartRunInput)
        run = jobs.start_by_hand(actor=self.actor, job=job, trial=given["trial"])
        return Response(run_payload(run), status=202)


class Runs(JobDoor):
    """The runs of all jobs."""

    @documented("list_runs", query=shapes.RunsInput, ok={200: shapes.JobRunPage})
    def get(self, request: Request) -> Response:
        """Runs, newest first, a page at a time."""
        given = self.query(shapes.RunsInput)
        rows = runs_of(self.actor, job=given.get("job", ""), state=given.get("state", ""))
        return page(rows, run_payload, key="pk", cursor=given.get("cursor"), limit=given["limit"])


class OneRun(JobDoor):
    """One run. A foreign id and a missing one look the same."""

    @documented("get_run", ok={200: shapes.JobRunOutput})
    def get(self, request: Request, run_id: UUID) -> Response:
        """How far it is, what it did, what went wrong."""
        self.query(shapes.NothingInput)
        return Response(run_payload(get_run(actor=self.actor, run_id=run_id)))


class Stop(JobDoor):
    """The end of a run before its time."""

    @documented(
        "stop_run", body=shapes.NothingInput, ok={200: shapes.JobRunOutput}, errors=(413, 415)
    )
    def post(self, request: Request, run_id: UUID) -> Response:
        """End an open run after the step it is in; what is done stays. For admins."""
        self.body(shapes.NothingInput)
        return Response(run_payload(jobs.stop(actor=self.actor, run_id=run_id)))


class Retry(JobDoor):
    """A run that goes on."""

    @documented(
        "retry_run", body=shapes.NothingInput, ok={202: shapes.JobRunOutput}, errors=(413, 415)
    )
    def post(self, request: Request, run_id: UUID) -> Response:
        """Let a run that failed or was stopped go on where it was. For admins."""
        self.body(shapes.NothingInput)
        return Response(run_payload(jobs.retry(actor=self.actor, run_id=run_id)), status=202)


class Undo(JobDoor):
    """A run that is taken back."""

    @documented(
        "undo_run", body=shapes.StartRunInput, ok={202: shapes.JobRunOutput}, errors=(413, 415)
    )
    def post(self, request: Request, run_id: UUID) -> Response:
        """Start a run that brings back what this one changed; what was changed since stays. With
        `trial` only counted. Returns the new run. For admins."""
        given = self.body(shapes.StartRunInput)
        undoing = jobs.undo_run(actor=self.actor, run_id=run_id, trial=given["trial"])
        return Response(run_payload(undoing), status=202)
