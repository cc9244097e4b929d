"""What a run did, in words: its counts are by codes that only its job can name."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from memories.jobs.kinds import JOBS
from memories.models.job import JobRun


def called(code: str) -> str:
    """Return the name of a job; one that this version does not know keeps its code."""
    job = JOBS.get(code)
    return str(job.label) if job else code


def outcomes(run: JobRun) -> Iterator[tuple[str, int]]:
    """Yield how many rows had which outcome, in words and in the job's own order."""
    job = JOBS.get(run.job)
    labels = job.outcomes if job else {}
    for code in [*labels, *sorted(run.counts.keys() - labels.keys())]:
        if count := run.counts.get(code, 0):
            yield str(labels.get(code, code.replace("_", " "))), count


def counted(run: JobRun) -> str:
    """Return the counts in one line, "12 archived · 1 failed"; "" when nothing was to be done."""
    parts = [f"{count} {label}" for label, count in outcomes(run)]
    if run.failed:
        parts.append(_("%(n)d failed") % {"n": run.failed})
    return " · ".join(parts)
