"""The worker's side of a run: batch after batch, each in one transaction with the run's own row.

The row of the run is locked while a batch is done, and says in the same commit how far it is. So a
worker that is killed leaves the batch undone and the run where it was, the next goes on there, and
two workers never do the same row.
"""

import logging
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from math import inf
from typing import Any
from uuid import UUID, uuid4

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from memories import history
from memories.errors import ServiceError
from memories.identity import system_actor
from memories.jobs.base import Asked, Job, Later, Row
from memories.jobs.kinds import JOBS
from memories.models.job import JobRun
from memories.policies import policy_for

logger = logging.getLogger(__name__)

LEASE = timedelta(minutes=3)
"""After so long without a step a worker counts as lost; the slowest answer of an LLM is shorter."""
PAUSE = timedelta(minutes=1)
"""How long a run waits for a service that is away."""
MOST_ERRORS = 50
"""Of the rows that failed so many are told with their error."""
DEADLY = 3
"""A row at which so many workers died is left out."""
State = JobRun.State


class LostError(Exception):
    """Another worker has the run, or a person stopped it: nothing of this step may stay."""


@dataclass(slots=True)
class Turn:
    """One worker's turn at a run; `run` is as the last step left it."""

    run: JobRun
    job: Job
    asked: Asked
    token: UUID


def waiting() -> list[UUID]:
    """Return the runs that somebody should carry on, oldest first: waiting, or worker lost."""
    rows = JobRun.objects.filter(_free()).order_by("pk")
    return list(rows.values_list("pk", flat=True))


def carry_on(run_id: UUID, seconds: float = inf) -> bool:
    """Do what is left of a run; return whether nothing is left for this worker.

    It stops after `seconds`, between two batches. A row that fails is noted and stops no other.
    Raises only what says that the database is away.
    """
    turn = _claimed(run_id)
    if turn is None:
        return True
    until = time.monotonic() + seconds
    try:
        while _step(turn):
            if time.monotonic() >= until:
                _release(turn)
                return False
    except LostError:
        return True
    except Later as error:
        _put_off(turn, str(error))
    except (OperationalError, InterfaceError):
        with suppress(OperationalError, InterfaceError):
            _release(turn)  # a deadlock; when the database is away the lease lapses by itself
        raise
    except Exception as error:
        logger.exception("the job %s failed", turn.job.code)
        _fail(turn, _("An error of the program: %(error)s") % {"error": _told(error)})
    return True


def _free() -> Q:
    now = timezone.now()
    free = Q(claimed_until__isnull=True) | Q(claimed_until__lt=now)
    ripe = Q(not_before__isnull=True) | Q(not_before__lte=now)
    return Q(state__in=[State.WAITING, State.RUNNING]) & free & ripe


def _claimed(run_id: UUID) -> Turn | None:
    with transaction.atomic():
        rows = JobRun.objects.filter(_free(), pk=run_id)
        run = rows.select_for_update(skip_locked=True).first()
        if run is None:
            return None
        job = JOBS.get(run.job)
        if job is None:
            _close(run, State.FAILED, _("There is no such job in this version of the product."))
            return None
        # Released runs have no lease: one that lapsed is of a worker that was lost.
        run.deaths += run.claimed_until is not None
        began = run.started_at = run.started_at or timezone.now()
        token = run.token = uuid4()
        run.state, run.note = State.RUNNING, ""
        run.claimed_until = timezone.now() + LEASE
        run.save()
    actor = system_actor(run.space_id, f"job: {run.job}")
    policy = policy_for(run.space_id)[1]
    asked = Asked(run.pk, actor, policy, began, run.trial, run.arguments)
    return Turn(run, job, asked, token)


def _step(turn: Turn) -> bool:
    """Do one batch; return whether there may be another."""
    run, job, asked = turn.run, turn.job, turn.asked
    if run.total is None and job.total is not None:
        run.total = job.total(asked)
    # After a death one row at a time: the one that kills is found, the others are done.
    rows = job.rows(asked, run.cursor, 1 if run.deaths else job.batch)
    if not rows:
        _finish(turn)
        return False
    if run.deaths >= DEADLY:
        _skip(turn, rows[0])
        return True
    _renew(turn)
    ready = job.prepare(asked, [row for _key, row in rows]) if job.prepare else None
    with transaction.atomic():
        held = _held(turn)
        _do(turn, held, rows, ready)
        _mark(held, rows)
    turn.run = held
    return True


def _do(turn: Turn, held: JobRun, rows: Sequence[Row], ready: Any) -> None:
    """Do the rows of one batch; in a trial take everything back but the counts."""
    with transaction.atomic(), history.together(turn.asked.run):
        if not _do_whole(turn, held, rows, ready):
            for key, row in rows:
                _do_one(turn, held, key, row, ready)
        if turn.asked.trial:
            transaction.set_rollback(True)


def _do_whole(turn: Turn, held: JobRun, rows: Sequence[Row], ready: Any) -> bool:
    """Do a batch at once, where the job can; return whether that is done."""
    if turn.job.whole is None or len(rows) == 1:
        return False
    try:
        with transaction.atomic():
            outcomes = turn.job.whole(turn.asked, [row for _key, row in rows], ready)
    except (OperationalError, InterfaceError, Later):
        raise
    except Exception:
        logger.exception("%s: a batch failed, its rows are done one by one", turn.job.code)
        return False
    _count(held, outcomes)
    return True


def _do_one(turn: Turn, held: JobRun, key: str, row: Any, ready: Any) -> None:
    try:
        with transaction.atomic():
            outcome = turn.job.work(turn.asked, row, ready)
    except (OperationalError, InterfaceError, Later):
        raise
    except Exception as error:
        if not isinstance(error, ServiceError):
            logger.exception("%s: a row failed", turn.job.code)
        _note(held, key, _told(error))
        return
    _count(held, {outcome: 1} if isinstance(outcome, str) else outcome)


def _count(run: JobRun, outcomes: Mapping[str, int]) -> None:
    for outcome, n in outcomes.items():
        if outcome and n:
            run.counts[outcome] = run.counts.get(outcome, 0) + n


def _note(run: JobRun, key: str, error: str) -> None:
    run.failed += 1
    if len(run.errors) < MOST_ERRORS:
        run.errors.append({"row": key, "error": error})


def _told(error: Exception) -> str:
    """Return an error without the row's own words: what the database says of a row quotes it."""
    return error.message if isinstance(error, ServiceError) else type(error).__name__


def _skip(turn: Turn, row: Row) -> None:
    with transaction.atomic():
        held = _held(turn)
        _note(held, row[0], _("Left out: %(n)d workers died here.") % {"n": held.deaths})
        _mark(held, [row])
    turn.run = held


def _mark(held: JobRun, rows: Sequence[Row]) -> None:
    held.cursor = rows[-1][0]
    held.done += len(rows)
    held.deaths = 0
    held.claimed_until = timezone.now() + LEASE
    held.save()


def _held(turn: Turn) -> JobRun:
    """Return the locked row of the run, or raise LostError when it is somebody else's by now."""
    rows = JobRun.objects.select_for_update().filter(pk=turn.run.pk, token=turn.token)
    held: JobRun | None = rows.filter(state=State.RUNNING).first()
    if held is None:
        raise LostError
    held.total = turn.run.total
    return held


def _renew(turn: Turn) -> None:
    mine = JobRun.objects.filter(pk=turn.run.pk, token=turn.token, state=State.RUNNING)
    if not mine.update(claimed_until=timezone.now() + LEASE):
        raise LostError


def _release(turn: Turn) -> None:
    mine = JobRun.objects.filter(pk=turn.run.pk, token=turn.token)
    # Since when it is anybody's: one that nobody takes up waits for a worker, and says so.
    mine.update(claimed_until=None, token=None, not_before=timezone.now())


def _put_off(turn: Turn, why: str) -> None:
    mine = JobRun.objects.filter(pk=turn.run.pk, token=turn.token)
    again = timezone.now() + PAUSE
    mine.update(
        state=State.WAITING, note=why, not_before=again, claimed_until=None, token=None, deaths=0
    )


def _finish(turn: Turn) -> None:
    with transaction.atomic():
        held = _held(turn)
        if turn.job.finish is not None and not held.trial:
            with history.together(turn.asked.run):
                turn.job.finish(turn.asked, held)
        _close(held, State.DONE, "")


def _fail(turn: Turn, why: str) -> None:
    with transaction.atomic():
        held = JobRun.objects.select_for_update().filter(pk=turn.run.pk, token=turn.token).first()
        if held is not None:
            _close(held, State.FAILED, why)


def _close(run: JobRun, state: str, note: str) -> None:
    run.state, run.note, run.finished_at = state, note, timezone.now()
    run.token, run.claimed_until = None, None
    run.save()
    if state == State.DONE and not run.trial:
        actor = system_actor(run.space_id, f"job: {run.job}")
        history.log(actor, "job_done", run=str(run.pk), job=run.job, counts=run.counts)
