"""Tells the supervisor that the Celery worker takes tasks; loaded by the worker it starts.

`celery inspect ping` would answer the same question for a second of processor time.
"""

import os
from typing import Any

from celery.signals import worker_ready

from .system import home_directory

FILE = "run/worker-ready"


@worker_ready.connect
def note_ready(**kwargs: Any) -> None:
    """Write the process id into the file that `product` looks at."""
    (home_directory() / FILE).write_text(str(os.getpid()))
