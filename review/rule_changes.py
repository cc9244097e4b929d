"""Writing rules: who may, what a rule may say, and the log of it."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Count, Max, Q, QuerySet
from django.utils.translation import gettext as _

from memories import history
from memories.dispatch import nudge
from memories.errors import Invalid, NotFound, Stale
from memories.inputs import short_text
from memories.models.agent import Agent
from memories.models.flag import Flag
from memories.models.memory import Kind as MemoryKind
from memories.models.memory import Source
from memories.permissions import Actor
from review.decisions import offered
from review.kinds import KINDS, Kind, Offer
from review.models import Rejection, Rule
from review.rule_trial import fitting

# Rows that are locked at once.
CHUNK = 500


@dataclass(frozen=True, slots=True)
class RuleText:
    """What a rule says: conditions, of which an empty one does not restrict, and its decision."""

    name: str
    kind: str
    choice: str
    reason: str = ""
    reasons: Sequence[str] = ()
    memory_kinds: Sequence[str] = ()
    sources: Sequence[str] = ()
    agent_id: UUID | None = None
    least_confidence: float | None = None
    most_confidence: float | None = None
    is_active: bool = True


def rules_of(actor: Actor) -> "QuerySet[Rule]":
    """Return the space's rules in their order, each with `applied`, how often it decided, and
    `undone`, how many of those decisions were undone since."""
    actor.require("read")
    undone = Q(decisions__undone_at__isnull=False)
    counted = Rule.objects.filter(space_id=actor.space_id).select_related("agent")
    return counted.annotate(
        applied=Count("decisions"), undone=Count("decisions", filter=undone)
    ).order_by("position", "id")


def get_rule(*, actor: Actor, rule_id: UUID) -> Rule:
    """Return one rule of rules_of(), or raise NotFound."""
    rule = rules_of(actor).filter(pk=rule_id).first()
    if rule is None:
        raise NotFound(_("There is no such rule here."), field="rule_id")
    return rule


def unsaved_rule(*, actor: Actor, text: RuleText) -> Rule:
    """Return a rule that says this, checked and not stored: to try it.

    Raises Invalid naming the field.
    """
    actor.require("read")
    return Rule(space_id=actor.space_id, created_by=actor.name, **_checked(actor, text))


def create_rule(*, actor: Actor, text: RuleText) -> Rule:
    """Add a rule behind those there are. It looks at what is opened from now on.

    Raises NotAllowed, or Invalid naming the field.
    """
    actor.require("administer")
    rule = unsaved_rule(actor=actor, text=text)
    try:
        with transaction.atomic():
            last = Rule.objects.filter(space_id=actor.space_id).aggregate(last=Max("position"))
            rule.position = 0 if last["last"] is None else last["last"] + 1
            rule.save(force_insert=True)
            history.log(actor, "rule_created", rule=str(rule.pk), says=_plain(text))
    except IntegrityError as error:
        raise _name_taken(text.name) from error
    return rule


def update_rule(*, actor: Actor, rule_id: UUID, text: RuleText, seen: datetime) -> Rule:
    """Let a rule say something else; `seen` is its `updated_at` as the person saw it.

    What it decided stays decided. Raises NotAllowed, NotFound, Invalid, or Stale.
    """
    actor.require("administer")
    fields = _checked(actor, text)
    try:
        with transaction.atomic():
            rule = _locked(actor, rule_id)
            if rule.updated_at != seen:
                raise Stale(_("This rule was changed since you opened it. Look again, then save."))
            before = {name: getattr(rule, name) for name in fields}
            for name, value in fields.items():
                setattr(rule, name, value)
            rule.save()
            changed = {
                name: [_said(before[name]), _said(value)]
                for name, value in fields.items()
                if before[name] != value
            }
            history.log(actor, "rule_changed", rule=str(rule.pk), name=rule.name, changed=changed)
    except IntegrityError as error:
        raise _name_taken(text.name) from error
    return rule


def switch_rule(*, actor: Actor, rule_id: UUID, active: bool) -> Rule:
    """Let a rule decide, or let it rest. Raises NotAllowed or NotFound."""
    actor.require("administer")
    with transaction.atomic():
        rule = _locked(actor, rule_id)
        if rule.is_active != active:
            rule.is_active = active
            rule.save(update_fields=["is_active", "updated_at"])
            verb = "rule_switched_on" if active else "rule_switched_off"
            history.log(actor, verb, rule=str(rule.pk), name=rule.name)
    return rule


def delete_rule(*, actor: Actor, rule_id: UUID) -> None:
    """Remove a rule; what it decided stays, with its name. Raises NotAllowed or NotFound."""
    actor.require("administer")
    with transaction.atomic():
        rule = _locked(actor, rule_id)
        history.log(actor, "rule_deleted", rule=str(rule.pk), name=rule.name)
        rule.delete()


def move_rule(*, actor: Actor, rule_id: UUID, up: bool) -> None:
    """Let a rule change places with the one before it, or behind it; at the end nothing happens.

    Raises NotAllowed or NotFound.
    """
    actor.require("administer")
    with transaction.atomic():
        mine = Rule.objects.filter(space_id=actor.space_id).order_by("position", "id")
        rules = list(mine.select_for_update())
        at = next((n for n, rule in enumerate(rules) if rule.pk == rule_id), None)
        if at is None:
            raise NotFound(_("There is no such rule here."), field="rule_id")
        to = at - 1 if up else at + 1
        if not 0 <= to < len(rules):
            return
        rules[at], rules[to] = rules[to], rules[at]
        for position, rule in enumerate(rules):
            Rule.objects.filter(pk=rule.pk).update(position=position)
        history.log(actor, "rule_moved", rule=str(rule_id), position=to)


def apply_to_waiting(*, actor: Actor, rule_id: UUID) -> int:
    """Let the rules look, in a moment, at the open items that fit this one; return how many.

    What was decided before and undone stays with people. Raises NotAllowed, NotFound, or Invalid
    while the rule is switched off.
    """
    actor.require("administer")
    rule = get_rule(actor=actor, rule_id=rule_id)
    if not rule.is_active:
        raise Invalid(_("The rule is switched off: switch it on first."), field="rule_id")
    fresh = fitting(actor, rule).filter(decisions__isnull=True)
    keys = list(fresh.order_by("id").values_list("pk", flat=True))
    again = sum(_look_again(keys[at : at + CHUNK]) for at in range(0, len(keys), CHUNK))
    nudge("review.consider_waiting")
    return again


def _look_again(keys: Sequence[UUID]) -> int:
    """Take back that the rules have looked. What is locked is being decided: it is left alone."""
    with transaction.atomic():
        free = Flag.objects.open().filter(pk__in=keys).select_for_update(skip_locked=True)
        rows = Flag.objects.filter(pk__in=[flag.pk for flag in free.only("pk")])
        return rows.update(considered_at=None)


def _locked(actor: Actor, rule_id: UUID) -> Rule:
    mine = Rule.objects.filter(space_id=actor.space_id, pk=rule_id)
    rule = mine.select_for_update().first()
    if rule is None:
        raise NotFound(_("There is no such rule here."), field="rule_id")
    return rule


def _checked(actor: Actor, text: RuleText) -> dict[str, Any]:
    """Return a rule's fields, or raise Invalid naming the first that does not fit."""
    name = short_text(text.name, "name", 80)
    if not name:
        raise Invalid(_("Give the rule a name: it is shown with what it decides."), field="name")
    kind = KINDS.get(text.kind)
    if kind is None:
        raise Invalid(
            _("Name the kind of item, one of: %(known)s.") % {"known": ", ".join(KINDS)},
            field="kind",
        )
    _check_decision(kind, offered(kind, text.choice), text.reason)
    _known(text.reasons, kind.reasons, "reasons")
    _known(text.memory_kinds, MemoryKind.values, "memory_kinds")
    _known(text.sources, Source.values, "sources")
    _check_agent(actor, text.agent_id)
    _check_confidence(text.least_confidence, text.most_confidence)
    listed = {
        field: sorted(set(getattr(text, field))) for field in ("reasons", "memory_kinds", "sources")
    }
    return asdict(text) | listed | {"name": name}


def _check_decision(kind: Kind, offer: Offer, reason: str) -> None:
    if kind.code == Flag.Kind.QUARANTINE and not offer.takes_reason:
        raise Invalid(
            _("What is in quarantine is released by people only: a rule may reject it."),
            field="choice",
        )
    if not offer.bulk:
        raise Invalid(
            _("“%(choice)s” needs words for each item: a rule cannot decide so.")
            % {"choice": offer.label},
            field="choice",
        )
    if offer.takes_reason and reason not in Rejection.values:
        raise Invalid(_("Say why the rule rejects."), field="reason")
    if reason and not offer.takes_reason:
        raise Invalid(_("Only a rejection has a reason."), field="reason")


def _known(given: Sequence[str], known: Collection[str], field: str) -> None:
    for one in given:
        if one not in known:
            raise Invalid(
                _("“%(given)s” is not among: %(known)s.")
                % {"given": one, "known": ", ".join(known)},
                field=field,
            )


def _check_agent(actor: Actor, agent_id: UUID | None) -> None:
    if agent_id is None:
        return
    if not Agent.objects.filter(space_id=actor.space_id, pk=agent_id).exists():
        raise Invalid(_("There is no such agent here."), field="agent")


def _check_confidence(least: float | None, most: float | None) -> None:
    for field, bound in (("least_confidence", least), ("most_confidence", most)):
        if bound is not None and not 0 <= bound <= 1:
            raise Invalid(_("A confidence is a number from 0 to 1."), field=field)
    if least is not None and most is not None and least > most:
        raise Invalid(
            _("The lowest confidence is above the highest: nothing would fit."),
            field="least_confidence",
        )


def _name_taken(name: str) -> Invalid:
    return Invalid(_("There is a rule named “%(name)s” already.") % {"name": name}, field="name")


def _plain(text: RuleText) -> dict[str, Any]:
    return {name: _said(value) for name, value in asdict(text).items() if value not in ("", ())}


def _said(value: Any) -> Any:
    """Return a value as the log keeps it."""
    return str(value) if isinstance(value, UUID) else value
