"""Jobs and runs, made ready for their templates."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django import forms
from django.utils.translation import gettext_lazy as _

from memories.errors import NotAllowed
from memories.jobs import JOBS
from memories.jobs.asking import (
    is_open,
    reason_against_carrying_out,
    reason_against_undoing,
)
from memories.jobs.base import Job
from memories.jobs.reading import Standing, asked_by, undone_by
from memories.jobs.words import called, counted, outcomes
from memories.models.flag import Flag
from memories.models.job import JobRun
from memories.models.memory import Memory
from memories.pages import job_words as words
from memories.pages.paging import key_of
from memories.permissions import Actor
from memories.reading import memories_of

State = JobRun.State
# Of the review items that a run opened a page shows the newest.
MOST = 20
# Where the jobs are started that need to know more than their name.
PLACES = {
    "undo_run": "jobs:runs",
    "reembed": "jobs:embedding",
    "drop_model": "jobs:embedding",
    "erase_user": "memories:erase",
}


class RunFilter(forms.Form):
    """Which runs are listed."""

    job = forms.ChoiceField(
        label=_("Job"),
        required=False,
        choices=lambda: [("", _("any")), *((code, job.label) for code, job in JOBS.items())],
    )
    state = forms.ChoiceField(
        label=_("State"), required=False, choices=[("", _("any")), *State.choices]
    )

    @property
    def narrowed(self) -> bool:
        """Whether anything was chosen."""
        return any(self.data.get(name) for name in self.fields)


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run in words: its job's name, what it did, how long it took, by whom, what it waits for."""

    run: JobRun
    name: str
    open: bool
    did: str
    lasted: str
    by: str
    waits: str

    @classmethod
    def of(cls, run: JobRun) -> "RunRow":
        """Put a run into words."""
        return cls(
            run=run,
            name=called(run.job),
            open=is_open(run),
            did=counted(run) or words.did_nothing(run),
            lasted=words.lasted(run),
            by=words.triggered(run),
            waits=words.waiting_for(run),
        )

    @property
    def done(self) -> int:
        """Rows done, never more than there are said to be: the total is about."""
        return min(self.run.done, self.run.total or self.run.done)


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job in words: its newest run, how often it runs, when next."""

    job: Job
    last: RunRow | None
    every: str
    next: str
    late: bool
    scheduled: bool
    page: str

    @classmethod
    def of(cls, standing: Standing) -> "JobRow":
        """Put a job into words."""
        return cls(
            job=standing.job,
            last=RunRow.of(standing.last) if standing.last else None,
            every=words.every(standing.days),
            next=words.upcoming(standing),
            late=standing.late,
            scheduled=bool(standing.days),
            page=PLACES.get(standing.job.code, ""),
        )


@dataclass(frozen=True, slots=True)
class RowError:
    """A row that failed, with the memory that it is, if it is one."""

    row: str
    error: str
    memory: Memory | None


def errors_of(run: JobRun, actor: Actor) -> list[RowError]:
    """Return the rows of a run that failed, each with its memory where there is one."""
    keys = [key for error in run.errors if (key := key_of(str(error["row"])))]
    found: dict[UUID, Memory] = memories_of(actor).in_bulk(keys) if keys else {}
    return [
        RowError(str(error["row"]), str(error["error"]), _memory(found, str(error["row"])))
        for error in run.errors
    ]


def _memory(found: dict[UUID, Memory], row: str) -> Memory | None:
    key = key_of(row)
    return found.get(key) if key else None


def reason_against(actor: Actor) -> str:
    """Return why this person may not start jobs, "" when they may."""
    try:
        actor.require("administer")
    except NotAllowed as error:
        return error.message
    return ""


def run_context(run: JobRun, actor: Actor) -> dict[str, Any]:
    """Return what the page of a run shows beside what it changed."""
    may = not reason_against(actor)
    against_undoing = reason_against_undoing(run)
    row = RunRow.of(run)
    return {
        "run": run,
        "row": row,
        "outcomes": list(outcomes(run)),
        "errors": errors_of(run, actor),
        "flags": _flags(run, actor),
        "undone_by": undone_by(actor, run),
        "undoes": key_of(str(run.arguments.get("run", ""))),
        "against": reason_against(actor),
        "against_undoing": "" if row.open or run.trial else against_undoing,
        "may_stop": may and row.open,
        "may_retry": may and run.state in (State.FAILED, State.STOPPED),
        "may_undo": may and not against_undoing,
        "may_carry_out": may and not reason_against_carrying_out(run),
    }


def _flags(run: JobRun, actor: Actor) -> Sequence[Flag]:
    return [] if run.trial else list(asked_by(actor, run).select_related("memory")[:MOST])


def rows_of(runs: Iterable[JobRun]) -> list[RunRow]:
    """Put runs into words."""
    return [RunRow.of(run) for run in runs]
