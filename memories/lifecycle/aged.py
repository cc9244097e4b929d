"""The rules of aging.py as queries, so that a job reads only the rows that they are true of."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, F, FloatField, Func, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Greatest, Least, Power

from memories.lifecycle.aging import DAY, seasons
from memories.models.flag import Flag, FlagSource
from memories.models.memory import Memory, MemoryVersion, Status
from memories.models.recall import Hit
from memories.permissions import Actor
from memories.policies import AgingPolicy

# ½ to this power is nearly the least positive float; PostgreSQL refuses what is smaller.
_HALVINGS = 1000.0


def fading(actor: Actor, policy: AgingPolicy, now: datetime) -> "QuerySet[Memory]":
    """Return the memories that fades() is true of."""
    cold = _in_use(actor).filter(
        _unneeded(now - policy.archive_after_days * DAY), pinned=False, expires_at__isnull=True
    )
    recalled = Hit.objects.filter(_in_season(policy, now), memory=OuterRef("pk"))
    return cold.annotate(warmth=_warmth(policy, now)).filter(
        ~_asked(Flag.objects.open()), ~Exists(recalled), warmth__lt=policy.archive_below
    )


def expiring(actor: Actor, policy: AgingPolicy, now: datetime) -> "QuerySet[Memory]":
    """Return the memories to warn of, to spare after a warning, or to archive at its end (E6)."""
    unasked = ~_asked(Flag.objects.open().exclude(kind=Flag.Kind.CLEAN_UP))
    weak = Q(
        confirmed_at__isnull=True,
        confidence__lt=policy.expire_below,
        recall_count__lt=policy.expire_recalls,
    )
    due = _unneeded(now - (policy.expire_after_days - policy.warn_days) * DAY)
    to_warn = Q(due, weak, unasked, expires_at__isnull=True, pinned=False)
    dated = MemoryVersion.objects.filter(memory=OuterRef("pk"), expires_at=OuterRef("expires_at"))
    warning = dated.order_by("number")
    has_date = Q(expires_at__isnull=False)  # comes first: few are, and only they need a look back
    needed = Q(needed__gt=F("warned")) | Q(pinned=True) | (Q(by="system") & ~weak)
    over = Q(unasked, expires_at__lte=now)
    return (
        _in_use(actor)
        .annotate(
            needed=Greatest("updated_at", "last_recalled_at"),
            warned=Subquery(warning.values("created_at")[:1]),
            by=Subquery(warning.values("actor_kind")[:1]),
        )
        .filter(to_warn | has_date & (over | needed))
    )


def questioned(actor: Actor, policy: AgingPolicy, now: datetime) -> "QuerySet[Memory]":
    """Return the memories that questionable() is true of."""
    return _in_use(actor).filter(
        _unneeded(now - policy.audit_after_days * DAY),
        ~_asked(Flag.objects.open()),
        pinned=False,
        confirmed_at__isnull=True,
        confidence__lt=policy.audit_below,
    )


def asked_of(ids: Sequence[UUID], *, besides: Sequence[str] = ()) -> set[UUID]:
    """Return which of these memories people are being asked about, by flags of other kinds."""
    flags = Flag.objects.open().exclude(kind__in=besides)
    asked = Memory.objects.filter(_asked(flags), pk__in=ids)
    return set(asked.values_list("pk", flat=True))


def questions_about(memory: Memory) -> list[str]:
    """Return the kinds of what people are being asked about a memory."""
    return list(Flag.objects.open().about(memory).order_by().values_list("kind", flat=True))


def recalls_of(memory: Memory) -> "QuerySet[Hit, datetime]":
    """Return the moments at which a memory was recalled, as far as the log goes back."""
    return Hit.objects.filter(memory=memory).values_list("recall__created_at", flat=True).order_by()


def warning_of(memory: Memory) -> MemoryVersion | None:
    """Return the version that set a memory's date of expiry, None without a date."""
    if memory.expires_at is None:
        return None
    dated = MemoryVersion.objects.filter(memory=memory, expires_at=memory.expires_at)
    return dated.order_by("number").first()


def _in_use(actor: Actor) -> "QuerySet[Memory]":
    rows = Memory.objects.visible_to(actor)
    found: QuerySet[Memory] = rows.filter(status=Status.ACTIVE, withheld=False)
    return found


def _unneeded(since: datetime) -> Q:
    """aging.needed_at() is not after `since`."""
    dated = Q(expires_at__isnull=False, created_at__lte=since)
    unchanged = dated | Q(expires_at__isnull=True, updated_at__lte=since)
    return unchanged & (Q(last_recalled_at__isnull=True) | Q(last_recalled_at__lte=since))


def _in_season(policy: AgingPolicy, now: datetime) -> Q:
    """aging.in_season() on a hit."""
    found = Q()
    for span in seasons(now, policy.season_days):
        found |= Q(recall__created_at__range=span)
    return found


def _warmth(policy: AgingPolicy, now: datetime) -> Func:
    """aging.warmth_now() in SQL."""
    seconds = Func(
        Value(now),
        Coalesce("last_recalled_at", "created_at"),
        template="extract(epoch FROM %(expressions)s)::float8",
        arg_joiner=" - ",
        output_field=FloatField(),
    )
    halvings = seconds / Value(policy.half_life_days * DAY.total_seconds())
    left = Power(Value(0.5), Greatest(Value(0.0), Least(Value(_HALVINGS), halvings)))
    return F("heat") * left  # type: ignore[return-value]


def _asked(flags: "QuerySet[Flag]") -> Q:
    """One of these flags is about the memory, on either side or as a source."""
    own = Exists(flags.filter(memory=OuterRef("pk")))
    other = Exists(flags.filter(counterpart=OuterRef("pk")))
    source = Exists(FlagSource.objects.filter(memory=OuterRef("pk"), flag__in=flags))
    return Q(own) | Q(other) | Q(source)
