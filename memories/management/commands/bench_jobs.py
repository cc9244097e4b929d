"""How long the jobs take at scale: a temporary space is filled, each job runs over it, it goes."""

import json
import os
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from statistics import quantiles
from typing import Any

from celery import current_app
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.utils.translation import gettext as _

from memories import jobs
from memories.evaluation.corpus import question
from memories.evaluation.filling import fill, remove
from memories.evaluation.scenes import SCENES, admin_of, started
from memories.evaluation.standin import standing_in
from memories.evaluation.worker import Cost, carried_on
from memories.identity import agent_actor
from memories.models import Agent, JobRun, Space
from memories.models.ids import new_id
from memories.recall import recall

RECALLS = 200


@dataclass(frozen=True, slots=True)
class Line:
    """One job's figures; recall latencies are in milliseconds, None if none fitted in."""

    job: str
    rows: int
    seconds: float
    outcomes: dict[str, int]
    failed: int
    note: str
    cost: Cost
    recall_p50: float | None
    recall_p95: float | None


class Command(BaseCommand):
    help = "Measure the jobs, and recall while they run, on a temporary space of many memories."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--memories", type=int, default=100_000, help="default 100000")
        parser.add_argument("--owners", type=int, default=200, help="users they are of (200)")
        parser.add_argument("--jobs", default="", help="codes with commas between; default: all")
        parser.add_argument(
            "--seconds", type=float, default=1800.0, help="stop a job after so long (1800)"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument("--keep", action="store_true", help="leave the space, to look at it")

    def handle(self, *args: Any, **options: Any) -> None:
        wanted = _wanted(options["jobs"])
        if not 1 <= options["owners"] <= options["memories"]:
            raise CommandError(_("At least one owner, and one memory for each, please."))
        # No other worker is told of what happens here.
        current_app.conf.update(broker_url="memory://localhost")
        with _embedder(), _space(keep=options["keep"], told=self._told) as space:
            began = time.perf_counter()
            model = settings.EMBEDDING_MODEL
            fill(space, options["memories"], options["owners"], model, self._told)
            filled = time.perf_counter() - began
            self._told(f"{options['memories']} memories made in {filled:.0f} s")
            asking = _Asking(space, options["owners"])
            for _n in range(RECALLS):
                asking.ask()
            quiet = asking.taken()
            lines = [
                self._said(_measured(space, code, asking, options["seconds"])) for code in wanted
            ]
        if options["json"]:
            found = {"recall_quiet": quiet, "jobs": [asdict(line) for line in lines]}
            self.stdout.write(json.dumps(found, ensure_ascii=False, indent=1))
            return
        self.stdout.write(f"recall, no job running: p50, p95 = {quiet} ms (stand-in embedder)")
        for line in lines:
            self.stdout.write(_as_text(line))

    def _told(self, line: str) -> None:
        self.stderr.write(line)

    def _said(self, line: Line) -> Line:
        self._told(_as_text(line))
        return line


class _Asking:
    """An agent that recalls for one user after the other, through the service, logged."""

    def __init__(self, space: Space, owners: int) -> None:
        self._actor = agent_actor(Agent.objects.filter(space=space).earliest("name"))
        self._owners = owners
        self._number = 0
        self._took: list[float] = []

    def ask(self) -> None:
        owner = self._number % self._owners
        began = time.perf_counter()
        recall(actor=self._actor, query=question(owner, self._number // 7), user_id=f"user-{owner}")
        self._took.append((time.perf_counter() - began) * 1000)
        self._number += 1

    def taken(self) -> tuple[float, float] | None:
        """Return p50 and p95 of the recalls since the last call, in ms."""
        took, self._took = self._took, []
        if len(took) < 2:
            return None
        cuts = quantiles(took, n=20, method="inclusive")
        return round(cuts[9], 1), round(cuts[18], 1)


def _wanted(codes: str) -> Sequence[str]:
    if not codes:
        return [code for code in SCENES if code in jobs.JOBS]
    wanted = [code.strip() for code in codes.split(",")]
    for code in wanted:
        if code not in jobs.JOBS:
            known = {"job": code, "jobs": ", ".join(jobs.JOBS)}
            raise CommandError(_("There is no job “%(job)s”. There are: %(jobs)s.") % known)
    return wanted


@contextmanager
def _space(*, keep: bool, told: Any) -> Iterator[Space]:
    """Make a space; take it away at the end, also after Ctrl-C."""
    space = Space.objects.create(slug=f"bench-{new_id()}", name="Bench")
    try:
        yield space
    finally:
        if keep:
            told(f"kept: {space.slug}")
        else:
            told("removing the space")
            remove(space)


@contextmanager
def _embedder() -> Iterator[None]:
    """Let this process and its workers embed at a stand-in."""
    usual, named = settings.EMBEDDER_URL, os.environ.get("EMBEDDER_URL", "")
    with standing_in() as url:
        settings.EMBEDDER_URL = os.environ["EMBEDDER_URL"] = url
        try:
            yield
        finally:
            settings.EMBEDDER_URL, os.environ["EMBEDDER_URL"] = usual, named or usual


def _measured(space: Space, code: str, asking: _Asking, seconds: float) -> Line:
    run = started(space, code)
    cost = carried_on(run.pk, str(connection.settings_dict["NAME"]), seconds, asking.ask)
    run.refresh_from_db()
    if run.state in (JobRun.State.WAITING, JobRun.State.RUNNING):
        run = jobs.stop(actor=admin_of(space), run_id=run.pk)
    p50, p95 = asking.taken() or (None, None)
    note = "" if run.state == JobRun.State.DONE else f"{run.state}, of {run.total}: {run.note}"
    return Line(code, run.done, cost.seconds, run.counts, run.failed, note, cost, p50, p95)


def _as_text(line: Line) -> str:
    per_row = line.cost.statements / max(line.rows, 1)
    speed = line.rows / max(line.seconds, 1e-9)
    recalled = f"recall p50 {line.recall_p50} p95 {line.recall_p95} ms"
    return (
        f"{line.job:12} {line.rows:7} rows {line.seconds:7.1f} s (CPU {line.cost.cpu_seconds:.1f})"
        f" {speed:7.0f} rows/s"
        f" {per_row:5.1f} SQL/row  peak {line.cost.peak_mb:.0f} MB (+{line.cost.growth_mb:.0f})"
        f"  {recalled}  {line.outcomes} failed {line.failed} {line.note}"
    )
