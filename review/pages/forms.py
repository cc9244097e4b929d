"""The forms of a flag's page."""

import re
from datetime import datetime, time, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from memories.models.flag import Flag
from review.kinds import kind_of
from review.models import Rejection

_VERSIONS = re.compile(r"\A[1-9][0-9]{0,8}( [1-9][0-9]{0,8}){0,20}\Z")
# What was put off comes back when people begin to work.
_MORNING = time(8)


def versions_in(text: str) -> tuple[int, ...]:
    """Return the versions in a form's "2 1", none for anything else."""
    return tuple(map(int, text.split())) if _VERSIONS.match(text) else ()


class DecisionForm(forms.Form):
    """What a person decided on a flag, and the versions they had before their eyes."""

    choice = forms.ChoiceField(error_messages={"required": _("Choose one of the decisions.")})
    content = forms.CharField(required=False, strip=False)
    reason = forms.ChoiceField(required=False, choices=Rejection.choices)
    note = forms.CharField(required=False)
    # Of the flag's memories, in the order of Item.texts.
    versions = forms.RegexField(
        _VERSIONS,
        error_messages=dict.fromkeys(
            ("required", "invalid"), _("The page was sent without its versions: open it again.")
        ),
    )

    def __init__(self, flag: Flag, data: Any = None) -> None:
        """The decisions are those of the flag's kind."""
        super().__init__(data)
        self._kind = kind_of(flag)
        offers = [(offer.choice, offer.label) for offer in self._kind.offers]
        self.fields["choice"].choices = offers  # type: ignore[attr-defined]

    def clean(self) -> None:
        """Drop what the page had ready for another decision, and ask for what this one needs."""
        offer = self._kind.offer(self.cleaned_data.get("choice", ""))
        if offer is None or not offer.takes_text:
            self.cleaned_data["content"] = ""
        if offer is None or not offer.takes_reason:
            self.cleaned_data["reason"] = ""
        elif not self.cleaned_data.get("reason") and "reason" not in self.errors:
            self.add_error("reason", _("Say why you reject it."))

    def clean_content(self) -> str:
        """A browser sends line ends as CR LF; a memory keeps plain ones."""
        return str(self.cleaned_data["content"]).replace("\r\n", "\n")

    @property
    def seen(self) -> tuple[int, ...]:
        """The versions that the page showed, as decide() expects them; none before it was sent."""
        return versions_in(str(self.data.get("versions", "")))


class SnoozeForm(forms.Form):
    """Until when a flag is put off, in the time zone of whoever says so."""

    until = forms.ChoiceField(choices=[("tomorrow", ""), ("week", ""), ("date", "")])
    date = forms.DateField(required=False)

    def clean(self) -> None:
        """A date of one's own has to be there."""
        if self.cleaned_data.get("until") == "date" and not self.cleaned_data.get("date"):
            self.add_error("date", _("Choose a date."))

    @property
    def refusal(self) -> str:
        """What is wrong with it, in one line."""
        return " ".join(str(error) for errors in self.errors.values() for error in errors)

    @property
    def moment(self) -> datetime:
        """The morning of that day: of tomorrow, of next Monday, or of the date."""
        today = timezone.localdate()
        days = {
            "tomorrow": today + timedelta(days=1),
            "week": today + timedelta(days=7 - today.weekday()),
            "date": self.cleaned_data["date"],
        }
        day = days[self.cleaned_data["until"]]
        return timezone.make_aware(datetime.combine(day, _MORNING))
