"""Selectors of the queue: what waits for a person, in which order, and what it takes to decide."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import (
    Case,
    Count,
    DurationField,
    Expression,
    ExpressionWrapper,
    F,
    FloatField,
    Func,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Cast, Coalesce, Greatest, Ln
from django.utils import timezone
from django.utils.translation import gettext as _

from memories.errors import NotFound
from memories.models.flag import Flag
from memories.models.memory import WIDE, Memory
from memories.ordering import Order, moment, number
from memories.permissions import Actor
from memories.policies import policy_for
from memories.reading import half_life, is_disputed
from review.filters import QueueFilter, looked_at, snoozed
from review.kinds import KINDS
from review.models import Claim, Decision

_DAY = 86_400.0


def flags_of(actor: Actor) -> "QuerySet[Flag]":
    """Return every flag an actor may read, newest first, each with both its memories.

    The memories carry `.disputed` and their agent; `.standing` is the decision that holds, in a
    list of one or none.
    """
    actor.require("read")
    memories = Memory.objects.select_related("agent").defer(*WIDE)
    memories = memories.annotate(disputed=is_disputed(), half_life_days=half_life())
    flags: QuerySet[Flag] = (
        Flag.objects.visible_to(actor)
        .prefetch_related(
            Prefetch("memory", memories),
            Prefetch("counterpart", memories),
            Prefetch("decisions", Decision.objects.standing(), to_attr="standing"),
        )
        .order_by("-id")
    )
    return flags


def decision_of(flag: Flag) -> Decision | None:
    """Return the decision that holds on a flag of flags_of(), None while there is none."""
    standing: list[Decision] = getattr(flag, "standing", [])
    return standing[0] if standing else None


def get_flag(actor: Actor, flag_id: UUID) -> Flag:
    """Return one flag, open or resolved, or raise NotFound when it is missing or not visible."""
    flag = flags_of(actor).filter(pk=flag_id).first()
    if flag is None:
        raise NotFound(_("There is no such review item here."), field="flag_id")
    return flag


def waiting(actor: Actor, chosen: QueueFilter, now: datetime | None = None) -> "QuerySet[Flag]":
    """Return the flags that a filter lets through, in its order, with claims and assignees.

    Each has `.pressing`, its priority at `now`. The filter's state says whether they wait, sleep or
    are decided.
    """
    now = now or timezone.now()
    return (
        flags_of(actor)
        .filter(chosen.condition(actor, now))
        # Joined, they would be joined to all flags before the first page is cut.
        .prefetch_related(Prefetch("claim", Claim.objects.select_related("user")), "assignee")
        .annotate(pressing=pressing(actor.space_id, now))
        .order_by(*order_of(chosen).by())
    )


def order_of(chosen: QueueFilter) -> Order:
    """Return the order of a filter's flags; what is decided comes newest decision first."""
    if chosen.state == "decided":
        return Order((("resolved_at", moment), ("pk", UUID)), falling=chosen.sort != "oldest")
    if chosen.sort == "priority":
        return Order((("pressing", number), ("pk", UUID)))
    # The keys of flags rise with time.
    return Order(falling=chosen.sort == "newest")


def pressing(space_id: UUID, now: datetime) -> Expression:
    """Return policies.priority() of a flag at `now` as an SQL expression."""
    risks = policy_for(space_id)[1].review.risks
    risk = Case(
        *(
            When(kind=code, then=Value(risks.get(code, kind.risk), FloatField()))
            for code, kind in KINDS.items()
        ),
        default=Value(0.0, FloatField()),
    )
    # Most flags have no counterpart: looked up where there is one, not joined to all memories.
    beside = Memory.objects.filter(pk=OuterRef("counterpart_id")).order_by()
    recalls = F("memory__recall_count") + Coalesce(Subquery(beside.values("recall_count")), 0)
    lived = ExpressionWrapper(Value(now) - F("created_at"), output_field=DurationField())
    days = Greatest(_Seconds(lived) / _DAY, Value(0.0, FloatField()))
    return ExpressionWrapper(risk * _slow(Cast(recalls, FloatField())) * _slow(days), FloatField())


class _Seconds(Func):
    """The seconds of an interval as a float; EXTRACT would reckon with exact decimals, slowly."""

    template = "date_part('epoch', %(expressions)s)"
    output_field = FloatField()


def _slow(expression: Expression) -> Expression:
    return ExpressionWrapper(1.0 + Ln(1.0 + expression), FloatField())


@dataclass(frozen=True, slots=True)
class Counts:
    """How many flags wait by kind (every kind is there), and how many sleep."""

    kinds: dict[str, int]
    snoozed: int

    @property
    def all(self) -> int:
        """How many wait in all."""
        return sum(self.kinds.values())


def counts_of(actor: Actor, chosen: QueueFilter, now: datetime | None = None) -> Counts:
    """Count what waits under a filter, whatever its kind and state, in one query."""
    actor.require("read")
    now = now or timezone.now()
    asleep = snoozed(now)
    found = (
        Flag.objects.visible_to(actor)
        .open()
        .filter(chosen.narrowing(actor, now))
        .order_by()
        .values_list("kind")
        .annotate(awake=Count("pk", filter=~asleep), asleep=Count("pk", filter=asleep))
    )
    rows = list(found)
    return Counts(
        kinds=dict.fromkeys(KINDS, 0) | {kind: awake for kind, awake, _asleep in rows},
        snoozed=sum(asleep for _kind, _awake, asleep in rows),
    )


def beside(
    actor: Actor, chosen: QueueFilter, flag: Flag, now: datetime | None = None
) -> tuple[UUID | None, UUID | None]:
    """Return (before, after): the flags beside one in the filter's order, None where it ends.

    Leaves out what others look at. The flag itself may be decided by now.
    """
    now, order = now or timezone.now(), order_of(chosen)
    if chosen.state == "decided" and flag.resolved_at is None:
        return None, None
    press = pressing(actor.space_id, now)
    key = order.key(Flag.objects.annotate(pressing=press).get(pk=flag.pk))
    free = (
        Flag.objects.visible_to(actor)
        .annotate(pressing=press)
        .filter(chosen.condition(actor, now))
        .exclude(looked_at(actor, now))
        .exclude(pk=flag.pk)
        .values_list("pk", flat=True)
    )
    earlier = free.filter(order.beyond(key, backwards=True)).order_by(*order.by(backwards=True))
    later = free.filter(order.beyond(key)).order_by(*order.by())
    return earlier.first(), later.first()


def next_after(actor: Actor, chosen: QueueFilter, flag: Flag) -> UUID | None:
    """Return what to decide after this one: the next, else the nearest before it, else none."""
    before, after = beside(actor, chosen, flag)
    return after or before


def waits(now: datetime) -> Q:
    """Return the condition of flags that wait for a decision: open and not put off."""
    return Q(status=Flag.Status.OPEN) & ~snoozed(now)
