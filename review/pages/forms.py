"""The form of a decision."""

from django import forms
from django.utils.translation import gettext_lazy as _

from memories.lifecycle import Choice

CHOICES = [
    (Choice.KEEP_NEW.value, _("Keep new")),
    (Choice.KEEP_OLD.value, _("Keep old")),
    (Choice.BOTH_TRUE.value, _("Both are true")),
    (Choice.MERGE.value, _("Merge")),
]
# What each decision will do, said before it is done.
EFFECTS = {
    Choice.KEEP_NEW.value: _(
        "The new one becomes active. The old one is superseded: agents no longer recall it."
    ),
    Choice.KEEP_OLD.value: _(
        "The old one stays. The new one is overturned and keeps a link to the old one."
    ),
    Choice.BOTH_TRUE.value: _(
        "Both become active. Your note is added to both and says when or where each is true."
    ),
    Choice.MERGE.value: _(
        "Your text becomes the next version of the new one. The old one is superseded."
    ),
}


class DecisionForm(forms.Form):
    """What a person decided, and the versions they had before their eyes."""

    choice = forms.ChoiceField(
        label=_("What is true?"),
        choices=CHOICES,
        error_messages={"required": _("Choose one of the four decisions.")},
    )
    content = forms.CharField(label=_("Merged text"), required=False, strip=False)
    note = forms.CharField(label=_("Note"), required=False)
    new_version = forms.IntegerField(min_value=1)
    old_version = forms.IntegerField(min_value=1)

    def clean_content(self) -> str:
        """A browser sends line ends as CR LF; a memory keeps plain ones."""
        return str(self.cleaned_data["content"]).replace("\r\n", "\n")

    @property
    def versions(self) -> tuple[int, int]:
        """The versions of (new, old) that the page showed."""
        return self.cleaned_data["new_version"], self.cleaned_data["old_version"]
