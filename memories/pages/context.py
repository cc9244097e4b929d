"""What every page's frame shows: whose space this is, in which colours, in which time zone."""

from datetime import datetime
from functools import cache, lru_cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from memories.models.space import Membership
from memories.permissions import Actor

THEMES = ("auto", "light", "dark")
THEME_COOKIE = "theme"
# Also read and written by static/zone.js.
ZONE_COOKIE = "timezone"
# One well-known city for each common offset; a browser in another zone adds its own.
COMMON_ZONES = (
    "Pacific/Honolulu",
    "America/Los_Angeles",
    "America/Denver",
    "America/Chicago",
    "America/New_York",
    "America/Sao_Paulo",
    "UTC",
    "Europe/London",
    "Europe/Berlin",
    "Europe/Athens",
    "Europe/Moscow",
    "Asia/Dubai",
    "Asia/Kolkata",
    "Asia/Bangkok",
    "Asia/Shanghai",
    "Asia/Taipei",
    "Asia/Singapore",
    "Asia/Tokyo",
    "Australia/Sydney",
    "Pacific/Auckland",
)


def shell(request: HttpRequest) -> dict[str, Any]:
    """Return the theme, the zones and, for someone with an actor, their memberships (one query,
    when used)."""
    actor: Actor | None = getattr(request, "actor", None)
    theme = request.COOKIES.get(THEME_COOKIE, "auto")
    return {
        "theme": theme if theme in THEMES else "auto",
        "themes": THEMES,
        "actor": actor,
        "memberships": SimpleLazyObject(lambda: _memberships(actor)),
        "zone": timezone.get_current_timezone_name(),
        "zones": SimpleLazyObject(_zones),
    }


def zone_named(name: str) -> ZoneInfo | None:
    """Return the IANA time zone of that exact name, None for anything else."""
    return ZoneInfo(name) if name in _known() else None


@cache
def _known() -> frozenset[str]:
    # Asked before ZoneInfo is: that one would look for a file of any name.
    return frozenset(available_timezones())


def _zones() -> list[tuple[str, str]]:
    """Return the zones to choose from as (name, what it is called), from west to east."""
    hour = timezone.now().replace(minute=0, second=0, microsecond=0)
    return _zones_of(timezone.get_current_timezone_name(), hour)


@lru_cache(maxsize=64)
def _zones_of(current: str, now: datetime) -> list[tuple[str, str]]:
    # Asked by every page: reckoned once an hour, because offsets change with the season.
    names = {name for name in (*COMMON_ZONES, current) if zone_named(name)}
    moments = sorted((now.astimezone(ZoneInfo(name)).utcoffset(), name) for name in names)
    return [(name, _called(name, now)) for _offset, name in moments]


def _called(name: str, now: datetime) -> str:
    offset = now.astimezone(ZoneInfo(name)).isoformat()[-6:]
    return f"{name.replace('_', ' ')} ({offset})"


def _memberships(actor: Actor | None) -> list[Membership]:
    if actor is None:
        return []
    rows = Membership.objects.filter(user=actor.id).select_related("space")
    return list(rows.order_by("space__name", "space_id"))
