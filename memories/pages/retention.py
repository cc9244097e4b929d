"""The forgetting curve as a picture, and one sentence that says the same (E5, J2)."""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext_lazy as _

from memories.lifecycle.aging import DAY
from memories.lifecycle.retention import Curve

WIDTH, HEIGHT = 320.0, 88.0
"""The box in units, about as many pixels as it has on the page."""
NEAR_EDGE = 48.0
"""A line so near to a side of the box has its word away from it."""

_SENTENCES = {
    "": _("Warmth %(warmth)s now; archived about %(date)s unless somebody recalls it."),
    "season": _(
        "Warmth %(warmth)s now; archived about %(date)s unless somebody recalls it. Until then its "
        "season keeps it."
    ),
    "expires": _("Warmth %(warmth)s now; archived on %(date)s unless somebody recalls it."),
    "pinned": _("Warmth %(warmth)s now; it is pinned and stays."),
    "asked": _("Warmth %(warmth)s now; it stays while people are asked about it."),
    "warm": _("Warmth %(warmth)s now; it stays."),
    "not_in_use": _("Warmth %(warmth)s now; it is not in use."),
}


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment on the curve: an upright line at `x`; its word stands `left` of it or right."""

    x: float
    left: bool

    @property
    def text_x(self) -> float:
        return self.x + (-4.0 if self.left else 4.0)


@dataclass(frozen=True, slots=True)
class Drawing:
    """What of a curve is drawn: a line, where now is, where it ends, and the threshold.

    There is nothing to draw of what was never warm: `flat`, and only the sentence tells.
    """

    line: str
    today: Mark
    end: Mark | None
    threshold: float
    since: datetime
    until: datetime
    said: str
    flat: bool
    width: float = WIDTH
    height: float = HEIGHT


def drawn(curve: Curve) -> Drawing:
    """Return a curve as shapes; the scale goes from 0 to the warmest point or twice the limit."""
    days = curve.points[-1][0]
    top = max(curve.threshold * 2, *(warmth for _days, warmth in curve.points)) or 1.0

    def across(offset: float) -> float:
        return round(WIDTH * offset / days, 2)

    def up(warmth: float) -> float:
        return round(HEIGHT * (1 - warmth / top), 2)

    now = across(curve.today)
    end = None if curve.archived_at is None else across((curve.archived_at - curve.since) / DAY)
    return Drawing(
        line=" ".join(f"{across(offset)},{up(warmth)}" for offset, warmth in curve.points),
        today=Mark(now, left=now > NEAR_EDGE),
        end=None if end is None else Mark(end, left=end > WIDTH - NEAR_EDGE),
        threshold=up(curve.threshold),
        since=curve.since,
        until=curve.since + days * DAY,
        said=sentence(curve),
        flat=curve.points[0][1] == 0,
    )


def sentence(curve: Curve) -> str:
    """Return what the picture shows, in words: how warm it is now, and when it goes."""
    given = {"warmth": number_format(curve.warmth, decimal_pos=2)}
    if curve.archived_at is not None:
        given["date"] = date_format(timezone.localtime(curve.archived_at), "DATE_FORMAT")
    return str(_SENTENCES[curve.stays]) % given
