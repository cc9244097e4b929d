"""Claims: who is looking at a flag, so that two people do not decide the same one at once."""

from datetime import datetime, timedelta
from typing import cast
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from memories.models.flag import Flag
from memories.permissions import Actor
from memories.policies import policy_for
from review.models import Claim


def claim(*, actor: Actor, flag: Flag, take_over: bool = False) -> Claim:
    """Return whose the flag is now: the actor's when it was free, lapsed, theirs, or taken over.

    Raises NotAllowed for someone who may not decide anyway.
    """
    actor.require("decide")
    # Whoever may decide is a person, and people have ids.
    person, now = cast(UUID, actor.id), timezone.now()
    until = now + timedelta(minutes=policy_for(actor.space_id)[1].review.claim_minutes)
    with transaction.atomic():
        fresh = Claim(flag_id=flag.pk, user_id=person, expires_at=until)
        Claim.objects.bulk_create([fresh], ignore_conflicts=True)
        held = Claim.objects.select_for_update(of=("self",)).select_related("user").get(flag=flag)
        if take_over or held.user_id == person or held.expires_at <= now:
            held.user_id = person
            held.expires_at = until
            held.save(update_fields=["user", "expires_at"])
    return held


def claimed_by_other(flag: Flag, actor: Actor, now: datetime | None = None) -> Claim | None:
    """Return someone else's claim that still holds. Loads `claim` and its user unless selected."""
    held: Claim | None = getattr(flag, "claim", None)
    if held is None or held.user_id == actor.id or held.expires_at <= (now or timezone.now()):
        return None
    return held


def let_go(*, actor: Actor, flag: Flag) -> None:
    """Give up one's own claim on a flag; someone else's stays."""
    Claim.objects.filter(flag=flag, user=actor.id).delete()
