"""What every page's navigation shows of the queue."""

from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from memories.models.flag import Flag
from memories.permissions import Actor
from review.queue import waits

# Beyond this the exact number helps nobody, and counting on is work for every page.
MOST = 99


def open_flags(request: HttpRequest) -> dict[str, Any]:
    """Return `open_flags`: how many wait (one query, when used), as "3" or "99+"; "" for none."""
    actor: Actor | None = getattr(request, "actor", None)
    return {"open_flags": SimpleLazyObject(lambda: _waiting(actor))}


def _waiting(actor: Actor | None) -> str:
    if actor is None:
        return ""
    found = Flag.objects.visible_to(actor).filter(waits(timezone.now()), space=actor.space_id)
    count = found.order_by()[: MOST + 1].count()
    return f"{MOST}+" if count > MOST else str(count or "")
