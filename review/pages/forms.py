"""The form of a decision."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from memories.lifecycle import Choice, Offer, Rejection, offers_of
from memories.models.flag import Flag

NOTHING_ASKED = Offer(lambda _case: None)


class DecisionForm(forms.Form):
    """What a person decided on a flag, and the versions they had before their eyes."""

    choice = forms.ChoiceField(
        choices=[(choice.value, choice.value) for choice in Choice],
        error_messages={"required": _("Choose one of the decisions.")},
    )
    content = forms.CharField(required=False, strip=False)
    reason = forms.ChoiceField(required=False, choices=Rejection.choices)
    note = forms.CharField(required=False)
    new_version = forms.IntegerField(min_value=1)
    old_version = forms.IntegerField(min_value=1)

    def __init__(self, flag: Flag, data: Any = None) -> None:
        """A flag about one memory alone has no old version."""
        super().__init__(data)
        self._offers = offers_of(flag.kind)
        if flag.counterpart_id is None:
            del self.fields["old_version"]

    def clean(self) -> None:
        """Drop what the page had ready for another decision, and ask for what this one needs."""
        offer = self._offers.get(self.cleaned_data.get("choice", ""), NOTHING_ASKED)
        if not offer.takes_text:
            self.cleaned_data["content"] = ""
        if not offer.takes_reason:
            self.cleaned_data["reason"] = ""
        elif not self.cleaned_data.get("reason") and "reason" not in self.errors:
            self.add_error("reason", _("Say why you reject it."))

    def clean_content(self) -> str:
        """A browser sends line ends as CR LF; a memory keeps plain ones."""
        return str(self.cleaned_data["content"]).replace("\r\n", "\n")

    @property
    def versions(self) -> tuple[int, ...]:
        """The versions that the page showed, as decide() expects them."""
        sides = [side for side in ("new_version", "old_version") if side in self.fields]
        return tuple(self.cleaned_data[side] for side in sides)
