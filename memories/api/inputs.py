"""What each endpoint takes: its shape, for the document too. The services judge the values."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from memories.api.fields import Each, Name, Number, Strict, Text, Until, Whole, user_id_field
from memories.inputs import MAX_NAME
from memories.lifecycle.feedback import MAX_NOTE
from memories.models.feedback import Feedback
from memories.models.memory import Kind, Source, Status, Visibility
from memories.reading import Filters
from memories.recall.question import MAX_QUERY, MAX_TOP_K
from memories.writing.batch import BATCH
from memories.writing.draft import (
    MAX_CONTENT,
    MAX_REFLECTION,
    MAX_TAG,
    MAX_TAGS,
)

MAX_REASON = 300
MAX_PAGE = 100


def _optional(most: int, help_text: str = "") -> Text:
    return Text(required=False, allow_blank=True, max_length=most, help_text=help_text)


def _tags() -> serializers.ListField:
    return serializers.ListField(
        child=Text(max_length=MAX_TAG, allow_blank=True), required=False, max_length=MAX_TAGS
    )


def _any_of(values: Any, help_text: str = "") -> serializers.ListField:
    choice = serializers.ChoiceField(choices=values)
    return serializers.ListField(child=choice, required=False, help_text=help_text)


class WriteInput(Strict):
    """One statement to keep. One memory is one idea, best under 200 characters."""

    content = Text(max_length=MAX_CONTENT)
    user_id = _optional(MAX_NAME, "The end user it is about; empty for none.")
    kind = serializers.ChoiceField(choices=Kind.choices, required=False)
    subject = _optional(MAX_NAME, "What it is about, as in “deploy target”.")
    reflection = _optional(MAX_REFLECTION, "The judgement added afterwards.")
    tags = _tags()
    metadata = serializers.DictField(required=False)
    happened_at = serializers.DateTimeField(required=False)
    source = serializers.ChoiceField(choices=Source.choices, required=False)  # type: ignore[assignment]
    confidence = Number(
        min_value=0.0,
        max_value=1.0,
        required=False,
        help_text="May only lower what the source is worth.",
    )
    visibility = serializers.ChoiceField(choices=Visibility.choices, required=False)
    session = _optional(MAX_NAME)
    idempotency_key = _optional(MAX_NAME, "Makes a retry harmless; or the header Idempotency-Key.")


class WriteManyInput(Strict):
    """Statements to keep, each as if it were written alone."""

    memories = Each(
        child=WriteInput(),
        min_length=1,
        max_length=BATCH,
        allow_empty=False,
        help_text="Each may have an idempotency_key of its own.",
    )


class UpdateInput(Strict):
    """What to change; a field left out stays as it is."""

    expected_version = Whole(min_value=1, help_text="The version you read.")
    user_id = user_id_field()
    reason = _optional(MAX_REASON)
    content = Text(required=False, max_length=MAX_CONTENT)
    kind = serializers.ChoiceField(choices=Kind.choices, required=False)
    subject = _optional(MAX_NAME)
    reflection = _optional(MAX_REFLECTION)
    tags = _tags()
    metadata = serializers.DictField(required=False)
    happened_at = serializers.DateTimeField(required=False)


class OneInput(Strict):
    """The query of a call about one memory or flag."""

    user_id = user_id_field()


class DeleteInput(OneInput):
    """The query of a deletion."""

    expected_version = Whole(min_value=1, required=False)
    reason = _optional(MAX_REASON)


class FeedbackInput(Strict):
    """What you say of a memory that you were given."""

    verdict = serializers.ChoiceField(
        choices=Feedback.Verdict.choices,
        help_text="useful; wrong: it never was true; stale: it is no longer true.",
    )
    note = _optional(MAX_NOTE, "Why, for the people who decide.")
    recall_id = serializers.UUIDField(
        required=False, help_text="The search of yours that returned it."
    )
    user_id = user_id_field()


class FilterInput(Strict):
    """Which memories, in the words of the MCP tool; what is left out does not restrict."""

    user_id = user_id_field()
    tags = serializers.ListField(
        child=Name(max_length=MAX_TAG, allow_blank=False),
        required=False,
        help_text="Only memories that have all of these.",
    )
    agent = Name(max_length=80, allow_blank=False, help_text="Only what this agent wrote.")
    session = Name(allow_blank=False, help_text="Only memories of this session.")
    since = serializers.DateTimeField(required=False, help_text="Only what happened from here on.")
    until = Until(required=False, help_text="Until here; a bare date includes that day.")
    min_confidence = Number(min_value=0.0, max_value=1.0, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a span of time that cannot contain anything."""
        since, until = attrs.get("since"), attrs.get("until")
        if since and until and since >= until:
            raise serializers.ValidationError({"until": _("until must be later than since.")})
        return attrs


class ListInput(FilterInput):
    """The query of a list of memories; repeat kind, status or tags for several."""

    kind = _any_of(Kind.choices)
    status = _any_of(Status.choices, "Default: active and pending.")
    cursor = serializers.UUIDField(required=False, help_text="The `next` of the page before.")
    limit = Whole(min_value=1, max_value=MAX_PAGE, default=20)


class VersionsInput(OneInput):
    """The query of a memory's history."""

    cursor = Whole(min_value=1, required=False, help_text="The `next` of the page before.")
    limit = Whole(min_value=1, max_value=MAX_PAGE, default=20)


class SearchInput(FilterInput):
    """A question, and which memories may answer it."""

    query = Text(max_length=MAX_QUERY)
    top_k = Whole(min_value=1, max_value=MAX_TOP_K, required=False)
    kind = serializers.ChoiceField(choices=Kind.choices, required=False)
    status = serializers.ChoiceField(
        choices=[status.value for status in Status if status != Status.DELETED],
        required=False,
        help_text="Default: active and pending.",
    )
    current_session = Name(help_text="The session you are in: its own memories rank higher.")


def filters_of(given: dict[str, Any]) -> Filters:
    """Take the filters of a list or a search out of validated input and return them."""
    names = ("tags", "agent", "session", "since", "until", "min_confidence")
    kind, status = given.pop("kind", ()), given.pop("status", ())
    return Filters(
        kinds=[kind] if isinstance(kind, str) else kind,
        statuses=[status] if isinstance(status, str) else status,
        **{name: given.pop(name) for name in names if name in given},
    )
