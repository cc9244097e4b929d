"""A person confirms a batch, drops it, or takes it back as a whole."""

from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from memories.dispatch import nudge
from memories.errors import Invalid, NotAllowed, Stale
from memories.permissions import Actor
from review.bulk.reading import batch_of
from review.bulk.work import carry_on
from review.models import Batch, BatchItem

# So few are carried out while the person waits; more are a worker's.
AT_ONCE = 25
State = Batch.State


def start(*, actor: Actor, batch_id: UUID) -> Batch:
    """Carry out a draft: a small one at once, a large one by the worker.

    Starting it again changes nothing. Raises NotFound, or Invalid when nothing in it can be
    decided.
    """
    with transaction.atomic():
        batch = _own(actor, batch_id)
        if batch.state != State.DRAFT:
            return batch
        if not batch.items.filter(state=BatchItem.State.WAITING).exists():
            raise Invalid(_("Nothing in this batch can be decided."))
        batch.state, batch.confirmed_at = State.RUNNING, timezone.now()
        batch.save(update_fields=["state", "confirmed_at"])
    return _handed_on(batch, BatchItem.State.WAITING)


def cancel(*, actor: Actor, batch_id: UUID) -> None:
    """Drop a draft; what was confirmed stays. Raises NotFound."""
    with transaction.atomic():
        batch = _own(actor, batch_id)
        if batch.state == State.DRAFT:
            batch.delete()


def undo_batch(*, actor: Actor, batch_id: UUID) -> Batch:
    """Take back every decision of a batch that still can be; what waited is no longer decided.

    Undoing it again changes nothing. Raises NotFound, NotAllowed, or Stale for a mere draft.
    """
    with transaction.atomic():
        batch = _locked(actor, batch_id)
        if batch.state == State.DRAFT:
            raise Stale(_("Nothing of it was decided yet."))
        if batch.state in (State.UNDOING, State.UNDONE):
            return batch
        batch.state, batch.finished_at, batch.undone_by_id = State.UNDOING, None, actor.id
        batch.save(update_fields=["state", "finished_at", "undone_by"])
        batch.items.filter(state=BatchItem.State.WAITING).update(
            state=BatchItem.State.REFUSED, why=_("The batch was stopped before its turn.")
        )
    return _handed_on(batch, BatchItem.State.DECIDED)


def _own(actor: Actor, batch_id: UUID) -> Batch:
    """Return the locked batch, or raise NotAllowed when it is someone else's."""
    batch = _locked(actor, batch_id)
    if batch.user_id != actor.id:
        raise NotAllowed(_("This batch is %(name)s's.") % {"name": batch.user_name})
    return batch


def _locked(actor: Actor, batch_id: UUID) -> Batch:
    seen = batch_of(actor=actor, batch_id=batch_id)
    return Batch.objects.select_for_update().get(pk=seen.pk)


def _handed_on(batch: Batch, left: str) -> Batch:
    """Do a small rest at once; nudge the worker for a large one."""
    if batch.items.filter(state=left).count() <= AT_ONCE:
        carry_on(batch.pk)
        batch.refresh_from_db()
    else:
        nudge("review.carry_on", str(batch.pk))
    return batch
