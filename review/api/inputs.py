"""What the review endpoints take, for validation and for the OpenAPI document."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from memories.api.fields import Name, Strict, Text, Whole, YesNo, user_id_field
from memories.api.inputs import MAX_PAGE, MAX_REASON
from memories.models.memory import Source
from memories.writing.draft import MAX_CONTENT
from review.api.shapes import CHOICES, KIND_CODES
from review.bulk.previewing import MOST_PICKED
from review.filters import CHOICES as WORDS
from review.handling import MOST_LETTERS
from review.models import Rejection

MAX_DAYS = 365
REASON_CODES = sorted(WORDS["reason"])


def _word(name: str, help_text: str = "", **options: Any) -> serializers.ChoiceField:
    return serializers.ChoiceField(
        choices=sorted(WORDS[name]), help_text=help_text, **{"required": False} | options
    )


def _reason_field() -> serializers.ChoiceField:
    return serializers.ChoiceField(
        choices=Rejection.choices, required=False, help_text="Why it is wrong to keep, for reject."
    )


def _note_field(help_text: str) -> Text:
    return Text(required=False, allow_blank=True, max_length=MAX_REASON, help_text=help_text)


class Nothing(Strict):
    """The body of a call that takes no input: an empty object, or none."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Return nothing, or raise ValidationError for anything."""
        if isinstance(data, dict) and data:
            sentence = _("This call takes no input.")
            raise serializers.ValidationError({name: [sentence] for name in sorted(data)})
        return super().to_internal_value(data)


class NarrowInput(Strict):
    """Which flags; what is left out does not restrict. Most of it is about the new memory."""

    reason = _word("reason", "The code of why it was flagged.")
    agent = Name(max_length=80, allow_blank=False, help_text="Only what this agent wrote.")
    session = Name(allow_blank=False, help_text="Only what comes from this session.")
    source = serializers.ChoiceField(choices=Source.choices, required=False)  # type: ignore[assignment]
    confidence = _word("confidence", "low < 0.6 ≤ middle < 0.8 ≤ high")
    age = _word("age", "The flag's: of the last 24 hours, the last 7 days, or older.")
    language = _word("language", "What the text is written in.")
    assignee = Name(allow_blank=False, help_text="“me”, “nobody” or a person's name.")
    text = Name(allow_blank=False, help_text="Words that one of the memories has, all of them.")


class QueueInput(NarrowInput):
    """The same, of one kind."""

    kind = serializers.ChoiceField(choices=KIND_CODES, required=False)


class CountsInput(NarrowInput):
    """The query of the counts by kind."""

    user_id = Name(allow_blank=False, help_text="Only what is about this end user.")


class FlagsInput(QueueInput):
    """The query of a list of flags."""

    user_id = user_id_field()
    state = _word("state", "open: waits now; snoozed: put off.", default="open")
    sort = _word("sort", default="priority")
    cursor = Text(
        required=False, max_length=300, help_text="The `next` of the page before, in its sort."
    )
    limit = Whole(min_value=1, max_value=MAX_PAGE, default=20)


class VersionsSeen(Strict):
    """The versions of the flag's memories that you read."""

    new = Whole(min_value=1)
    old = Whole(
        min_value=1,
        required=False,
        allow_null=True,
        help_text="Of the other memory, where the flag has one.",
    )
    sources = serializers.ListField(
        child=Whole(min_value=1),
        required=False,
        max_length=100,
        help_text="Of a merge proposal's sources, in the order in which the flag lists them.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse an old version beside sources: no flag has both."""
        if attrs.get("old") and attrs.get("sources"):
            raise serializers.ValidationError({"sources": _("Name old or sources, not both.")})
        return attrs


class DecideInput(Strict):
    """A decision on a flag of a kind that offers it."""

    choice = serializers.ChoiceField(choices=CHOICES, help_text="One of the flag's `offers`.")
    expected_versions = VersionsSeen()
    content = Text(
        required=False,
        allow_blank=True,
        max_length=MAX_CONTENT,
        help_text="Your text, for an offer that takes one.",
    )
    reason = _reason_field()
    note = _note_field("Why; for both_true, when or where each of them is.")


class ClaimInput(Strict):
    """How to claim a flag."""

    take_over = YesNo(
        default=False, help_text="Take it from whoever is looking at it; ask them first."
    )


class SnoozeInput(Strict):
    """Until when nobody needs to look."""

    until = serializers.DateTimeField(help_text="At most a year from now.")


class AssignInput(Strict):
    """Who should decide."""

    user = Name(
        required=True,
        allow_null=True,
        allow_blank=False,
        max_length=150,
        help_text="The name of somebody who may; null for nobody.",
    )


class CommentInput(Strict):
    """What to say to the others who look at a flag."""

    text = Text(max_length=MOST_LETTERS)


class CommentsInput(Strict):
    """The query of a list of comments."""

    cursor = serializers.UUIDField(required=False, help_text="The `next` of the page before.")
    limit = Whole(min_value=1, max_value=MAX_PAGE, default=50)


class DecisionsInput(Strict):
    """The query of a list of decisions."""

    user = Name(max_length=150, allow_blank=False, help_text="The person's name, or the rule's.")
    choice = serializers.ChoiceField(choices=CHOICES, required=False)
    automatic = YesNo(required=False, help_text="Whether a rule decided.")
    batch = serializers.UUIDField(required=False, help_text="Only decisions of this batch.")
    since = serializers.DateTimeField(required=False, help_text="Only what was decided from then.")
    cursor = serializers.UUIDField(required=False, help_text="The `next` of the page before.")
    limit = Whole(min_value=1, max_value=MAX_PAGE, default=20)


class BatchFilter(QueueInput):
    """Which of the flags that wait."""

    user_id = Name(allow_blank=False, help_text="Only what is about this end user.")


class BatchInput(Strict):
    """One decision on many flags: those named, or all that match a filter."""

    choice = serializers.ChoiceField(
        choices=CHOICES, help_text="One that needs no words of its own for each flag."
    )
    reason = _reason_field()
    note = _note_field("Why; kept with every decision.")
    flags = serializers.ListField(
        child=serializers.UUIDField(),
        required=False,
        allow_empty=False,
        max_length=MOST_PICKED,
    )
    filter = BatchFilter(required=False, help_text="An empty one matches all that wait.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse both or neither way of choosing."""
        if ("flags" in attrs) == ("filter" in attrs):
            sentence = _("Name the flags one by one or by a filter: one of the two.")
            raise serializers.ValidationError({"flags": sentence})
        return attrs


class RefusalsInput(Strict):
    """The query of a batch: its page of items that were not decided, or not undone."""

    cursor = Whole(min_value=0, required=False, help_text="The `next` of the page before.")
    limit = Whole(min_value=1, max_value=MAX_PAGE, default=20)


class NumbersInput(Strict):
    """The query of the numbers."""

    days = Whole(min_value=1, max_value=MAX_DAYS, default=30, help_text="Today is one of them.")
