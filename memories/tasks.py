"""Celery's doors into the rooms: take ids, call one service."""

import logging

from celery import shared_task

from memories import writing
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
