"""The OpenAPI document's view of memories.payloads and recall.payload; tests hold them together."""

from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_field
from rest_framework import serializers

from memories.api.documented import RefusalSerializer
from memories.models.feedback import Feedback
from memories.models.memory import Kind, Source, Status, Visibility
from memories.writing import Outcome


class MemoryOutput(serializers.Serializer[Any]):
    """A memory as it is now."""

    id = serializers.UUIDField()
    content = serializers.CharField()
    kind = serializers.ChoiceField(choices=Kind.choices)
    subject = serializers.CharField()
    reflection = serializers.CharField()
    tags = serializers.ListField(child=serializers.CharField())
    metadata = serializers.DictField()
    user_id = serializers.CharField()
    agent = serializers.CharField(help_text="Who wrote it; empty for a person.")
    session = serializers.CharField()
    visibility = serializers.ChoiceField(choices=Visibility.choices)
    happened_at = serializers.DateTimeField(allow_null=True)
    source = serializers.ChoiceField(choices=Source.choices)  # type: ignore[assignment]
    confidence = serializers.FloatField(min_value=0.0, max_value=1.0)
    status = serializers.ChoiceField(choices=Status.choices)
    disputed = serializers.BooleanField(help_text="A person has yet to decide on a contradiction.")
    pinned = serializers.BooleanField(help_text="It never fades or expires.")
    expires_at = serializers.DateTimeField(
        allow_null=True, help_text="When it is archived unless somebody needs it before."
    )
    version = serializers.IntegerField(min_value=1)
    replaced_by = serializers.UUIDField(allow_null=True)
    heat = serializers.FloatField(
        min_value=0.0, help_text="Warmed by 1 with every recall, halved with every half-life since."
    )
    recall_count = serializers.IntegerField()
    last_recalled_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class WriteOutput(serializers.Serializer[Any]):
    """What became of a write."""

    outcome = serializers.ChoiceField(choices=[(one.value, one.value) for one in Outcome])
    reason = serializers.CharField()
    degraded = serializers.BooleanField(help_text="Stored; compared once the embedder is back.")
    memory = MemoryOutput()
    flags = serializers.ListField(child=serializers.UUIDField())


@extend_schema_field(
    PolymorphicProxySerializer(
        component_name="WriteResult",
        serializers=[WriteOutput, RefusalSerializer],
        resource_type_field_name=None,
    )
)
class _WriteResult(serializers.JSONField):
    """What a single write would have answered."""


class CountsOutput(serializers.Serializer[Any]):
    """How many of the statements ended in which way."""

    created = serializers.IntegerField(min_value=0)
    reinforced = serializers.IntegerField(min_value=0)
    duplicate = serializers.IntegerField(min_value=0)
    flagged = serializers.IntegerField(min_value=0)
    refused = serializers.IntegerField(min_value=0)


class WriteManyOutput(serializers.Serializer[Any]):
    """What became of each statement, in their order."""

    results = serializers.ListField(child=_WriteResult())
    counts = CountsOutput()


class FeedbackOutput(serializers.Serializer[Any]):
    """Feedback as it was recorded."""

    id = serializers.UUIDField()
    memory_id = serializers.UUIDField()
    version = serializers.IntegerField(min_value=1, help_text="The version that it speaks of.")
    verdict = serializers.ChoiceField(choices=Feedback.Verdict.choices)
    note = serializers.CharField()
    recall_id = serializers.UUIDField(allow_null=True)
    under_review = serializers.BooleanField(
        help_text="People are asked whether the memory holds; until they decide it stays in use."
    )


class MemoryPage(serializers.Serializer[Any]):
    """Memories, newest first."""

    items = MemoryOutput(many=True)
    next = serializers.UUIDField(allow_null=True, help_text="The cursor of the page after.")


class VersionOutput(serializers.Serializer[Any]):
    """What a memory said at one step, who made that step, and why."""

    number = serializers.IntegerField(min_value=1)
    reason = serializers.CharField()
    actor = serializers.CharField()
    actor_kind = serializers.ChoiceField(choices=["user", "agent", "system"])
    created_at = serializers.DateTimeField()
    content = serializers.CharField()
    kind = serializers.ChoiceField(choices=Kind.choices)
    subject = serializers.CharField()
    reflection = serializers.CharField()
    tags = serializers.ListField(child=serializers.CharField())
    metadata = serializers.DictField()
    happened_at = serializers.DateTimeField(allow_null=True)
    source = serializers.ChoiceField(choices=Source.choices)  # type: ignore[assignment]
    confidence = serializers.FloatField()
    status = serializers.ChoiceField(choices=Status.choices)


class VersionPage(serializers.Serializer[Any]):
    """A memory's history, newest first."""

    items = VersionOutput(many=True)
    next = serializers.IntegerField(allow_null=True, help_text="The cursor of the page after.")


class HitOutput(MemoryOutput):
    """A memory and why it was found."""

    rank = serializers.IntegerField(min_value=1)
    score = serializers.FloatField()
    arms = serializers.DictField(child=serializers.FloatField())
    parts = serializers.DictField(
        child=serializers.FloatField(),
        help_text="What each arm and rule added to the score or took from it: their sum.",
    )
    explanation = serializers.CharField()
    age = serializers.CharField()


class RecallOutput(serializers.Serializer[Any]):
    """The answer to a search, best first; an empty one is honest."""

    recall_id = serializers.UUIDField(allow_null=True)
    degraded = serializers.BooleanField(help_text="The embedder was away; words alone decided.")
    took_ms = serializers.FloatField()
    hits = HitOutput(many=True)
