"""Everything about one end user is removed, step by step, until nothing is left (E6)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memories import history
from memories.errors import Invalid
from memories.jobs.base import Asked, Job, Later, Row
from memories.lifecycle.erasing import SESSIONS, STEPS, TABLES, erase_traces, is_left
from memories.models.job import JobRun
from memories.sessions.working import WorkingMemoryDown, forget

# A row is the number of a step and a key of its table.
Place = tuple[int, UUID]
ROUNDS = 3
"""So often all steps are taken when rows fail; what is written meanwhile makes another round."""


def _rows(asked: Asked, after: str, size: int) -> Sequence[Row]:
    """Return the next rows of this round, or the first of the round after it.

    Keys read “round/step/row”, so that what was written behind the cursor is found as well.
    """
    turn, step, last = _read(after)
    found = _next(asked, turn, step, last, size)
    if not found and after and _again(asked, turn):
        found = _next(asked, turn + 1, 0, None, size)
    return found


def _read(cursor: str) -> tuple[int, int, str | None]:
    if not cursor:
        return 1, 0, None
    turn, step, last = cursor.split("/")
    return int(turn), int(step), last


def _next(asked: Asked, turn: int, step: int, last: str | None, size: int) -> list[Row]:
    for number in range(step, len(STEPS)):
        rows = STEPS[number].rows(asked.space_id, asked.arguments["user_id"]).order_by("pk")
        if last is not None:
            rows, last = rows.filter(pk__gt=last), None
        keys = list(rows.values_list("pk", flat=True)[:size])
        if keys:
            return [(f"{turn:04d}/{number}/{key}", (number, key)) for key in keys]
    return []


def _again(asked: Asked, turn: int) -> bool:
    return turn < ROUNDS or not JobRun.objects.filter(pk=asked.run, failed__gt=0).exists()


def _total(asked: Asked) -> int:
    name = asked.arguments["user_id"]
    return sum(step.rows(asked.space_id, name).count() for step in STEPS)


def _prepare(_asked: Asked, places: Sequence[Place]) -> None:
    """Working memory goes first: while Redis is away the run waits."""
    try:
        forget(_sessions(places))
    except WorkingMemoryDown as error:
        raise Later(str(error)) from error


def _sessions(places: Sequence[Place]) -> list[UUID]:
    return [key for number, key in places if STEPS[number] is SESSIONS]


def _work(asked: Asked, place: Place, ready: None) -> Mapping[str, int]:
    return _whole(asked, [place], ready)


def _whole(asked: Asked, places: Sequence[Place], _ready: None) -> Mapping[str, int]:
    counts: Counter[str] = Counter()
    for number in sorted({number for number, _key in places}):
        keys = [key for at, key in places if at == number]
        counts += STEPS[number].remove(asked.actor, asked.arguments["user_id"], keys)
    if sessions := _sessions(places):
        # Once more: turns recorded just before the lock reach working memory just after it.
        transaction.on_commit(partial(_forget, sessions))
    return counts


def _forget(sessions: Sequence[UUID]) -> None:
    with suppress(WorkingMemoryDown):
        forget(sessions)


def _finish(asked: Asked, run: JobRun) -> None:
    """Make the receipt, which is true at this moment: nothing about the user is left."""
    name = asked.arguments["user_id"]
    if is_left(asked.space_id, name):
        if run.failed:
            raise Invalid(_("Some rows could not be removed: see the errors, then start it again."))
        raise Later(_("Something about this user was written meanwhile: it is removed, too."))
    run.counts = dict(Counter(run.counts) + erase_traces(actor=asked.actor, user_id=name))
    # The name was in the row as well.
    run.arguments = JobRun.objects.values_list("arguments", flat=True).get(pk=run.pk)
    history.log(asked.actor, "user_erased", run=str(run.pk), counts=run.counts)


JOB = Job(
    code="erase_user",
    order=90,
    label=gettext_lazy("Erase a user"),
    meaning=gettext_lazy("Removes everything about one end user for good, and leaves a receipt."),
    outcomes=TABLES,
    rows=_rows,
    work=_work,
    whole=_whole,
    prepare=_prepare,
    total=_total,
    finish=_finish,
    batch=200,
    trial=False,
    by_hand=False,
    undoable=False,
)
