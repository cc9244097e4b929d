"""What the endpoints of a memory's past take and return."""

from typing import Any

from rest_framework import serializers

from memories.api.fields import Strict, Text, Whole, YesNo, user_id_field
from memories.api.inputs import MAX_REASON, OneInput
from memories.api.outputs import MemoryOutput
from memories.graph.links import TYPES
from memories.lifecycle.proposing import MOST_SOURCES
from memories.writing.draft import MAX_CONTENT

_VERSION_READ = "The version you read. If it is no longer current, nothing is changed."


class RestoreVersionInput(Strict):
    """What restoring a version takes."""

    expected_version = Whole(min_value=1, help_text=_VERSION_READ)
    user_id = user_id_field()
    reason = Text(required=False, allow_blank=True, max_length=MAX_REASON)


class ShelfInput(Strict):
    """What archiving takes, and taking back."""

    expected_version = Whole(min_value=1, required=False, help_text=_VERSION_READ)
    user_id = user_id_field()
    reason = Text(required=False, allow_blank=True, max_length=MAX_REASON)


class PinInput(Strict):
    """Whether time may do anything to it."""

    pinned = YesNo(help_text="true: it never fades, expires or is proposed for clean-up.")
    expected_version = Whole(min_value=1, required=False, help_text=_VERSION_READ)
    user_id = user_id_field()


class ConsolidationInput(Strict):
    """Which memories should be one."""

    memory_ids = serializers.ListField(
        child=serializers.UUIDField(), min_length=2, max_length=MOST_SOURCES
    )
    content = Text(
        required=False,
        allow_blank=True,
        max_length=MAX_CONTENT,
        help_text="The one text. Left out, it is made of theirs with every fact kept.",
    )
    user_id = user_id_field()


class ConsolidationOutput(serializers.Serializer[Any]):
    """What waits for a person now; until they decide the memories stay in use."""

    flag = serializers.UUIDField(help_text="The review item.")
    memory_id = serializers.UUIDField(help_text="What would stand in for them, once accepted.")
    content = serializers.CharField()
    memory_ids = serializers.ListField(child=serializers.UUIDField())


class NeighbourOutput(serializers.Serializer[Any]):
    """A memory beside another one, and what connects them."""

    type = serializers.ChoiceField(choices=[(code, code) for code in TYPES])
    outward = serializers.BooleanField(
        help_text="Whether the link goes from the memory asked about to this one."
    )
    names = serializers.ListField(
        child=serializers.CharField(), help_text="What both mention, for the type “mentions”."
    )
    memory = MemoryOutput()


class LinksOutput(serializers.Serializer[Any]):
    """What a memory is connected with, the most telling links first."""

    items = NeighbourOutput(many=True)
    more = serializers.IntegerField(min_value=0, help_text="How many were left out.")


class CompareInput(OneInput):
    """The query of a comparison."""

    # The names that a query should have are no names in Python.
    vars()["from"] = Whole(min_value=1, help_text="The number of one version.")
    to = Whole(min_value=1, help_text="The number of the other.")


class PieceOutput(serializers.Serializer[Any]):
    """A run of text; both and old pieces make up the one text, both and new ones the other."""

    side = serializers.ChoiceField(choices=["both", "old", "new"])
    text = serializers.CharField()


class AlteredOutput(serializers.Serializer[Any]):
    """A field that differs."""

    field = serializers.CharField()
    before = serializers.JSONField(allow_null=True)
    after = serializers.JSONField(allow_null=True)


class ComparisonOutput(serializers.Serializer[Any]):
    """What became of one version by the time of the other, texts word by word."""

    vars()["from"] = serializers.IntegerField(min_value=1)
    to = serializers.IntegerField(min_value=1)
    content = PieceOutput(many=True)
    reflection = PieceOutput(many=True)
    altered = AlteredOutput(many=True)


class RecallsOutput(serializers.Serializer[Any]):
    """How often it was recalled, and the span of what the log still knows of that."""

    count = serializers.IntegerField()
    logged = serializers.IntegerField()
    first = serializers.DateTimeField(allow_null=True)
    last = serializers.DateTimeField(allow_null=True)


def _records(help_text: str) -> serializers.ListField:
    return serializers.ListField(child=serializers.DictField(), help_text=help_text)


class HistoryOutput(serializers.Serializer[Any]):
    """One memory with its whole past, oldest first; fields have the names of the tables."""

    format = serializers.CharField(help_text="“hindsight.memory_history”.")
    version = serializers.IntegerField(help_text="The version of the format.")
    exported_at = serializers.DateTimeField()
    memory = serializers.DictField()
    versions = _records("Every version with all of its fields.")
    events = _records("The audit log; an agent learns which fields changed, not into what.")
    flags = _records("The review items it took part in.")
    feedback = _records("What was said of it; for people.")
    links = _records("What it is to other memories, and they to it.")
    entities = serializers.ListField(child=serializers.CharField())
    replaces = serializers.ListField(child=serializers.UUIDField())
    recalls = RecallsOutput()
