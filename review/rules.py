"""Rules: decisions that a person wrote down once, carried out on what fits them (F5).

A rule looks at a flag once, soon after it was opened. What it decides is a Decision like any other:
recorded with the rule's name, and undone like a person's.
"""

import logging
from collections.abc import Iterable, Iterator
from dataclasses import replace
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from memories.errors import ServiceError
from memories.identity import system_actor
from memories.models.flag import Flag, FlagQuerySet
from memories.models.memory import WIDE, Memory
from memories.permissions import Actor
from memories.policies import policy_for
from review.decisions import decide
from review.kinds import KINDS
from review.models import Decision, Rule
from review.second import authors_of

logger = logging.getLogger(__name__)

_SIDES = ("memory", "counterpart")
# What no condition asks about.
_UNREAD = [f"{side}__{column}" for side in ("memory", "counterpart") for column in WIDE]


def first_match(rules: Iterable[Rule], flag: Flag) -> Rule | None:
    """Return the first active rule, by position, that fits a flag."""
    active = sorted(
        (rule for rule in rules if rule.is_active), key=lambda rule: (rule.position, rule.pk)
    )
    return next((rule for rule in active if matches(rule, flag)), None)


def matches(rule: Rule, flag: Flag) -> bool:
    """Whether all conditions of a rule hold for a flag and the memory it was opened for."""
    return rule.space_id == flag.space_id and _fits(rule, flag) and not _kept_back(rule, flag)


def _fits(rule: Rule, flag: Flag) -> bool:
    memory = flag.memory
    least, most = rule.least_confidence, rule.most_confidence
    return all(
        (
            rule.kind == flag.kind,
            not rule.reasons or flag.reason in rule.reasons,
            not rule.memory_kinds or memory.kind in rule.memory_kinds,
            not rule.sources or memory.source in rule.sources,
            rule.agent_id is None or rule.agent_id == memory.agent_id,
            least is None or memory.confidence >= least,
            most is None or memory.confidence <= most,
        )
    )


def _kept_back(rule: Rule, flag: Flag) -> bool:
    """Whether only a person may say yes: nothing leaves quarantine by a rule (F2, F5)."""
    if flag.kind == Flag.Kind.MERGE:
        return False  # a proposal is withheld because it is only proposed
    withheld = any(m.withheld for m in (flag.memory, flag.counterpart) if m is not None)
    return withheld and not lets_nothing_in(rule)


def lets_nothing_in(rule: Rule) -> bool:
    """Whether the rule only ever turns away."""
    offer = KINDS[rule.kind].offer(rule.choice) if rule.kind in KINDS else None
    return offer is not None and offer.takes_reason


def opened_as(rule: Rule, prefix: str = "") -> Q:
    """The conditions of a rule on flags, or on `prefix` of another table, as a query."""
    fits = {
        f"{prefix}space_id": rule.space_id,
        f"{prefix}kind": rule.kind,
        f"{prefix}reason__in": rule.reasons,
        f"{prefix}memory__agent_id": rule.agent_id,
    }
    return Q(**{name: value for name, value in fits.items() if value})


def said_as(rule: Rule, prefix: str = "") -> Q:
    """The conditions of a rule on a memory, or on one of its versions, as a query."""
    fits = {
        f"{prefix}kind__in": rule.memory_kinds or None,
        f"{prefix}source__in": rule.sources or None,
        f"{prefix}confidence__gte": rule.least_confidence,
        f"{prefix}confidence__lte": rule.most_confidence,
    }
    return Q(**{name: value for name, value in fits.items() if value is not None})


def consider(flag_id: UUID) -> Decision | None:
    """Let the rules of its space look at an open flag, and return what they decided, if anything.

    They look once: a flag whose decision was undone is for people. One that a person is looking at
    waits until their claim lapses. A refusal leaves the flag to people.
    """
    found = _unconsidered().filter(pk=flag_id).select_related("memory", "counterpart")
    flag: Flag | None = found.defer(*_UNREAD).first()
    if flag is None:
        return None
    rule = first_match(Rule.objects.filter(space_id=flag.space_id, is_active=True), flag)
    if rule is not None and not _waits_for_a_second_person(rule, flag):
        try:
            return _apply(rule, flag)
        except ServiceError as error:
            logger.info("rule %s left flag %s to people: %s", rule.pk, flag_id, error)
    _considered(flag_id)
    return None


def waiting() -> Iterator[UUID]:
    """Yield the open flags that no rule has looked at yet, the longest waiting first."""
    found = _unconsidered().order_by("id").values_list("pk", flat=True)
    yield from found.iterator(chunk_size=200)


def _unconsidered() -> FlagQuerySet:
    looked_at = Q(claim__expires_at__gt=timezone.now())
    waits: FlagQuerySet = Flag.objects.open().filter(considered_at__isnull=True)
    return waits.exclude(looked_at)


def _waits_for_a_second_person(rule: Rule, flag: Flag) -> bool:
    """Whether somebody wrote the text by hand and the space wants somebody else's word (G4)."""
    if lets_nothing_in(rule) or not policy_for(flag.space_id)[1].review.two_people:
        return False
    return authors_of([flag.memory_id]).get(flag.memory_id) is not None


def _apply(rule: Rule, flag: Flag) -> Decision | None:
    """Decide as the rule says; the mark that keeps it from doing so twice is part of it."""
    with transaction.atomic():
        decide(
            actor=_ruler(rule),
            flag_id=flag.pk,
            choice=rule.choice,
            expected_versions=_versions(flag),
            reason=rule.reason,
            note=_("Decided by the rule “%(rule)s”.") % {"rule": rule.name},
            rule=rule,
        )
        _considered(flag.pk)
    made: Decision | None = Decision.objects.standing().filter(flag=flag, rule=rule).first()
    return made


def _considered(flag_id: UUID) -> None:
    Flag.objects.filter(pk=flag_id).update(considered_at=timezone.now())


def _ruler(rule: Rule) -> Actor:
    """The product, deciding on the word of the person who wrote the rule."""
    actor = system_actor(rule.space_id, rule.name)
    return replace(actor, verbs=actor.verbs | {"decide"})


def _versions(flag: Flag) -> tuple[int, ...]:
    """Return the versions that the conditions were checked on, as decide() expects them."""
    beside: list[Memory] = [flag.counterpart] if flag.counterpart else []
    sources = [source.memory for source in flag.sources.select_related("memory")]
    return tuple(memory.version for memory in (flag.memory, *beside, *sources))
