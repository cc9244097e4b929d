"""A worker in a process of its own, which tells what a run cost it.

Nothing of Django is imported before the process has set it up.
"""

import os
import resource
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any
from uuid import UUID

TURN = 2.0
"""Seconds of one turn; after each the worker looks at its memory."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run took: seconds, those of its own processor, SQL statements, and most memory in MB.

    `growth_mb` is how much that rose after the first turn: what a run keeps of its rows.
    """

    seconds: float
    cpu_seconds: float
    statements: int
    peak_mb: float
    growth_mb: float


def carried_on(
    run_id: UUID, database: str, seconds: float, meanwhile: Callable[[], object]
) -> Cost:
    """Let a new process do a run, or as much as it can in `seconds`; call `meanwhile` as it works.

    Raises RuntimeError when the process dies.
    """
    spawn = get_context("spawn")
    receiver, sender = spawn.Pipe(duplex=False)
    process = spawn.Process(
        target=_work, args=(run_id, database, seconds, dict(os.environ), sender)
    )
    process.start()
    sender.close()
    try:
        while process.is_alive() and not receiver.poll(0):
            meanwhile()
            process.join(0.05)
        cost: Cost = receiver.recv()
    except EOFError as error:
        raise RuntimeError("the worker died") from error
    finally:
        process.terminate()
        process.join()
    return cost


def _work(
    run_id: UUID, database: str, seconds: float, environment: Mapping[str, str], sender: Any
) -> None:
    os.environ.update(environment)
    import django
    from django.conf import settings

    django.setup()
    settings.DATABASES["default"]["NAME"] = database
    from celery import current_app
    from django.db import connection

    from memories import jobs

    current_app.conf.update(broker_url="memory://localhost")
    statements = 0

    def counted(execute: Any, *args: Any) -> Any:
        nonlocal statements
        statements += 1
        return execute(*args)

    began, cpu, first = time.perf_counter(), time.process_time(), 0.0
    with connection.execute_wrapper(counted):
        while not jobs.carry_on(run_id, TURN) and time.perf_counter() - began < seconds:
            first = first or _peak()
    took, used = time.perf_counter() - began, time.process_time() - cpu
    sender.send(Cost(took, used, statements, _peak(), _peak() - (first or _peak())))
    connection.close()


def _peak() -> float:
    """Return the most memory that this process ever held, in MB."""
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return held / (1024**2 if sys.platform == "darwin" else 1024)
