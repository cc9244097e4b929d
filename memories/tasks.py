"""Celery's doors into the rooms: take ids, call one service."""

import logging
import time
from uuid import UUID

from celery import shared_task

from memories import distillation, jobs, sessions, writing
from memories.dispatch import nudge
from memories.embedding.client import EmbedderDown

logger = logging.getLogger(__name__)

SWEEP = 25.0  # seconds; a sweep begins every 30


@shared_task(name="memories.embed_waiting")
def embed_waiting() -> int:
    """Embed what was written while the embedder was away; if it still is, the next sweep tries."""
    done = 0
    try:
        while step := writing.embed_waiting():
            done += step
    except EmbedderDown as error:
        logger.info("memories wait for their embedding: %s", error)
    return done


@shared_task(name="memories.distil")
def distil(session_id: str) -> int:
    """Look back at an ended session, run after run until nothing is left; return how many runs."""
    done = 0
    while (run := distillation.distil(UUID(session_id))) is not None and run.state == "done":
        done += 1
    return done


@shared_task(name="memories.distil_waiting")
def distil_waiting() -> int:
    """Distil whatever waits: a lost nudge, a dead worker, an embedder that was away.

    Return how many runs. After SWEEP seconds the next sweep goes on, so that many sessions do not
    bring many sweeps at once.
    """
    until = time.monotonic() + SWEEP
    done = 0
    for session_id in distillation.waiting():
        done += distil(str(session_id))
        if time.monotonic() >= until:
            break
    return done


@shared_task(name="memories.end_idle_sessions")
def end_idle_sessions() -> int:
    """End the sessions that nobody ended."""
    return sessions.end_idle()


@shared_task(name="memories.purge_old_turns")
def purge_old_turns() -> int:
    """Remove turns after their retention period."""
    return sessions.purge_turns()


@shared_task(name="memories.start_due_jobs")
def start_due_jobs() -> int:
    """Open a run of every job that is due."""
    return jobs.start_due()


@shared_task(name="memories.carry_on_run")
def carry_on_run(run_id: str) -> None:
    """Do some of a run, then let other tasks have their turn."""
    if not jobs.carry_on(UUID(run_id), SWEEP):
        nudge("memories.carry_on_run", run_id)


@shared_task(name="memories.carry_on_runs")
def carry_on_runs() -> int:
    """Carry on whatever nobody does: a lost nudge, a dead worker, a service that was away."""
    runs = jobs.waiting()
    for run_id in runs:
        nudge("memories.carry_on_run", str(run_id))
    return len(runs)
