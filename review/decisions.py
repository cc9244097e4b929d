"""decide(): a person's decision, carried out and recorded in one transaction."""

from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from memories.errors import NotAllowed
from memories.lifecycle import Choice, Settled, ruled, settle
from memories.permissions import Actor
from review.models import Claim, Decision


def decide(
    *,
    actor: Actor,
    flag_id: UUID,
    choice: Choice,
    expected_versions: tuple[int, ...],
    content: str = "",
    note: str = "",
    reason: str = "",
) -> Settled:
    """Settle a flag on a person's word; see lifecycle.ruled() and settle() for the arguments."""
    if actor.kind != "user":
        raise NotAllowed(_("Review decisions are for people; an agent cannot make them."))
    ruling = ruled(
        actor=actor, flag_id=flag_id, choice=choice, content=content, note=note, reason=reason
    )
    with transaction.atomic():
        settled = settle(actor=actor, ruling=ruling, expected_versions=expected_versions)
        Decision.objects.create(
            flag=settled.flag,
            user_id=actor.id,
            user_name=actor.name,
            choice=choice,
            reason=ruling.reason,
            note=ruling.note,
            content=ruling.text.content if ruling.text else "",
        )
        Claim.objects.filter(flag=settled.flag).delete()
    return settled
