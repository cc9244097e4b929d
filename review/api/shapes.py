"""What the review endpoints take and give, for validation and for the OpenAPI document."""

from typing import Any

from rest_framework import serializers

from memories.api.fields import Strict, Text, Whole, user_id_field
from memories.api.inputs import MAX_PAGE, MAX_REASON
from memories.api.outputs import MemoryOutput
from memories.lifecycle import Choice, Rejection
from memories.models.flag import Flag
from memories.writing.draft import MAX_CONTENT

CHOICES = [choice.value for choice in Choice]


class FlagsInput(Strict):
    """The query of a list of flags."""

    user_id = user_id_field()
    status = serializers.ChoiceField(choices=Flag.Status.choices, default=Flag.Status.OPEN.value)
    kind = serializers.ChoiceField(choices=Flag.Kind.choices, required=False)
    cursor = serializers.UUIDField(required=False, help_text="The `next` of the page before.")
    limit = Whole(min_value=1, max_value=MAX_PAGE, default=20)


class VersionsSeen(Strict):
    """The versions of the flag's memories that you read."""

    new = Whole(min_value=1)
    old = Whole(
        min_value=1,
        required=False,
        allow_null=True,
        help_text="Of a conflict's other memory; a pending flag has none.",
    )


class DecideInput(Strict):
    """A decision on a flag of a kind that offers it."""

    choice = serializers.ChoiceField(
        choices=CHOICES,
        help_text=(
            "On a conflict: keep_new, keep_old, both_true, merge. "
            "On a pending one: approve, edit_approve, reject."
        ),
    )
    expected_versions = VersionsSeen()
    content = Text(
        required=False,
        allow_blank=True,
        max_length=MAX_CONTENT,
        help_text="Your text, for merge and edit_approve.",
    )
    reason = serializers.ChoiceField(
        choices=Rejection.choices, required=False, help_text="Why it is wrong to keep, for reject."
    )
    note = Text(
        required=False,
        allow_blank=True,
        max_length=MAX_REASON,
        help_text="Why; for both_true, when or where each of them is.",
    )


class DecisionOutput(serializers.Serializer[Any]):
    """What a person decided."""

    choice = serializers.ChoiceField(choices=CHOICES)
    reason = serializers.CharField(help_text="Of a rejection; else empty.")
    note = serializers.CharField()
    content = serializers.CharField()
    user = serializers.CharField()
    created_at = serializers.DateTimeField()


class FlaggedVersions(serializers.Serializer[Any]):
    """The versions that the memories had when the flag was opened."""

    new = serializers.IntegerField()
    old = serializers.IntegerField(allow_null=True)


class FlagOutput(serializers.Serializer[Any]):
    """`new` is the memory it was opened for, `old` what it speaks against, both as they are now."""

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=Flag.Kind.choices)
    status = serializers.ChoiceField(choices=Flag.Status.choices)
    reason = serializers.CharField()
    scores = serializers.DictField()
    evidence = serializers.DictField()
    new = MemoryOutput()
    old = MemoryOutput(allow_null=True)
    flagged_versions = FlaggedVersions()
    created_at = serializers.DateTimeField()
    resolved_at = serializers.DateTimeField(allow_null=True)
    resolution = serializers.CharField(help_text="Empty while open.")
    decision = DecisionOutput(allow_null=True)


class FlagPage(serializers.Serializer[Any]):
    """Flags, newest first."""

    items = FlagOutput(many=True)
    next = serializers.UUIDField(allow_null=True, help_text="The cursor of the page after.")
