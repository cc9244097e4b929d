"""The filter of the queue as a form to choose from."""

from dataclasses import asdict
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from memories.models.agent import Agent
from memories.models.memory import Source
from memories.models.space import Membership
from memories.permissions import Actor
from review.filters import LONGEST, QueueFilter
from review.kinds import KINDS

# More agents than this are typed, not chosen.
MOST_AGENTS = 200
_ORDERS = [("newest", _("newest first")), ("oldest", _("oldest first"))]
_DECIDERS = (Membership.Role.REVIEWER, Membership.Role.ADMIN)


class QueueForm(forms.Form):
    """What a QueueFilter may be; the tabs choose kind and state."""

    text = forms.CharField(label=_("Search"), max_length=LONGEST)
    sort = forms.ChoiceField(label=_("Order"))
    reason = forms.ChoiceField(label=_("Reason"))
    age = forms.ChoiceField(
        label=_("Age"),
        choices=[
            ("", _("any age")),
            ("day", _("last 24 hours")),
            ("week", _("last 7 days")),
            ("older", _("older than 7 days")),
        ],
    )
    source = forms.ChoiceField(label=_("Source"), choices=[("", _("any")), *Source.choices])
    confidence = forms.ChoiceField(
        label=_("Confidence"),
        choices=[
            ("", _("any")),
            ("low", _("low: under 60%")),
            ("middle", _("middle: 60% to 80%")),
            ("high", _("high: 80% and more")),
        ],
    )
    language = forms.ChoiceField(
        label=_("Language"),
        choices=[
            ("", _("any")),
            ("zh", _("Chinese")),
            ("en", _("English")),
            ("mixed", _("both in one text")),
        ],
    )
    assignee = forms.ChoiceField(label=_("Assigned to"))
    agent = forms.CharField(
        label=_("Agent"), max_length=LONGEST, widget=forms.TextInput({"list": "agents"})
    )
    user_id = forms.CharField(label=_("User"), max_length=LONGEST)
    session = forms.CharField(label=_("Session"), max_length=LONGEST)

    def __init__(self, chosen: QueueFilter, *, people: list[str], agents: list[str]) -> None:
        """`people` may be assigned, `agents` are offered; both by name."""
        super().__init__(initial=asdict(chosen), use_required_attribute=False)
        self.agents = agents
        pressing = ("priority", _("most pressing first"))
        decided = chosen.state == "decided"
        self._offer("sort", _ORDERS if decided else [pressing, *_ORDERS])
        self._offer("reason", [("", _("every reason")), *_reasons(chosen.kind)])
        usual = [("", _("anyone")), ("me", _("me")), ("nobody", _("nobody"))]
        self._offer("assignee", [*usual, *((name, name) for name in people)])

    @classmethod
    def of(cls, chosen: QueueFilter, actor: Actor) -> "QueueForm":
        """Return the form as it shows a filter in the actor's space."""
        members = Membership.objects.filter(space=actor.space_id, role__in=_DECIDERS)
        people = members.exclude(user=actor.id).values_list("user__username", flat=True)
        agents = Agent.objects.filter(space=actor.space_id).values_list("name", flat=True)
        return cls(
            chosen,
            people=list(people.order_by("user__username")),
            agents=list(agents[:MOST_AGENTS]),
        )

    def _offer(self, name: str, choices: list[tuple[str, Any]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]


def _reasons(kind: str) -> list[tuple[str, Any]]:
    """Return why flags of a kind, or of any, are opened."""
    kinds = [KINDS[kind]] if kind else KINDS.values()
    return [(code, why.short) for one in kinds for code, why in one.reasons.items()]
