"""The filters of the memories page: a form whose answer is a Filters."""

from datetime import date, datetime, time, timedelta

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from memories.models.memory import LIVE, Kind, Status
from memories.reading import Filters

# What a list shows when no status was asked for; archive and trash have pages of their own.
SHOWN = [status.value for status in LIVE]
ANY = "any"
_EVERY = [status.value for status in Status if status != Status.DELETED]
_STATUSES = [("", _("in use")), (ANY, _("every status")), *Status.choices]


class MemoryFilter(forms.Form):
    """What is looked for (`q`) and among which memories."""

    q = forms.CharField(label=_("Search"), required=False, max_length=2000)
    kind = forms.ChoiceField(
        label=_("Kind"), required=False, choices=[("", _("every kind")), *Kind.choices]
    )
    status = forms.ChoiceField(label=_("Status"), required=False, choices=_STATUSES)
    tag = forms.CharField(label=_("Tag"), required=False, max_length=60)
    agent = forms.CharField(label=_("Agent"), required=False, max_length=80)
    session = forms.CharField(label=_("Session"), required=False, max_length=200)
    user = forms.CharField(label=_("User"), required=False, max_length=200)
    since = forms.DateField(
        label=_("From"), required=False, widget=forms.DateInput({"type": "date"})
    )
    until = forms.DateField(label=_("To"), required=False, widget=forms.DateInput({"type": "date"}))
    expiring = forms.ChoiceField(
        label=_("Expiry"),
        required=False,
        choices=[("", _("any")), ("soon", _("expiring soon"))],
    )

    def filters(self, *, statuses: list[str]) -> Filters:
        """Return the filters of a valid form; `statuses` stand in where none was chosen."""
        chosen = self.cleaned_data
        return Filters(
            kinds=_listed(chosen["kind"]),
            statuses=_EVERY if chosen["status"] == ANY else _listed(chosen["status"]) or statuses,
            tags=_listed(chosen["tag"].strip()),
            agent=chosen["agent"].strip(),
            session=chosen["session"].strip(),
            user_id=chosen["user"].strip(),
            since=midnight(chosen["since"]),
            # The day that is named is still part of it.
            until=midnight(chosen["until"], days=1),
        )

    @property
    def narrowed(self) -> bool:
        """Whether anything beside the search text was chosen."""
        return any(self.data.get(name) for name in self.fields if name != "q")


def _listed(value: str) -> list[str]:
    return [value] if value else []


def midnight(day: date | None, days: int = 0) -> datetime | None:
    """Return the beginning of a day, or of one so many days later, where the person is."""
    if day is None:
        return None
    return timezone.make_aware(datetime.combine(day + timedelta(days=days), time.min))
