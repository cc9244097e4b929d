"""The worker's side of batches: one item after the other, each in a transaction of its own (I5).

The row is the queue. A worker that dies leaves what it had not committed, and the next goes on.
"""

import logging
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from math import inf
from uuid import UUID

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.translation import gettext as _

from memories.errors import NotAllowed, ServiceError, Stale
from memories.identity import actor_for_user
from memories.lifecycle import Ruling, case_of
from memories.models.memory import Memory, MemoryVersion
from memories.permissions import Actor
from review.decisions import decide
from review.models import Batch, BatchItem, Decision
from review.undo import undo_decision

logger = logging.getLogger(__name__)

# What nobody confirmed is forgotten after it.
DRAFT_LASTS = timedelta(days=1)
State, Item = Batch.State, BatchItem.State


def carry_on(batch_id: UUID, seconds: float = inf) -> bool:
    """Decide, or undo, what is left of a batch; return whether nothing is left for this worker.

    It stops after `seconds`, between two items. Several workers may do so at once: each item is
    done once. A refusal is kept with its item and never stops the rest. Raises only what says that
    the database is away.
    """
    batch = Batch.objects.select_related("user", "undone_by").filter(pk=batch_id).first()
    if batch is None or batch.state not in (State.RUNNING, State.UNDOING):
        return True
    until = time.monotonic() + seconds
    step = _undo_next if batch.state == State.UNDOING else _decide_next
    while step(batch):
        if time.monotonic() >= until:
            return False
    _finish(batch)
    return True


def waiting_batches() -> list[UUID]:
    """Return the batches that are at work, oldest first: a lost nudge, or a dead worker."""
    rows = Batch.objects.filter(state__in=[State.RUNNING, State.UNDOING])
    return list(rows.order_by("pk").values_list("pk", flat=True))


def drop_drafts() -> int:
    """Remove the drafts that nobody confirmed for DRAFT_LASTS; return how many."""
    old = Batch.objects.filter(state=State.DRAFT, created_at__lt=timezone.now() - DRAFT_LASTS)
    return old.delete()[1].get("review.Batch", 0)


def _decide_next(batch: Batch) -> bool:
    with transaction.atomic():
        item = _next(batch, Item.WAITING, "pk")
        if item is not None:
            why = _tried(partial(_decided, batch, item))
            _mark(item, Item.REFUSED if why else Item.DECIDED, why)
    return item is not None


def _undo_next(batch: Batch) -> bool:
    with transaction.atomic():
        # Newest first, and one worker at a time: what was decided later was decided upon it.
        mine = Batch.objects.select_for_update(skip_locked=True, no_key=True).filter(pk=batch.pk)
        item = _next(batch, Item.DECIDED, "-pk") if mine.first() else None
        if item is not None:
            why = _tried(partial(_undone, batch, item))
            _mark(item, Item.KEPT if why else Item.UNDONE, why)
    return item is not None


def _next(batch: Batch, state: str, order: str) -> BatchItem | None:
    waiting = BatchItem.objects.filter(batch=batch, state=state).order_by(order)
    return waiting.select_for_update(skip_locked=True).first()


def _mark(item: BatchItem, state: str, why: str) -> None:
    item.state, item.why = state, why[:300]
    item.save(update_fields=["state", "why"])


def _tried(work: Callable[[], str]) -> str:
    """Return why a piece of work was not done, "" when it was; nothing of it is left then."""
    try:
        with transaction.atomic():
            return work()
    except ServiceError as error:
        return error.message
    except (OperationalError, InterfaceError):
        raise  # not the item's fault: it waits until the database answers again
    except Exception:
        logger.exception("an item of a batch failed")
        return _("An error of the program got in the way. Decide it by itself.")


def _person(batch: Batch) -> Actor:
    """Return who the batch acts for, as they are now, or raise NotAllowed."""
    user = batch.undone_by if batch.state == State.UNDOING else batch.user
    actor = user and actor_for_user(user, batch.space_id)
    if not actor or "decide" not in actor.verbs:
        name = user.get_username() if user else batch.user_name
        raise NotAllowed(_("%(name)s may not decide in this space any more.") % {"name": name})
    return actor


def _decided(batch: Batch, item: BatchItem) -> str:
    """Decide an item; return why it is not this batch's decision that stands now, else ""."""
    actor = _person(batch)
    said = partial(
        decide,
        actor=actor,
        flag_id=item.flag_id,
        choice=batch.choice,
        note=batch.note,
        reason=batch.reason,
        batch=batch,
    )
    _until_it_holds(said, batch, item, actor)
    made = Decision.objects.standing().get(flag=item.flag_id)
    if made.batch_id == batch.pk:
        return ""
    return _("%(name)s decided the same meanwhile.") % {"name": made.user_name}


def _until_it_holds(
    said: Callable[..., object], batch: Batch, item: BatchItem, actor: Actor
) -> None:
    """Say a decision on an item's versions, or on those that this batch itself has made since."""
    versions = tuple(item.versions)
    while True:
        try:
            said(expected_versions=versions)
        except Stale:
            moved = _moved_by_itself(batch, item, actor)
            if moved == versions:
                raise
            versions = moved
        else:
            return


def _moved_by_itself(batch: Batch, item: BatchItem, actor: Actor) -> tuple[int, ...]:
    """Return an item's versions with what this batch itself changed since the preview.

    Two flags about one memory are decided one after the other: the first does not make the second
    one stale. What anybody else changed does.
    """
    memories = case_of(actor, item.flag_id, Ruling(batch.choice)).memories
    if len(memories) != len(item.versions):
        return tuple(item.versions)
    return tuple(
        memory.version if _only_by(batch, memory, seen) else seen
        for memory, seen in zip(memories, item.versions, strict=True)
    )


def _only_by(batch: Batch, memory: Memory, since: int) -> bool:
    own = Decision.objects.filter(batch=batch, operation__isnull=False).values("operation")
    later = MemoryVersion.objects.filter(memory=memory, number__gt=since)
    return not later.exclude(operation__in=own).exists()


def _undone(batch: Batch, item: BatchItem) -> str:
    """Undo an item's decision; one that somebody undid already is undone."""
    actor = _person(batch)
    made = Decision.objects.standing().filter(batch=batch, flag=item.flag_id).first()
    if made is not None:
        undo_decision(actor=actor, decision_id=made.pk)
    return ""


def _finish(batch: Batch) -> None:
    """Close the batch unless another worker still has an item of it in hand."""
    undoing = batch.state == State.UNDOING
    left = BatchItem.objects.filter(
        batch=OuterRef("pk"), state=Item.DECIDED if undoing else Item.WAITING
    )
    Batch.objects.filter(~Exists(left), pk=batch.pk, state=batch.state).update(
        state=State.UNDONE if undoing else State.DONE, finished_at=timezone.now()
    )
