"""What ages: pure rules over a memory's timestamps, the policy and a moment (E5, E6, E7).

A rule changes nothing and has no clock of its own: asked twice about one moment it says the same.
aged.py has the same rules as queries.
"""

from calendar import monthrange
from collections.abc import Iterable
from datetime import datetime, timedelta

from memories.models.memory import Memory, MemoryVersion, Status
from memories.policies import AgingPolicy, warmth

DAY = timedelta(days=1)
# The same time last quarter and last year. Calendar months, not 91 or 365 days: what returns with
# a quarter's end or a holiday returns on a date.
SEASONS = (3, 12)


def days_since(moment: datetime, now: datetime) -> float:
    """Return how many days ago a moment was, below 0 for one to come."""
    return (now - moment) / DAY


def warmth_now(memory: Memory, policy: AgingPolicy, now: datetime) -> float:
    """Return what is left of a memory's heat; 0 when nobody ever recalled it (E5)."""
    since = memory.last_recalled_at or memory.created_at
    return warmth(memory.heat, days_since(since, now), policy.half_life_days)


def needed_at(memory: Memory) -> datetime:
    """Return when there was the last sign that somebody needs it: a recall, or a new version.

    Whoever restored, changed or confirmed it meant it to stay: it has the policy's days again. Only
    a warning is a version and no such sign, so while one stands the day of writing counts.
    """
    changed = memory.created_at if memory.expires_at else memory.updated_at
    return max(changed, memory.last_recalled_at or changed)


def ages(memory: Memory) -> bool:
    """Whether time may do anything to it: in use, and no person pinned it."""
    return memory.status == Status.ACTIVE and not memory.withheld and not memory.pinned


def fades(
    memory: Memory, policy: AgingPolicy, now: datetime, *, seasonal: bool, flagged: bool
) -> bool:
    """Whether it goes to the archive for being cold (E5).

    What a person is asked about waits for the person, and what has a date of expiry for its date.
    """
    return (
        ages(memory)
        and memory.expires_at is None
        and not (seasonal or flagged)
        and days_since(needed_at(memory), now) >= policy.archive_after_days
        and warmth_now(memory, policy, now) < policy.archive_below
    )


def weak(memory: Memory, policy: AgingPolicy) -> bool:
    """Whether it is believed and used so little that it expires; never by a person's word (E6)."""
    return (
        memory.confirmed_at is None
        and memory.confidence < policy.expire_below
        and memory.recall_count < policy.expire_recalls
    )


def expiry_of(memory: Memory, policy: AgingPolicy) -> datetime | None:
    """Return when it ends unless it is needed before: its date, or the end of its days if weak."""
    if not ages(memory):
        return None
    if memory.expires_at is not None:
        return memory.expires_at
    days = policy.expire_after_days * DAY
    return needed_at(memory) + days if weak(memory, policy) else None


def warned_until(memory: Memory, policy: AgingPolicy, now: datetime) -> datetime | None:
    """Return the date to warn of: the end of its days, and never sooner than the warning says.

    None when it does not expire, has a date already, or is not due to be warned of.
    """
    due = expiry_of(memory, policy)
    if due is None or memory.expires_at is not None:
        return None
    soonest = now + policy.warn_days * DAY
    return max(due, soonest) if due <= soonest else None


def spared(memory: Memory, warning: MemoryVersion | None, policy: AgingPolicy) -> bool:
    """Whether a date of expiry no longer holds: pinned, or needed after the date was set.

    `warning` is the version that set it. A date that the product itself set goes, too, when its
    reason does; one that somebody gave stands until it is used.
    """
    if memory.pinned or warning is None:
        return memory.pinned
    recalled = memory.last_recalled_at
    needed = memory.version > warning.number or (recalled and recalled > warning.created_at)
    return bool(needed) or (warning.actor_kind == "system" and not weak(memory, policy))


def questionable(memory: Memory, policy: AgingPolicy, now: datetime, *, flagged: bool) -> bool:
    """Whether a person is asked if it is worth keeping; never about what one stands by (E7)."""
    return (
        ages(memory)
        and not flagged
        and memory.confirmed_at is None
        and memory.confidence < policy.audit_below
        and days_since(needed_at(memory), now) >= policy.audit_after_days
    )


def seasons(now: datetime, days: float) -> tuple[tuple[datetime, datetime], ...]:
    """Return the spans, ends included, that are this time of the last quarter and year."""
    centres = [_months_before(now, months) for months in SEASONS]
    return tuple((centre - days * DAY, centre + days * DAY) for centre in centres)


def in_season(recalls: Iterable[datetime], policy: AgingPolicy, now: datetime) -> bool:
    """Whether any of these recalls was at this time of the last quarter or year (E5)."""
    spans = seasons(now, policy.season_days)
    return any(since <= recall <= until for recall in recalls for since, until in spans)


def _months_before(moment: datetime, months: int) -> datetime:
    """Return the same day and hour of an earlier month, its last day where it has no such day."""
    year, month = divmod(moment.year * 12 + moment.month - 1 - months, 12)
    last = monthrange(year, month + 1)[1]
    return moment.replace(year=year, month=month + 1, day=min(moment.day, last))
