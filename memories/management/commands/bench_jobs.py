"""How long the jobs take at scale: a temporary space is filled, each job runs over it, it goes."""

import json
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.utils.translation import gettext as _

from memories import jobs
from memories.evaluation.filling import fill
from memories.evaluation.material import Material
from memories.evaluation.scenes import SCENES, admin_of, started
from memories.evaluation.standin import MODEL, embedding_by_standin
from memories.evaluation.temporary import temporary_space
from memories.evaluation.timing import Spread, since
from memories.evaluation.worker import Cost, carried_on
from memories.identity import agent_actor
from memories.models import Agent, JobRun, Space
from memories.recall import recall

RECALLS = 200


@dataclass(frozen=True, slots=True)
class Line:
    """One job's figures; `recall` is None if none fitted in."""

    job: str
    rows: int
    seconds: float
    outcomes: dict[str, int]
    failed: int
    note: str
    cost: Cost
    recall: Spread | None


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
        with (
            embedding_by_standin(),
            temporary_space(keep=options["keep"], told=self._told) as space,
        ):
            began = time.perf_counter()
            fill(space, options["memories"], options["owners"], MODEL, self._told)
            filled = time.perf_counter() - began
            self._told(f"{options['memories']} memories made in {filled:.0f} s")
            asking = _Asking(space, Material(options["memories"], options["owners"], 0))
            for _n in range(RECALLS):
                asking.ask()
            quiet = asking.taken()
            lines = [
                self._said(_measured(space, code, asking, options["seconds"])) for code in wanted
            ]
        if options["json"]:
            found = {
                "recall_quiet": quiet and asdict(quiet),
                "jobs": [asdict(line) for line in lines],
            }
            self.stdout.write(json.dumps(found, ensure_ascii=False, indent=1))
            return
        self.stdout.write(f"no job running, stand-in embedder: {_recalled(quiet)}")
        for line in lines:
            self.stdout.write(_as_text(line))

    def _told(self, line: str) -> None:
        self.stderr.write(line)

    def _said(self, line: Line) -> Line:
        self._told(_as_text(line))
        return line


class _Asking:
    """An agent that recalls for one user after the other, through the service, logged."""

    def __init__(self, space: Space, material: Material) -> None:
        self._actor = agent_actor(Agent.objects.filter(space=space).earliest("name"))
        self._material = material
        self._took: list[float] = []

    def ask(self) -> None:
        [said] = self._material.questions(1)
        began = time.perf_counter()
        recall(actor=self._actor, query=said.text, user_id=said.user_id)
        self._took.append(since(began))

    def taken(self) -> Spread | None:
        """Return how long the recalls since the last call took, None without one."""
        took, self._took = self._took, []
        return Spread.of(took) if took else None


def _wanted(codes: str) -> Sequence[str]:
    if not codes:
        return [code for code in SCENES if code in jobs.JOBS]
    wanted = [code.strip() for code in codes.split(",")]
    for code in wanted:
        if code not in jobs.JOBS:
            known = {"job": code, "jobs": ", ".join(jobs.JOBS)}
            raise CommandError(_("There is no job “%(job)s”. There are: %(jobs)s.") % known)
    return wanted


def _measured(space: Space, code: str, asking: _Asking, seconds: float) -> Line:
    run = started(space, code)
    cost = carried_on(run.pk, str(connection.settings_dict["NAME"]), seconds, asking.ask)
    run.refresh_from_db()
    if run.state in (JobRun.State.WAITING, JobRun.State.RUNNING):
        run = jobs.stop(actor=admin_of(space), run_id=run.pk)
    note = "" if run.state == JobRun.State.DONE else f"{run.state}, of {run.total}: {run.note}"
    return Line(code, run.done, cost.seconds, run.counts, run.failed, note, cost, asking.taken())


def _as_text(line: Line) -> str:
    per_row = line.cost.statements / max(line.rows, 1)
    speed = line.rows / max(line.seconds, 1e-9)
    return (
        f"{line.job:12} {line.rows:7} rows {line.seconds:7.1f} s (CPU {line.cost.cpu_seconds:.1f})"
        f" {speed:7.0f} rows/s"
        f" {per_row:5.1f} SQL/row  peak {line.cost.peak_mb:.0f} MB (+{line.cost.growth_mb:.0f})"
        f"  {_recalled(line.recall)}  {line.outcomes} failed {line.failed} {line.note}"
    )


def _recalled(took: Spread | None) -> str:
    return f"recall p50 {took.p50:.1f} p95 {took.p95:.1f} ms" if took else "no recall"
