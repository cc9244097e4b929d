"""What a rule says and what trying it found, in words."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memories.models.memory import Kind as MemoryKind
from memories.models.memory import Source
from review.kinds import KINDS, labelled
from review.models import Rejection, Rule
from review.rule_changes import RuleText
from review.rule_trial import RuleTrial


def suggestion() -> RuleText:
    """Return a rule that many spaces want: a person who corrects an agent is right."""
    return RuleText(
        name=_("Explicit corrections by the user supersede at once"),
        kind="conflict",
        choice="keep_new",
        memory_kinds=(MemoryKind.CORRECTION,),
        sources=(Source.USER_INPUT,),
    )


def conditions(rule: Rule) -> list[tuple[str, str]]:
    """Return the conditions of a rule, as (what, which); the kind of item is not among them."""
    kind = KINDS.get(rule.kind)
    known = kind.reasons if kind else {}
    reasons = [str(known[code].short) if code in known else code for code in rule.reasons]
    kinds = [str(MemoryKind(code).label) for code in rule.memory_kinds]
    sources = [str(Source(code).label) for code in rule.sources]
    said = (
        (_("why flagged"), _any_of(reasons)),
        (_("kind"), _any_of(kinds)),
        (_("source"), _any_of(sources)),
        (_("agent"), rule.agent.name if rule.agent else ""),
        (_("confidence"), _between(rule.least_confidence, rule.most_confidence)),
    )
    return [(what, which) for what, which in said if which]


def decides(rule: Rule) -> str:
    """Return what a rule decides: "Reject: outdated"."""
    kind = KINDS.get(rule.kind)
    offer = kind.offer(rule.choice) if kind else None
    choice = str(offer.label) if offer else rule.choice
    return f"{choice}: {Rejection(rule.reason).label}" if rule.reason else choice


def kind_of_item(rule: Rule) -> str:
    """Return the kind of item that a rule looks at."""
    kind = KINDS.get(rule.kind)
    return str(kind.many) if kind else labelled(rule.kind)


def fitting(trial: RuleTrial) -> str:
    """Return how many open items fit: "12 open items fit."."""
    if not trial.open:
        return _("No open item fits at present.")
    return ngettext("%(n)d open item fits.", "%(n)d open items fit.", trial.open) % {
        "n": trial.open
    }


def decided(trial: RuleTrial) -> str:
    """Return how people decided on the like of it."""
    if not trial.decided:
        return _("In the last 90 days people decided on none like these.")
    text = ngettext(
        "In the last 90 days people decided %(n)d like these: %(same)d the same way, "
        "%(otherwise)d otherwise.",
        "In the last 90 days people decided %(n)d like these: %(same)d the same way, "
        "%(otherwise)d otherwise.",
        trial.decided,
    )
    return text % {"n": trial.decided, "same": trial.same, "otherwise": trial.otherwise}


def _any_of(words: Sequence[str]) -> str:
    return _(" or ").join(words)


def _between(least: float | None, most: float | None) -> str:
    if least is None and most is None:
        return ""
    if most is None:
        return _("at least %(n)s") % {"n": f"{least:g}"}
    if least is None:
        return _("at most %(n)s") % {"n": f"{most:g}"}
    return _("%(least)s to %(most)s") % {"least": f"{least:g}", "most": f"{most:g}"}
