"""The Celery application; tasks live in each room's tasks.py."""

import os
from typing import Any

from celery import Celery
from celery.signals import worker_process_shutdown

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hindsight_site.settings")

app = Celery("hindsight")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_process_shutdown.connect
def _write_down(**_told: Any) -> None:
    """A worker of the prefork pool ends without Python's own end, at which the log is written."""
    from memories.recall import logbook

    logbook.settled()
