"""Celery's doors into the review room: take ids, call one service."""

import logging
import time
from uuid import UUID

from celery import shared_task

from memories.dispatch import nudge
from review import bulk, rules

logger = logging.getLogger(__name__)

SWEEP = 25.0  # seconds; a sweep begins every 30


@shared_task(name="review.carry_on")
def carry_on(batch_id: str) -> None:
    """Go on with a batch; a long one makes room for other tasks every SWEEP seconds."""
    if not bulk.carry_on(UUID(batch_id), SWEEP):
        nudge("review.carry_on", batch_id)


@shared_task(name="review.carry_on_waiting")
def carry_on_waiting() -> None:
    """Go on with whatever batch is at work: a lost nudge, a dead worker. Drop forgotten drafts."""
    bulk.drop_drafts()
    until = time.monotonic() + SWEEP
    for batch_id in bulk.waiting_batches():
        bulk.carry_on(batch_id, until - time.monotonic())


@shared_task(name="review.consider")
def consider(flag_id: str) -> None:
    """Let the rules of its space look at a flag that was just opened."""
    rules.consider(UUID(flag_id))


@shared_task(name="review.consider_waiting")
def consider_waiting() -> None:
    """Let the rules look at whatever they have not seen: a lost nudge, a claim that lapsed.

    After SWEEP seconds the next sweep goes on. One that breaks does not hold up the others.
    """
    until = time.monotonic() + SWEEP
    for flag_id in rules.waiting():
        try:
            rules.consider(flag_id)
        except Exception:
            logger.exception("the rules could not look at flag %s", flag_id)
        if time.monotonic() >= until:
            break
