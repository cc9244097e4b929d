"""Nudges: a task sent by name after commit. Losing one only delays; the sweep finds the row."""

import logging
from functools import partial
from typing import Any

from celery import current_app
from django.db import connection, transaction
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)


def nudge(task: str, *args: Any) -> None:
    """Send `task` once the current transaction has committed; never fail because of the broker.

    One is enough for a transaction, however many of its rows ask for the same.
    """
    if (task, args) not in _asked_for():
        transaction.on_commit(partial(_send, task, args))


def _asked_for() -> list[Any]:
    waiting = [entry[1] for entry in connection.run_on_commit]
    return [one.args for one in waiting if isinstance(one, partial) and one.func is _send]


def _send(task: str, args: tuple[Any, ...]) -> None:
    try:
        current_app.send_task(task, args=args, retry=False)
    except (OperationalError, OSError) as error:
        logger.warning("%s not sent, the next sweep does it: %s", task, error)
