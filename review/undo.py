"""Undo: a decision, of a person or of a rule, is taken back as a whole (G3)."""

from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from memories.errors import NotFound, Stale
from memories.lifecycle import learn, returning_texts, undo
from memories.models.flag import Flag
from memories.permissions import Actor
from review.models import Decision


def undo_decision(*, actor: Actor, decision_id: UUID) -> Decision:
    """Take a decision back: versions, statuses, links and the flag are again what they were.

    Undoing it again changes nothing. Raises NotAllowed, NotFound, or Stale with the reason why it
    cannot be undone any more. Call it outside a transaction: texts that come back are embedded.
    """
    actor.require("decide")
    decision = get_decision(actor, decision_id)
    if decision.undone_at is not None:
        return decision
    if decision.operation is None:
        raise Stale(_("It was decided before decisions could be undone."))
    embeddings = returning_texts(decision.operation)
    with transaction.atomic():
        locked = Decision.objects.select_for_update().get(pk=decision.pk)
        if locked.undone_at is None:
            undo(
                actor=actor,
                operation=decision.operation,
                embeddings=embeddings,
                reason=_("decision undone"),
            )
            learn(locked.lessons, -1)
            locked.undone_at, locked.undone_by = timezone.now(), actor.name
            locked.save(update_fields=["undone_at", "undone_by"])
    return locked


def get_decision(actor: Actor, decision_id: UUID) -> Decision:
    """Return a decision on a flag that the actor may see, or raise NotFound."""
    flags = Flag.objects.visible_to(actor)
    decision: Decision | None = Decision.objects.filter(pk=decision_id, flag__in=flags).first()
    if decision is None:
        raise NotFound(_("There is no such decision here."), field="decision_id")
    return decision
