"""What the endpoints of sessions take. The services judge the values."""

from typing import Any

from rest_framework import serializers

from memories.api.fields import Name, Strict, Text, Whole, YesNo, user_id_field
from memories.api.inputs import MAX_PAGE, OneInput
from memories.inputs import MAX_NAME
from memories.models.memory import Visibility
from memories.models.session import Session, Turn
from memories.sessions.context import LEAST_TOKENS, MOST_TOKENS
from memories.sessions.reading import MAX_DAYS, STATES
from memories.sessions.recording import MAX_TASK
from memories.sessions.turns import MAX_CALL, MAX_CONTENT, MAX_DURATION

MAX_RUNS = 20


def _optional(most: int, help_text: str = "") -> Text:
    return Text(required=False, allow_blank=True, max_length=most, help_text=help_text)


class StartInput(Strict):
    """A session to open; naming one that exists opens nothing new."""

    session = _optional(MAX_NAME, "Your own name of it; left out, one is made.")
    user_id = user_id_field()
    task = _optional(MAX_TASK, "What it is about.")
    visibility = serializers.ChoiceField(
        choices=Visibility.choices,
        required=False,
        help_text="Private: what is distilled from it is private to the agent, too.",
    )
    started_at = serializers.DateTimeField(required=False)


class SessionsInput(Strict):
    """The query of a list of sessions."""

    user_id = user_id_field()
    agent = Name(max_length=80, allow_blank=False, help_text="Only sessions of this agent.")
    outcome = serializers.ChoiceField(choices=Session.Outcome.choices, required=False)
    state = serializers.ChoiceField(choices=list(STATES), required=False)
    text = Name(allow_blank=False, help_text="Only sessions whose name or task contains this.")
    cursor = serializers.UUIDField(required=False, help_text="The `next` of the page before.")
    limit = Whole(min_value=1, max_value=MAX_PAGE, default=20)


class TurnInput(Strict):
    """One thing that happened: what somebody said, a tool call, or its result."""

    type = serializers.ChoiceField(choices=Turn.Type.choices, required=False)
    role = serializers.ChoiceField(choices=Turn.Role.choices, required=False)
    speaker = _optional(MAX_NAME, "Who said it, where a role is not enough.")
    content = _optional(MAX_CONTENT)
    tool = _optional(MAX_NAME, "The tool's name.")
    call_id = _optional(MAX_NAME, "What ties a result to its call.")
    data = serializers.JSONField(  # type: ignore[assignment]
        required=False,
        allow_null=True,
        help_text="A call's arguments, or its structured result.",
    )
    ok = YesNo(required=False, allow_null=True, help_text="Whether the tool call worked.")
    error = _optional(MAX_CONTENT, "What went wrong.")
    duration_ms = Whole(min_value=0, max_value=MAX_DURATION, required=False, allow_null=True)
    happened_at = serializers.DateTimeField(required=False)
    key = _optional(MAX_NAME, "Your own name of this turn: a retry under it adds nothing.")


class TurnsInput(Strict):
    """Turns in the order in which they happened."""

    user_id = user_id_field()
    turns = TurnInput(many=True, allow_empty=False, max_length=MAX_CALL)  # type: ignore[call-arg]


class TurnsPageInput(OneInput):
    """The query of a session's turns."""

    cursor = Whole(min_value=0, required=False, help_text="The `next` of the page before.")
    limit = Whole(min_value=1, max_value=MAX_PAGE, default=20)


class EndInput(Strict):
    """How a session ended."""

    user_id = user_id_field()
    outcome = serializers.ChoiceField(choices=Session.Outcome.choices, required=False)


class ContextInput(Strict):
    """What the next turn is about."""

    user_id = user_id_field()
    query = Text(
        required=False,
        allow_blank=True,
        max_length=MAX_CONTENT,
        help_text="What was asked; of a long text the end counts. Left out: the user's last words.",
    )
    budget = Whole(
        min_value=LEAST_TOKENS,
        max_value=MOST_TOKENS,
        required=False,
        help_text="Tokens the text may have. Left out: as many as the space's policy says.",
    )


class RunsInput(OneInput):
    """The query of a session's distillation runs."""

    cursor = serializers.UUIDField(required=False, help_text="The `next` of the page before.")
    limit = Whole(min_value=1, max_value=MAX_RUNS, default=5)


class FailedInput(Strict):
    """The query of failed tool calls."""

    user_id = user_id_field()
    days = Whole(min_value=1, max_value=MAX_DAYS, default=7, help_text="How far to look back.")
    cursor = serializers.UUIDField(required=False, help_text="The `next` of the page before.")
    limit = Whole(min_value=1, max_value=MAX_PAGE, default=20)


def turns_of(given: dict[str, Any]) -> list[dict[str, Any]]:
    """Take the turns out of validated input as plain mappings."""
    return [dict(turn) for turn in given.pop("turns")]
