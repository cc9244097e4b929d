"""Selectors of batches."""

from uuid import UUID

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _

from memories.errors import NotFound
from memories.permissions import Actor
from review.models import Batch, BatchItem


def batches_of(actor: Actor) -> "QuerySet[Batch]":
    """Return the confirmed batches of the actor's space and their own drafts, newest first.

    For those who may decide: whoever may not has nothing to look after here.
    """
    actor.require("decide")
    own_drafts = Q(user_id=actor.id) | ~Q(state=Batch.State.DRAFT)
    return Batch.objects.filter(own_drafts, space_id=actor.space_id).order_by("-id")


def batch_of(*, actor: Actor, batch_id: UUID) -> Batch:
    """Return one batch, or raise NotFound when it is missing, elsewhere or another's draft."""
    batch = batches_of(actor).filter(pk=batch_id).first()
    if batch is None:
        raise NotFound(_("There is no such batch here."), field="batch_id")
    return batch


def counted(batch: Batch) -> dict[str, int]:
    """Return how many items of a batch are in which state; states without items are 0."""
    rows = batch.items.order_by().values_list("state").annotate(n=Count("pk"))
    return dict.fromkeys(BatchItem.State.values, 0) | dict(rows)
