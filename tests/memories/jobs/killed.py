"""Workers that die by kill -9 in the middle of a batch, and what is left of their work."""

import os
import signal
import subprocess
import sys
from collections import Counter
from datetime import timedelta
from typing import Any

from django.db import connection
from django.utils import timezone

from memories.evaluation.filling import rows_of
from memories.models import Event, JobRun, Space
from tests.services import PROJECT

# The last of `after` works is done when the worker dies; its batch is not.
DYING = """
import os, signal, sys
from dataclasses import replace
from uuid import UUID
import django
django.setup()
from memories.jobs import runner
code, run, left = sys.argv[1], UUID(sys.argv[2]), int(sys.argv[3])
job = runner.JOBS[code]
def dying(rows, outcome):
    global left
    left -= rows
    if left <= 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return outcome
def work(asked, row, ready):
    return dying(1, job.work(asked, row, ready))
def whole(asked, rows, ready):
    return dying(len(rows), job.whole(asked, rows, ready))
runner.JOBS = {code: replace(job, work=work, whole=job.whole and whole)}
runner.carry_on(run)
"""
Rows = dict[str, list[dict[str, Any]]]


def die_in(run: JobRun, *, after: int) -> None:
    """Let a worker of its own carry on a run until it has done `after` rows, and die there."""
    with working(DYING, run.job, str(run.pk), str(after)) as worker:
        _out, said = worker.communicate(timeout=120)
    assert worker.returncode == -signal.SIGKILL, f"it ended by itself: {said}"


def working(program: str, *arguments: str) -> "subprocess.Popen[str]":
    """Start a Python program in a process of its own, as a worker on the test's database."""
    server = os.environ["DATABASE_URL"].rpartition("/")[0]
    own = {
        "DATABASE_URL": f"{server}/{connection.settings_dict['NAME']}",
        "DJANGO_SETTINGS_MODULE": "hindsight_site.settings",
        "SECRET_KEY": "tests",
    }
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        cwd=PROJECT,
        env=os.environ | own,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def lapse(run: JobRun) -> None:
    """Let the lease of a run be over."""
    past = timezone.now() - timedelta(seconds=1)
    assert JobRun.objects.filter(pk=run.pk, claimed_until__isnull=False).update(claimed_until=past)


def kept(space: Space) -> Rows:
    """Return every row of a space, table by table, but for what tells of runs."""
    told = {rows.model.__name__: list(rows.order_by("pk").values()) for rows in rows_of(space)}
    told.pop(JobRun.__name__)
    events = told[Event.__name__]
    told[Event.__name__] = [row for row in events if "run" not in row["data"]]
    return told


def counted(space: Space) -> dict[str, Counter[tuple[str, ...]]]:
    """Return how many rows of which sort a space has: what two spaces can be compared by."""
    return {
        table: Counter(
            tuple(f"{name}={row[name]}" for name in SORTS if name in row) for row in rows
        )
        for table, rows in kept(space).items()
    }


SORTS = ("kind", "status", "verb", "reason", "number", "version", "type", "why", "resolution")
