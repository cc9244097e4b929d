"""What a person may ask of the sessions pages: which sessions, and what other numbers would do."""

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from memories.models.session import Session
from memories.policies import DistillingPolicy
from memories.sessions.reading import SessionFilters


class SessionFilter(forms.Form):
    """Which sessions are listed."""

    text = forms.CharField(label=_("Task or name"), required=False, max_length=200)
    user = forms.CharField(label=_("User"), required=False, max_length=200)
    agent = forms.CharField(label=_("Agent"), required=False, max_length=80)
    outcome = forms.ChoiceField(
        label=_("Outcome"), required=False, choices=[("", _("any")), *Session.Outcome.choices]
    )
    state = forms.ChoiceField(
        label=_("State"),
        required=False,
        choices=[
            ("", _("any")),
            ("open", pgettext_lazy("session", "open")),
            ("ended", pgettext_lazy("session", "ended")),
            ("distilled", _("looked back at")),
            ("failed", _("looking back failed")),
        ],
    )

    def filters(self) -> SessionFilters:
        """Return the filters of a valid form."""
        chosen = self.cleaned_data
        return SessionFilters(
            user_id=chosen["user"].strip(),
            agent=chosen["agent"].strip(),
            outcome=chosen["outcome"],
            state=chosen["state"],
            text=chosen["text"].strip(),
        )

    @property
    def narrowed(self) -> bool:
        """Whether anything was chosen."""
        return any(self.data.get(name) for name in self.fields)


def _share(label: Any, text: Any) -> forms.FloatField:
    return forms.FloatField(
        label=label,
        help_text=text,
        min_value=0.0,
        max_value=1.0,
        widget=forms.NumberInput({"step": "0.05"}),
    )


class NumbersForm(forms.Form):
    """The numbers of the gate, to be tried without changing the policy."""

    keep_from = _share(_("Least worth"), _("What is worth less adds too little."))
    store_from = _share(_("Least confidence"), _("What is believed less is not stored as active."))
    doubtful = forms.ChoiceField(
        label=_("Below that confidence"),
        choices=[("drop", _("it is dropped")), ("review", _("a person decides"))],
    )

    @classmethod
    def of(cls, query: QueryDict, policy: DistillingPolicy) -> "NumbersForm":
        """Return the form as a query fills it; what the query leaves out is the policy's."""
        return cls({name: query.get(name, getattr(policy, name)) for name in cls.base_fields})

    def policy(self, current: DistillingPolicy) -> DistillingPolicy:
        """Return the current policy with the numbers of this valid form."""
        return current.model_copy(update=self.cleaned_data)
