"""What the queue does, in numbers: what waits, what was decided, how fast, and how it turned out.

Counted over the flags that the viewer may see, in days of the viewer's time zone.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Aggregate, Case, Count, DurationField, F, Q, QuerySet, Value, When
from django.db.models.functions import TruncDate
from django.utils import timezone

from memories.models.flag import Flag, FlagQuerySet
from memories.permissions import Actor
from review.models import Decision
from review.rates import Rate, rate_of

Key = TypeVar("Key", bound=Hashable)
Row = Mapping[str, Any]
Writer = tuple[UUID | None, str]

WEEK, MONTH = 7, 30
"""Days, today among them, that “this week” and “this month” reach back."""


@dataclass(frozen=True, slots=True)
class Backlog:
    """How many flags of a kind are open, by the day they were opened on.

    Today, before that in the last 7 days, before that in the last 30, and earlier. `snoozed` and
    `assigned` are among them.
    """

    kind: str
    today: int = 0
    week: int = 0
    month: int = 0
    older: int = 0
    snoozed: int = 0
    assigned: int = 0

    @property
    def ages(self) -> tuple[int, int, int, int]:
        """The counts from the youngest to the oldest."""
        return self.today, self.week, self.month, self.older

    @property
    def total(self) -> int:
        """How many are open."""
        return sum(self.ages)


@dataclass(frozen=True, slots=True)
class Oldest:
    """The flag that has been open longest."""

    id: UUID
    kind: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Day:
    """Flags opened and decided on one day; `automatic` are those of `decided` that a rule did."""

    day: date
    opened: int = 0
    decided: int = 0
    automatic: int = 0

    @property
    def by_people(self) -> int:
        """How many people decided."""
        return self.decided - self.automatic


@dataclass(frozen=True, slots=True)
class Wait:
    """How long `count` items waited until a person decided; None when nobody decided any."""

    count: int = 0
    median: timedelta | None = None
    p90: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Decider:
    """How many decisions a person, or a rule, made, and how many of them were undone since."""

    name: str
    made: int
    undone: int

    @property
    def kept(self) -> Rate:
        """How often what was decided so was left standing."""
        return Rate(self.made - self.undone, self.undone)


@dataclass(frozen=True, slots=True)
class Numbers:
    """Everything numbers_of() counts: the backlog of now, the rest of the period.

    `by_agent` is keyed by (id, name), (None, "") for what people wrote; `by_reason` by a flag's
    (kind, reason); `waits` by kind; the largest come first. Rates, waits and days are of decisions
    that stand; `made` counts all, `undone` those of them that were undone since.
    """

    backlog: tuple[Backlog, ...]
    oldest: Oldest | None
    days: tuple[Day, ...]
    wait: Wait
    waits: Mapping[str, Wait]
    by_agent: Mapping[Writer, Rate]
    by_reason: Mapping[tuple[str, str], Rate]
    people: tuple[Decider, ...]
    rules: tuple[Decider, ...]

    @property
    def open(self) -> int:
        """How many flags are open."""
        return sum(one.total for one in self.backlog)

    @property
    def snoozed(self) -> int:
        """How many of the open ones are put off."""
        return sum(one.snoozed for one in self.backlog)

    @property
    def assigned(self) -> int:
        """How many of the open ones are somebody's."""
        return sum(one.assigned for one in self.backlog)

    @property
    def made(self) -> int:
        """How many decisions were made, those undone since among them."""
        return sum(one.made for one in (*self.people, *self.rules))

    @property
    def undone(self) -> int:
        """How many of them were undone since."""
        return sum(one.undone for one in (*self.people, *self.rules))

    @property
    def decided(self) -> int:
        """How many stand."""
        return self.made - self.undone

    @property
    def automatic(self) -> int:
        """How many of those that stand a rule made."""
        return sum(one.made - one.undone for one in self.rules)


class Percentile(Aggregate):
    """PostgreSQL's percentile_cont over durations."""

    function = "percentile_cont"
    template = "%(function)s(%(share)s) WITHIN GROUP (ORDER BY %(expressions)s)"


def numbers_of(actor: Actor, days: int = 30) -> Numbers:
    """Return the numbers of the flags an actor may see, over the last `days` (today is one).

    Eight queries, however much there is. Raises NotAllowed.
    """
    actor.require("read")
    flags: FlagQuerySet = Flag.objects.visible_to(actor)
    first = timezone.localdate() - timedelta(days=days - 1)
    since = midnight(first)
    made = Decision.objects.filter(flag__in=flags, created_at__gte=since).order_by()
    by_people = made.standing().filter(automatic=False)
    rates = _rates(by_people)
    people, rules = _deciders(made)
    return Numbers(
        backlog=_backlog(flags),
        oldest=_oldest(flags),
        days=_days(flags.filter(created_at__gte=since), made.standing(), first, days),
        wait=Wait(**by_people.aggregate(**_waited())),
        waits=_waits(by_people),
        by_agent=grouped(rates, _writer),
        by_reason=grouped(rates, lambda row: (row["flag__kind"], row["flag__reason"])),
        people=people,
        rules=rules,
    )


def midnight(day: date) -> datetime:
    """Return when a day begins in the viewer's time zone."""
    return timezone.make_aware(datetime.combine(day, time.min))


def grouped(rows: Iterable[Row], key: Callable[[Row], Key]) -> dict[Key, Rate]:
    """Return the rate of each group of counted decisions, the largest first."""
    groups: dict[Key, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    rates = ((one, rate_of(found)) for one, found in groups.items())
    return dict(sorted(rates, key=lambda pair: (-pair[1].count, str(pair[0]))))


def _backlog(flags: FlagQuerySet) -> tuple[Backlog, ...]:
    """Count what is open by kind and age, with one query."""
    today = timezone.localdate()
    starts = (("today", 1), ("week", WEEK), ("month", MONTH))
    ages = [
        When(created_at__gte=midnight(today - timedelta(days=days - 1)), then=Value(name))
        for name, days in starts
    ]
    rows = flags.open().order_by().values("kind", age=Case(*ages, default=Value("older")))
    kinds: dict[str, Counter[str]] = {}
    for row in rows.annotate(
        n=Count("pk"),
        snoozed=Count("pk", filter=Q(snoozed_until__gt=timezone.now())),
        assigned=Count("assignee"),
    ):
        counts = kinds.setdefault(row["kind"], Counter())
        counts.update({row["age"]: row["n"], **{k: row[k] for k in ("snoozed", "assigned")}})
    found = [Backlog(kind, **counts) for kind, counts in kinds.items()]
    return tuple(sorted(found, key=lambda one: (-one.total, one.kind)))


def _oldest(flags: FlagQuerySet) -> Oldest | None:
    found = flags.open().order_by("created_at", "pk").values_list("pk", "kind", "created_at")
    row = found.first()
    return Oldest(*row) if row else None


def _days(
    opened: FlagQuerySet, decided: "QuerySet[Decision]", first: date, days: int
) -> tuple[Day, ...]:
    """Count by day of the viewer's zone; a day without anything is there, too."""
    day = TruncDate("created_at", tzinfo=timezone.get_current_timezone())
    came = dict(opened.order_by().values_list(day).annotate(n=Count("pk")))
    went = {
        when: (count, automatic)
        for when, count, automatic in decided.values_list(day).annotate(
            n=Count("pk"), by_rule=Count("pk", filter=Q(automatic=True))
        )
    }
    all_days = (first + timedelta(days=n) for n in range(days))
    return tuple(Day(one, came.get(one, 0), *went.get(one, (0, 0))) for one in all_days)


def _waited() -> dict[str, Aggregate]:
    """What a Wait is made of. Rules decide at once: they would hide how long people take."""
    took = F("created_at") - F("flag__created_at")
    shares = {"median": 0.5, "p90": 0.9}
    return {"count": Count("pk")} | {
        name: Percentile(took, share=share, output_field=DurationField())
        for name, share in shares.items()
    }


def _waits(decided: "QuerySet[Decision]") -> dict[str, Wait]:
    rows = decided.values_list("flag__kind").annotate(**_waited())
    found = ((kind, Wait(*wait)) for kind, *wait in rows)
    return dict(sorted(found, key=lambda pair: (-pair[1].count, pair[0])))


def _rates(decided: "QuerySet[Decision]") -> list[Row]:
    """Count decisions by whose memory, and why flagged, for rate_of()."""
    whose = ("flag__memory__agent", "flag__memory__agent__name")
    groups = (*whose, "flag__kind", "flag__reason", "choice", "lessons")
    return list(decided.values(*groups).annotate(n=Count("pk")))


def _writer(row: Row) -> Writer:
    return row["flag__memory__agent"], row["flag__memory__agent__name"] or ""


def _deciders(made: "QuerySet[Decision]") -> tuple[tuple[Decider, ...], tuple[Decider, ...]]:
    """Return the people and the rules that decided, the busiest first."""
    undone = Count("pk", filter=Q(undone_at__isnull=False))
    rows = made.values_list("automatic", "user_name").annotate(n=Count("pk"), undone=undone)
    found = [(row[0], Decider(*row[1:])) for row in rows.order_by("-n", "user_name")]
    people = tuple(decider for automatic, decider in found if not automatic)
    return people, tuple(decider for automatic, decider in found if automatic)
