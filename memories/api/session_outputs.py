"""The OpenAPI document's view of memories.sessions.payload; tests hold them together."""

from typing import Any

from rest_framework import serializers

from memories.models.distillation import Candidate, DistillationRun
from memories.models.memory import Kind, Source, Visibility
from memories.models.session import Session, Turn
from memories.sessions.reading import STATES


class SessionOutput(serializers.Serializer[Any]):
    """One conversation or task of an agent."""

    id = serializers.UUIDField()
    session = serializers.CharField(help_text="Its agent's own name of it.")
    user_id = serializers.CharField()
    agent = serializers.CharField()
    task = serializers.CharField()
    visibility = serializers.ChoiceField(choices=Visibility.choices)
    outcome = serializers.ChoiceField(choices=Session.Outcome.choices)
    state = serializers.ChoiceField(
        choices=list(STATES),
        help_text="Ended: it waits to be distilled. Failed: distilling it needs a person.",
    )
    turn_count = serializers.IntegerField(min_value=0)
    undistilled = serializers.IntegerField(
        min_value=0, help_text="Turns that no run has looked at yet."
    )
    purged_through = serializers.IntegerField(
        min_value=0, help_text="Turns up to this number were removed after their retention."
    )
    started_at = serializers.DateTimeField()
    last_turn_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    ended_by = serializers.ChoiceField(choices=Session.EndedBy.choices, allow_blank=True)


class SessionPage(serializers.Serializer[Any]):
    """Sessions, newest first."""

    items = SessionOutput(many=True)
    next = serializers.UUIDField(allow_null=True, help_text="The cursor of the page after.")


class TurnOutput(serializers.Serializer[Any]):
    """One thing that happened in a session."""

    id = serializers.UUIDField()
    session_id = serializers.UUIDField()
    number = serializers.IntegerField(min_value=1)
    key = serializers.CharField()
    type = serializers.ChoiceField(choices=Turn.Type.choices)
    role = serializers.ChoiceField(choices=Turn.Role.choices)
    speaker = serializers.CharField()
    content = serializers.CharField()
    tool = serializers.CharField()
    call_id = serializers.CharField()
    data = serializers.JSONField(allow_null=True)  # type: ignore[assignment]
    ok = serializers.BooleanField(allow_null=True, help_text="Null: nothing said so.")
    error = serializers.CharField()
    duration_ms = serializers.IntegerField(allow_null=True)
    happened_at = serializers.DateTimeField()
    created_at = serializers.DateTimeField()


class TurnPage(serializers.Serializer[Any]):
    """The turns of a session, in order."""

    items = TurnOutput(many=True)
    next = serializers.IntegerField(allow_null=True, help_text="The cursor of the page after.")


class FailedPage(serializers.Serializer[Any]):
    """Failed tool calls, the one recorded last first."""

    items = TurnOutput(many=True)
    next = serializers.UUIDField(allow_null=True, help_text="The cursor of the page after.")


class RecordedOutput(serializers.Serializer[Any]):
    """What became of some turns."""

    session = SessionOutput()
    added = serializers.IntegerField(min_value=0)
    repeated = serializers.IntegerField(min_value=0, help_text="Known already, by their key.")
    degraded = serializers.ListField(
        child=serializers.CharField(), help_text="“working_memory”: Redis was away; all is stored."
    )


class ContextHitOutput(serializers.Serializer[Any]):
    """A memory that stands in the text."""

    id = serializers.UUIDField()
    version = serializers.IntegerField(min_value=1)
    rank = serializers.IntegerField(min_value=1)
    score = serializers.FloatField()
    disputed = serializers.BooleanField()


class ContextOutput(serializers.Serializer[Any]):
    """A block to put before the model."""

    text = serializers.CharField()
    tokens = serializers.IntegerField(min_value=0)
    hits = ContextHitOutput(many=True)
    left_out = serializers.IntegerField(min_value=0, help_text="Memories that did not fit.")
    turns = serializers.ListField(
        child=serializers.IntegerField(), help_text="The numbers of the turns in the text."
    )
    degraded = serializers.ListField(
        child=serializers.CharField(), help_text="What was away: “working_memory”, “embedder”."
    )


class CandidateOutput(serializers.Serializer[Any]):
    """What a run considered, and why it was kept or not."""

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=Kind.choices)
    content = serializers.CharField()
    quote = serializers.CharField(help_text="The words it was made from.")
    turns = serializers.ListField(
        child=serializers.IntegerField(), help_text="The turns it comes from, the quoted one first."
    )
    subject = serializers.CharField()
    owner = serializers.CharField(help_text="Whose it is.")
    question = serializers.CharField(help_text="When anyone would look for it.")
    value = serializers.CharField(help_text="What it adds to a decision.")
    source = serializers.ChoiceField(choices=Source.choices)  # type: ignore[assignment]
    certainty = serializers.FloatField()
    worth = serializers.FloatField()
    confidence = serializers.FloatField()
    signals = serializers.DictField(child=serializers.FloatField())
    happened_at = serializers.DateTimeField(allow_null=True)
    verdict = serializers.ChoiceField(choices=Candidate.Verdict.choices)
    reason = serializers.CharField()
    memory_id = serializers.UUIDField(allow_null=True)


class RunOutput(serializers.Serializer[Any]):
    """One look back at a session."""

    id = serializers.UUIDField()
    state = serializers.ChoiceField(choices=DistillationRun.State.choices)
    distiller = serializers.ChoiceField(choices=DistillationRun.Distiller.choices)
    model = serializers.CharField()
    first_turn = serializers.IntegerField(min_value=1)
    last_turn = serializers.IntegerField(min_value=1)
    policy_version = serializers.IntegerField(min_value=0)
    note = serializers.CharField(help_text="Why it failed, or why the LLM was not used.")
    counts = serializers.DictField(help_text="Candidates by verdict and by reason.")
    started_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    candidates = CandidateOutput(many=True)


class DistillationOutput(serializers.Serializer[Any]):
    """A session and its runs, newest first."""

    session = SessionOutput()
    items = RunOutput(many=True)
    next = serializers.UUIDField(allow_null=True, help_text="The cursor of the page after.")
