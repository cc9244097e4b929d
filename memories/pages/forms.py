"""Forms that change a memory."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from memories.inputs import MAX_NAME
from memories.models.feedback import Feedback
from memories.models.memory import Kind, Memory


class EditForm(forms.Form):
    """The fields a person may change, and the version they had before their eyes."""

    content = forms.CharField(label=_("Content"), widget=forms.Textarea({"rows": 5}), strip=False)
    reflection = forms.CharField(
        label=_("Reflection"), required=False, widget=forms.Textarea({"rows": 2})
    )
    kind = forms.ChoiceField(label=_("Kind"), choices=Kind.choices)
    subject = forms.CharField(label=_("Subject"), required=False, max_length=MAX_NAME)
    tags = forms.CharField(
        label=_("Tags"), required=False, help_text=_("Separated by commas."), empty_value=""
    )
    reason = forms.CharField(label=_("Why this change?"), required=False)
    version = forms.IntegerField(widget=forms.HiddenInput, min_value=1)

    @classmethod
    def of(cls, memory: Memory) -> "EditForm":
        """Return the form as it opens."""
        fields = ("content", "reflection", "kind", "subject", "version")
        initial = {name: getattr(memory, name) for name in fields}
        return cls(initial=initial | {"tags": ", ".join(memory.tags)})

    def changes(self, memory: Memory) -> dict[str, Any]:
        """Return what the person altered, as update_memory() takes it."""
        said = {
            name: self.cleaned_data[name] for name in ("content", "reflection", "kind", "subject")
        }
        said["tags"] = [
            tag.strip() for tag in self.cleaned_data["tags"].replace("，", ",").split(",")
        ]
        said["tags"] = [tag for tag in said["tags"] if tag]
        # A browser sends line ends as CR LF; a memory keeps plain ones.
        for name in ("content", "reflection"):
            said[name] = said[name].replace("\r\n", "\n")
        return {name: value for name, value in said.items() if value != getattr(memory, name)}


class FeedbackForm(forms.Form):
    verdict = forms.ChoiceField(choices=Feedback.Verdict.choices)
    note = forms.CharField(required=False)
    recall_id = forms.UUIDField(required=False)


class ChangeForm(forms.Form):
    """What every button on a memory's page sends: the version a person saw, and perhaps why."""

    reason = forms.CharField(label=_("Why?"), required=False)
    version = forms.IntegerField(widget=forms.HiddenInput, min_value=1)


class PinForm(ChangeForm):
    pinned = forms.BooleanField(required=False)
