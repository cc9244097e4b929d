"""decide(): a person's decision, carried out and recorded in one transaction."""

from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from memories.errors import NotAllowed
from memories.lifecycle import Choice, Settled, merge_text, settle
from memories.permissions import Actor
from review.models import Claim, Decision


def decide(
    *,
    actor: Actor,
    flag_id: UUID,
    choice: Choice,
    expected_versions: tuple[int, int],
    content: str = "",
    note: str = "",
) -> Settled:
    """Settle a conflict on a person's word; see lifecycle.settle() for arguments and errors."""
    if actor.kind != "user":
        raise NotAllowed(_("Review decisions are for people; an agent cannot make them."))
    merged = merge_text(content) if choice == Choice.MERGE else None
    with transaction.atomic():
        settled = settle(
            actor=actor,
            flag_id=flag_id,
            choice=choice,
            expected_versions=expected_versions,
            merged=merged,
            note=note,
        )
        Decision.objects.create(
            flag=settled.flag,
            user_id=actor.id,
            user_name=actor.name,
            choice=choice,
            note=note,
            content=merged.content if merged else "",
        )
        Claim.objects.filter(flag=settled.flag).delete()
    return settled
