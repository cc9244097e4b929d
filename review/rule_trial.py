"""What a rule would decide, and how people decided on the like of it. Nothing is changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from memories.models.flag import Flag
from memories.models.memory import MemoryVersion
from memories.permissions import Actor
from review.models import Decision, Rule
from review.queue import flags_of
from review.rules import lets_nothing_in, opened_as, said_as

DAYS = 90
LISTED = 20


@dataclass(frozen=True, slots=True)
class RuleTrial:
    """How many open items fit a rule, the newest of them, and what people decided on such items
    within DAYS: `same` as the rule would, or `otherwise`."""

    open: int
    listed: Sequence[Flag]
    same: int
    otherwise: int

    @property
    def decided(self) -> int:
        """How many people decided."""
        return self.same + self.otherwise


def try_rule(*, actor: Actor, rule: Rule, now: datetime | None = None) -> RuleTrial:
    """Try a rule, stored or not, on what waits and on what people decided."""
    fits = fitting(actor, rule)
    decided = _decided(actor, rule, now or timezone.now()).aggregate(
        all=Count("pk"), same=Count("pk", filter=Q(choice=rule.choice))
    )
    otherwise = decided["all"] - decided["same"]
    return RuleTrial(fits.count(), list(fits[:LISTED]), decided["same"], otherwise)


def fitting(actor: Actor, rule: Rule) -> "QuerySet[Flag]":
    """Return the open flags that all conditions of a rule hold for, newest first."""
    fits = flags_of(actor).filter(opened_as(rule), said_as(rule, "memory__"))
    fits = fits.filter(status=Flag.Status.OPEN)
    if rule.kind == Flag.Kind.MERGE or lets_nothing_in(rule):
        return fits
    return fits.exclude(memory__withheld=True).exclude(counterpart__withheld=True)


def _decided(actor: Actor, rule: Rule, now: datetime) -> "QuerySet[Decision]":
    """Return people's standing decisions on flags whose memory was then as the rule says."""
    then = MemoryVersion.objects.filter(
        said_as(rule), memory=OuterRef("flag__memory"), number=OuterRef("flag__memory_version")
    )
    made: QuerySet[Decision] = Decision.objects.standing().filter(
        opened_as(rule, "flag__"),
        Exists(then),
        flag__in=Flag.objects.visible_to(actor),
        automatic=False,
        created_at__gte=now - timedelta(days=DAYS),
    )
    return made
