"""The forgetting curve of a memory: how warm it was, is and will be, and when it goes (E5, J2)."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.utils import timezone

from memories.lifecycle.aged import questions_about, recalls_of
from memories.lifecycle.aging import (
    DAY,
    ages,
    days_since,
    expiry_of,
    in_season,
    needed_at,
    warmth_now,
)
from memories.models.flag import Flag
from memories.models.memory import LIVE, Memory
from memories.policies import AgingPolicy, PolicyNumbers, policy_for, warmth

POINTS = 60
# A date further away than this is none that anybody waits for, and a calendar has an end.
_FOREVER_DAYS = 36_500.0
# A curve shows at least so much of the time to come, in days.
_AHEAD_DAYS = 30.0

Stays = Literal["", "not_in_use", "pinned", "expires", "asked", "season", "warm"]


@dataclass(frozen=True, slots=True)
class Curve:
    """Warmth over time: `points` are (days after `since`, warmth), the first at 0, evenly spread.

    `since` is the last recall, or the writing; `today` the days from there to now; `warmth` what
    is left now. `archived_at` is when it goes to the archive if nobody recalls it: the first run of
    the job after that; for `stays` "expires" the date of expiry. None when it does not go.

    `stays` is why it does not go as the curve says: "not_in_use", "pinned", "expires" (it has a
    date of expiry), "asked" (a person is asked about it), "season" (later than else, because it is
    recalled at that time of the quarter or year), "warm" (not cold within a century); or "".
    """

    since: datetime
    points: Sequence[tuple[float, float]]
    today: float
    warmth: float
    threshold: float
    archived_at: datetime | None
    stays: Stays


def curve(
    memory: Memory,
    policy: PolicyNumbers,
    now: datetime,
    *,
    recalls: Sequence[datetime] = (),
    flags: Collection[str] = (),
) -> Curve:
    """Return a memory's forgetting curve, from what is given alone.

    `recalls` are the moments of its recalls, for the season; `flags` the kinds of the
    open flags about it.
    """
    numbers = policy.aging
    since = memory.last_recalled_at or memory.created_at
    archived_at, stays = _end(memory, numbers, now, recalls, flags)
    today = max(0.0, days_since(since, now))
    ahead = today if archived_at is None else max(today, days_since(since, archived_at))
    return Curve(
        since=since,
        points=_points(memory.heat, numbers, ahead + _AHEAD_DAYS),
        today=today,
        warmth=warmth_now(memory, numbers, now),
        threshold=numbers.archive_below,
        archived_at=archived_at,
        stays=stays,
    )


def curve_of(memory: Memory, now: datetime | None = None) -> Curve:
    """Return the curve of a memory that the caller may see, with all that the database knows."""
    policy = policy_for(memory.space_id)[1]
    now = now or timezone.now()
    recalls, flags = list(recalls_of(memory)), questions_about(memory)
    return curve(memory, policy, now, recalls=recalls, flags=flags)


def _end(
    memory: Memory,
    policy: AgingPolicy,
    now: datetime,
    recalls: Sequence[datetime],
    flags: Collection[str],
) -> tuple[datetime | None, Stays]:
    if memory.status not in LIVE or memory.withheld:
        return None, "not_in_use"
    if memory.pinned:
        return None, "pinned"
    if not ages(memory) or set(flags) - {Flag.Kind.CLEAN_UP}:
        return None, "asked"
    faded, why = _faded(memory, policy, now, recalls)
    if flags:
        faded, why = None, "asked"
    expiry = expiry_of(memory, policy)
    if expiry is None:
        return faded, why
    if memory.expires_at is None:
        expiry = max(expiry, now + policy.warn_days * DAY)
        if faded is not None and faded < expiry:
            return faded, why
    return max(expiry, now), "expires"


def _faded(
    memory: Memory, policy: AgingPolicy, now: datetime, recalls: Sequence[datetime]
) -> tuple[datetime | None, Stays]:
    """Return from when on it is cold, unneeded and out of season, and what put that off."""
    cold = _cold_after(memory.heat, policy)
    if cold is None:
        return None, "warm"
    since = memory.last_recalled_at or memory.created_at
    unneeded = needed_at(memory) + policy.archive_after_days * DAY
    first = max(since + cold * DAY, unneeded, now)
    end = _after_season(first, policy, recalls)
    return end, "season" if end > first else ""


def _cold_after(heat: float, policy: AgingPolicy) -> float | None:
    """Return after how many days this heat is below the threshold, None for never."""
    if policy.archive_below <= 0.0:
        return None
    if heat < policy.archive_below:
        return 0.0
    days = policy.half_life_days * (math.log2(heat) - math.log2(policy.archive_below))
    return days if days < _FOREVER_DAYS else None


def _after_season(moment: datetime, policy: AgingPolicy, recalls: Sequence[datetime]) -> datetime:
    """Return the first day, from this moment on, that is not at the time of an earlier recall."""
    days = sorted({recall.date(): recall for recall in recalls}.values())
    while in_season(days, policy, moment):
        moment += DAY
    return moment


def _points(heat: float, policy: AgingPolicy, days: float) -> list[tuple[float, float]]:
    offsets = [days * step / (POINTS - 1) for step in range(POINTS)]
    return [(offset, warmth(heat, offset, policy.half_life_days)) for offset in offsets]
