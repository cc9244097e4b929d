"""Runs made by hand, and their pages as text."""

import re
from typing import Any

from django.test import Client

from memories.models import JobRun
from memories.permissions import Actor

URL, RUNS = "/jobs/", "/jobs/runs/"


def text(client: Client, url: str = URL, **headers: str) -> str:
    answer = client.get(url, headers=headers)
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", answer.content.decode())


def at(run: JobRun) -> str:
    return f"{RUNS}{run.pk}/"


def made(admin: Actor, **fields: Any) -> JobRun:
    """Make a run by hand."""
    created = fields.pop("created_at", None)
    run = JobRun.objects.create(
        **{"space_id": admin.space_id, "job": "toy", "trigger": "schedule"} | fields
    )
    if created:
        JobRun.objects.filter(pk=run.pk).update(created_at=created)
    return run
