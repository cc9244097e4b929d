"""What every page's frame shows: whose space this is, and in which colours."""

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from memories.models.space import Membership
from memories.permissions import Actor

THEMES = ("auto", "light", "dark")
THEME_COOKIE = "theme"


def shell(request: HttpRequest) -> dict[str, Any]:
    """Return the theme and, for someone with an actor, their memberships (one query, when used)."""
    actor: Actor | None = getattr(request, "actor", None)
    theme = request.COOKIES.get(THEME_COOKIE, "auto")
    return {
        "theme": theme if theme in THEMES else "auto",
        "themes": THEMES,
        "actor": actor,
        "memberships": SimpleLazyObject(lambda: _memberships(actor)),
    }


def _memberships(actor: Actor | None) -> list[Membership]:
    if actor is None:
        return []
    rows = Membership.objects.filter(user=actor.id).select_related("space")
    return list(rows.order_by("space__name", "space_id"))
