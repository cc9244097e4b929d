"""For every job a scene: what it needs of a filled space before it can be measured or tried."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.db.models import F
from django.utils import timezone

from memories import jobs
from memories.identity import system_actor
from memories.models import JobRun, Memory, Space
from memories.permissions import Actor

OTHER_MODEL = "another-model"
Scene = Callable[[Space], Mapping[str, Any]]


def _as_filled(_space: Space) -> Mapping[str, Any]:
    """The corpus has something for it: what is old, doubtful, deleted, or told in parts."""
    return {}


def _changing_model(space: Space) -> Mapping[str, Any]:
    Space.objects.filter(pk=space.pk).update(other_model=OTHER_MODEL)
    return {"model": OTHER_MODEL}


def _model_changed(space: Space) -> Mapping[str, Any]:
    rows = Memory.objects.filter(space=space)
    rows.exclude(other_model=OTHER_MODEL).update(
        other_embedding=F("embedding"), other_model=OTHER_MODEL
    )
    Space.objects.filter(pk=space.pk).update(other_model="")
    return {}


def _faded(space: Space) -> Mapping[str, Any]:
    ended = [JobRun.State.DONE, JobRun.State.STOPPED]
    run = JobRun.objects.filter(space=space, job="fade", state__in=ended).first()
    if run is None:
        run = started(space, "fade")
        jobs.carry_on(run.pk)
    return {"run": str(run.pk)}


def _one_user(_space: Space) -> Mapping[str, Any]:
    return {"user_id": "user-0"}


# In an order in which each finds the corpus nearly as it was filled.
SCENES: Mapping[str, Scene] = {
    "link": _as_filled,
    "reembed": _changing_model,
    "drop_model": _model_changed,
    "expire": _as_filled,
    "fade": _as_filled,
    "undo_run": _faded,
    "audit": _as_filled,
    "consolidate": _as_filled,
    "purge": _as_filled,
    "trim_log": _as_filled,
    "index_large": _as_filled,
    "erase_user": _one_user,
}


def started(space: Space, code: str) -> JobRun:
    """Open a run of any job over a filled space, as if an admin had asked an hour ago.

    Raises KeyError for a job that has no scene.
    """
    run = jobs.start(actor=admin_of(space), job=code, arguments=SCENES[code](space))
    # What waits a little for writes that go on need not wait here.
    run.started_at = timezone.now() - timedelta(hours=1)
    run.save(update_fields=["started_at"])
    return run


def admin_of(space: Space) -> Actor:
    """Return an actor who may start and stop every job of a space."""
    usual = system_actor(space.pk, "bench")
    return replace(usual, verbs=usual.verbs | {"decide", "administer"})
