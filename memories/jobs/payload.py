"""The one JSON shape of jobs and their runs."""

from datetime import datetime
from typing import Any, TypedDict

from memories.jobs.reading import Standing, waits
from memories.models.job import JobRun


class RunPayload(TypedDict):
    """A run as plain JSON; times are ISO 8601 in UTC.

    `counts` are rows by outcome, in the codes of the job; `errors` are the first rows that failed,
    `failed` counts all. `waits_for` is what waits() says of it.
    """

    id: str
    job: str
    state: str
    waits_for: str
    trigger: str
    started_by: str
    trial: bool
    arguments: dict[str, Any]
    total: int | None
    done: int
    counts: dict[str, int]
    failed: int
    errors: list[dict[str, str]]
    note: str
    created_at: str
    started_at: str | None
    finished_at: str | None


class JobPayload(TypedDict):
    """A job in one space: `interval_days` 0 is never by itself, `next` when it is due."""

    code: str
    label: str
    meaning: str
    interval_days: float
    by_hand: bool
    trial: bool
    undoable: bool
    outcomes: dict[str, str]
    last: RunPayload | None
    next: str | None


def run_payload(run: JobRun) -> RunPayload:
    """Return a run as plain JSON."""
    return {
        "id": str(run.pk),
        "job": run.job,
        "state": run.state,
        "waits_for": waits(run),
        "trigger": run.trigger,
        "started_by": run.started_by_name,
        "trial": run.trial,
        "arguments": run.arguments,
        "total": run.total,
        "done": run.done,
        "counts": run.counts,
        "failed": run.failed,
        "errors": run.errors,
        "note": run.note,
        "created_at": run.created_at.isoformat(),
        "started_at": _iso(run.started_at),
        "finished_at": _iso(run.finished_at),
    }


def job_payload(standing: Standing) -> JobPayload:
    """Return a job as plain JSON, its words in the language of whoever asks."""
    job, last = standing.job, standing.last
    return {
        "code": job.code,
        "label": str(job.label),
        "meaning": str(job.meaning),
        "interval_days": standing.days,
        "by_hand": job.by_hand,
        "trial": job.trial,
        "undoable": job.undoable,
        "outcomes": {code: str(label) for code, label in job.outcomes.items()},
        "last": run_payload(last) if last else None,
        "next": _iso(standing.due),
    }


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
