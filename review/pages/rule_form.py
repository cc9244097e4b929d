"""The form of a rule, for one kind of item: the choices and reasons that fit it."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from memories.models.agent import Agent
from memories.models.flag import Flag
from memories.models.memory import Kind as MemoryKind
from memories.models.memory import Source
from memories.permissions import Actor
from review.kinds import Kind
from review.models import Rejection, Rule
from review.rule_changes import RuleText

_FIELDS = (
    "name",
    "choice",
    "reason",
    "reasons",
    "memory_kinds",
    "sources",
    "least_confidence",
    "most_confidence",
    "is_active",
)


def _several(label: Any, text: Any = "", choices: Any = ()) -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(
        label=label,
        help_text=text,
        choices=choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )


def _share(label: Any) -> forms.FloatField:
    return forms.FloatField(
        label=label,
        required=False,
        min_value=0.0,
        max_value=1.0,
        widget=forms.NumberInput({"step": "0.01"}),
    )


class RuleForm(forms.Form):
    """What a rule says; what is left empty does not restrict."""

    name = forms.CharField(label=_("Name"), max_length=80)
    reasons = _several(_("Why flagged"))
    memory_kinds = _several(_("Kind of memory"), choices=MemoryKind.choices)
    sources = _several(_("Source"), choices=Source.choices)
    agent = forms.ModelChoiceField(
        Agent.objects.none(), label=_("Agent"), required=False, empty_label=_("any")
    )
    least_confidence = _share(_("Confidence at least"))
    most_confidence = _share(_("Confidence at most"))
    choice = forms.ChoiceField(label=_("Decision"))
    reason = forms.ChoiceField(
        label=_("Why it rejects"),
        required=False,
        choices=[("", "–"), *Rejection.choices],
        help_text=_("With a rejection only."),
    )
    is_active = forms.BooleanField(label=_("Switched on"), required=False, initial=True)
    seen = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, actor: Actor, kind: Kind, data: Any = None, initial: Any = None) -> None:
        super().__init__(data, initial=initial)
        self._kind = kind
        offers = [
            (offer.choice, offer.label)
            for offer in kind.offers
            if offer.bulk and (offer.takes_reason or kind.code != Flag.Kind.QUARANTINE)
        ]
        choices = self.fields["choice"], self.fields["reasons"]
        choices[0].choices = offers  # type: ignore[attr-defined]
        choices[1].choices = [(code, r.short) for code, r in kind.reasons.items()]  # type: ignore[attr-defined]
        agents = Agent.objects.filter(space_id=actor.space_id).order_by("name")
        self.fields["agent"].queryset = agents  # type: ignore[attr-defined]

    @classmethod
    def of(cls, actor: Actor, kind: Kind, rule: Rule) -> "RuleForm":
        """Return the form as it opens on a rule."""
        initial = {name: getattr(rule, name) for name in _FIELDS}
        seen = rule.updated_at.isoformat() if rule.updated_at else ""
        return cls(actor, kind, initial=initial | {"agent": rule.agent_id, "seen": seen})

    def text(self) -> RuleText:
        """Return what a valid form says."""
        said = {name: self.cleaned_data[name] for name in _FIELDS}
        agent = self.cleaned_data["agent"]
        return RuleText(kind=self._kind.code, agent_id=agent.pk if agent else None, **said)
