"""Celery's doors into the rooms: take ids, call one service."""

import logging
from uuid import UUID

from celery import shared_task

from memories import distillation, sessions, writing
from memories.embedding.client import EmbedderDown

logger = logging.getLogger(__name__)


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
    """Distil whatever waits: a lost nudge, a dead worker, an embedder that was away."""
    return sum(distil(str(session_id)) for session_id in distillation.waiting())


@shared_task(name="memories.end_idle_sessions")
def end_idle_sessions() -> int:
    """End the sessions that nobody ended."""
    return sessions.end_idle()


@shared_task(name="memories.purge_old_turns")
def purge_old_turns() -> int:
    """Remove turns after their retention period."""
    return sessions.purge_turns()
