"""What a person may ask of the recall pages: which recalls, and since when."""

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from memories.recall.reading import SLOW_MS, RecallFilters

_DAYS = [("7", _("7 days")), ("30", _("30 days")), ("90", _("90 days")), ("365", _("a year"))]
_SPANS = [("30", _("the last 30 days")), ("90", _("the last 90 days")), ("all", _("all time"))]
_STATES = [
    ("", _("all")),
    ("empty", _("without an answer")),
    ("degraded", _("by words alone")),
    ("slow", format_lazy(_("slower than {n} ms"), n=SLOW_MS)),
]


class RecallFilter(forms.Form):
    """Which recalls are listed; a memory's page sends `memory`."""

    text = forms.CharField(label=_("Question"), required=False, max_length=200)
    agent = forms.CharField(label=_("Asked by"), required=False, max_length=80)
    user = forms.CharField(label=_("User"), required=False, max_length=200)
    state = forms.ChoiceField(label=_("Which"), required=False, choices=_STATES)
    memory = forms.UUIDField(required=False, widget=forms.HiddenInput)

    def filters(self) -> RecallFilters:
        """Return the filters of a valid form."""
        chosen = self.cleaned_data
        return RecallFilters(
            asked_by=chosen["agent"].strip(),
            user_id=chosen["user"].strip(),
            text=chosen["text"].strip(),
            state=chosen["state"],
            memory=chosen["memory"],
        )

    @property
    def narrowed(self) -> bool:
        """Whether anything was chosen."""
        return any(self.data.get(name) for name in self.fields)


class AgeFilter(forms.Form):
    """How old a memory is at the least that nobody ever recalled."""

    days = forms.ChoiceField(label=_("Older than"), choices=_DAYS)


class SpanFilter(forms.Form):
    """Which recalls count."""

    span = forms.ChoiceField(label=_("Recalled in"), choices=_SPANS)
