"""What the review endpoints give, for the OpenAPI document; tests hold it and payloads together."""

from typing import Any

from rest_framework import serializers

from memories.api.outputs import MemoryOutput
from memories.models.flag import Flag
from memories.models.memory import Status
from review.kinds import KINDS
from review.models import Batch, BatchItem

KIND_CODES = list(KINDS)
CHOICES = sorted({offer.choice for kind in KINDS.values() for offer in kind.offers})
SECOND_PERSON = "second_person"


def _next() -> serializers.UUIDField:
    return serializers.UUIDField(allow_null=True, help_text="The cursor of the page after.")


class DecisionOutput(serializers.Serializer[Any]):
    """What a person, or a rule a person wrote, decided."""

    id = serializers.UUIDField()
    flag_id = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=KIND_CODES, help_text="Of the flag.")
    choice = serializers.ChoiceField(choices=CHOICES)
    reason = serializers.CharField(help_text="Of a rejection; else empty.")
    note = serializers.CharField()
    content = serializers.CharField()
    user = serializers.CharField(help_text="The person's name, or the rule's.")
    automatic = serializers.BooleanField(help_text="Whether a rule decided.")
    batch_id = serializers.UUIDField(allow_null=True, help_text="Made with others, in a batch.")
    created_at = serializers.DateTimeField()
    undone_at = serializers.DateTimeField(allow_null=True)
    undone_by = serializers.CharField(help_text="Empty while it stands.")


class DecisionPage(serializers.Serializer[Any]):
    """Decisions, newest first, those undone since among them."""

    items = DecisionOutput(many=True)
    next = _next()


class FlaggedVersions(serializers.Serializer[Any]):
    """The versions that the memories had when the flag was opened."""

    new = serializers.IntegerField()
    old = serializers.IntegerField(allow_null=True)


class ClaimOutput(serializers.Serializer[Any]):
    """Who is looking at a flag."""

    user = serializers.CharField()
    until = serializers.DateTimeField(help_text="Then it lapses, unless claimed again.")
    mine = serializers.BooleanField()


class FlagOutput(serializers.Serializer[Any]):
    """`new` is the memory it was opened for, `old` what it speaks against, both as they are now."""

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=KIND_CODES)
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
    claim = ClaimOutput(allow_null=True, help_text="Null when nobody is looking, and for agents.")
    assignee = serializers.CharField(
        allow_null=True, help_text="Who should decide. Null for nobody in particular, for agents."
    )
    snoozed_until = serializers.DateTimeField(allow_null=True)


class FlagPage(serializers.Serializer[Any]):
    """Flags in the order that was asked for."""

    items = FlagOutput(many=True)
    next = serializers.CharField(allow_null=True, help_text="The cursor of the page after.")


class FlagCounts(serializers.Serializer[Any]):
    """How many flags wait, by kind, and how many are put off."""

    kinds = serializers.DictField(child=serializers.IntegerField())
    total = serializers.IntegerField()
    snoozed = serializers.IntegerField(help_text="Not among the others.")


class SourceOutput(serializers.Serializer[Any]):
    """One of the memories that a merge proposal would stand in for."""

    memory = MemoryOutput()
    flagged_version = serializers.IntegerField(help_text="Which it had when it was proposed.")


class StatusChange(serializers.Serializer[Any]):
    """A status now, and after the decision."""

    before = serializers.ChoiceField(choices=Status.choices)
    after = serializers.ChoiceField(choices=Status.choices)


class ConfidenceChange(serializers.Serializer[Any]):
    """A confidence now, and after the decision."""

    before = serializers.FloatField()
    after = serializers.FloatField()


class EffectOutput(serializers.Serializer[Any]):
    """What a decision would do to one memory."""

    memory_id = serializers.UUIDField()
    status = StatusChange()
    confidence = ConfidenceChange()


class OfferOutput(serializers.Serializer[Any]):
    """A decision that may be made on the flag."""

    choice = serializers.ChoiceField(choices=CHOICES)
    label = serializers.CharField()  # type: ignore[assignment]
    effect = serializers.CharField(help_text="What it will do, in a sentence.")
    takes_text = serializers.BooleanField(help_text="It needs `content`: your own text.")
    takes_reason = serializers.BooleanField(help_text="It needs a `reason`.")
    asks_note = serializers.CharField(help_text="What to say in `note`; empty: it may be left out.")
    effects = EffectOutput(many=True)


class CommentOutput(serializers.Serializer[Any]):
    """What somebody said about a flag."""

    id = serializers.UUIDField()
    user = serializers.CharField()
    text = serializers.CharField()
    created_at = serializers.DateTimeField()


class CommentPage(serializers.Serializer[Any]):
    """Comments, oldest first."""

    items = CommentOutput(many=True)
    next = _next()


class OneFlagOutput(FlagOutput):
    """A flag with all it takes to decide it. Offers and comments are for people: an agent sees
    none."""

    sources = SourceOutput(many=True, help_text="Of a merge proposal, in the order of versions.")
    offers = OfferOutput(many=True, help_text="None once it is decided.")
    comments = CommentOutput(many=True)


class DecidedOutput(FlagOutput):
    """A flag after a decision."""

    waiting_for = serializers.ChoiceField(
        choices=[SECOND_PERSON],
        allow_null=True,
        help_text="Set while it is still open: your text waits for somebody else's word.",
    )


class ItemCounts(serializers.Serializer[Any]):
    """How many items of a batch are in which state."""

    waiting = serializers.IntegerField()
    decided = serializers.IntegerField()
    refused = serializers.IntegerField(help_text="Not decided; `refusals` says why.")
    undone = serializers.IntegerField()
    kept = serializers.IntegerField(help_text="Could not be undone; `refusals` says why.")


class RefusalOutput(serializers.Serializer[Any]):
    """An item of a batch that was not decided, or not undone."""

    flag_id = serializers.UUIDField()
    state = serializers.ChoiceField(choices=[BatchItem.State.REFUSED, BatchItem.State.KEPT])
    why = serializers.CharField()


class RefusalPage(serializers.Serializer[Any]):
    """Refusals in the order of the batch."""

    items = RefusalOutput(many=True)
    next = serializers.IntegerField(allow_null=True, help_text="The cursor of the page after.")


class BatchOutput(serializers.Serializer[Any]):
    """One decision on many flags. A draft decides nothing until it is started."""

    id = serializers.UUIDField()
    state = serializers.ChoiceField(choices=Batch.State.choices)
    choice = serializers.ChoiceField(choices=CHOICES)
    reason = serializers.CharField(help_text="Of a rejection; else empty.")
    note = serializers.CharField()
    filter = serializers.CharField(help_text="As a query string; empty for flags named one by one.")
    user = serializers.CharField(help_text="Who made it.")
    created_at = serializers.DateTimeField()
    confirmed_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    counts = ItemCounts()
    refusals = RefusalPage()


class BacklogOutput(serializers.Serializer[Any]):
    """How many flags of a kind are open, by when they were opened."""

    kind = serializers.ChoiceField(choices=KIND_CODES)
    total = serializers.IntegerField()
    today = serializers.IntegerField()
    week = serializers.IntegerField(help_text="Before today, in the last 7 days.")
    month = serializers.IntegerField(help_text="Before that, in the last 30 days.")
    older = serializers.IntegerField()
    snoozed = serializers.IntegerField()
    assigned = serializers.IntegerField()


class OldestOutput(serializers.Serializer[Any]):
    """The flag that has been open longest."""

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=KIND_CODES)
    created_at = serializers.DateTimeField()


class DayOutput(serializers.Serializer[Any]):
    """Flags opened and decided on one day."""

    day = serializers.DateField()
    opened = serializers.IntegerField()
    decided = serializers.IntegerField()
    automatic = serializers.IntegerField(help_text="Of the decided ones, by rules.")


class WaitOutput(serializers.Serializer[Any]):
    """How long items waited until a person decided, in seconds; null when none did."""

    kind = serializers.CharField(help_text="Empty: of all kinds.")
    count = serializers.IntegerField()
    median = serializers.FloatField(allow_null=True)
    p90 = serializers.FloatField(allow_null=True)


class RateOutput(serializers.Serializer[Any]):
    """How often people accepted."""

    accepted = serializers.IntegerField()
    rejected = serializers.IntegerField()
    other = serializers.IntegerField(help_text="Decisions that say neither.")
    share = serializers.FloatField(help_text="Accepted of accepted and rejected, 0-1.")
    low = serializers.FloatField(help_text="The true share is at least this, with 95% confidence.")
    high = serializers.FloatField(help_text="And at most this.")


class AgentRate(RateOutput):
    """The same, of what one agent wrote."""

    agent = serializers.CharField(help_text="Empty: of what people wrote.")


class ReasonRate(RateOutput):
    """The same, of what was flagged for one reason."""

    kind = serializers.ChoiceField(choices=KIND_CODES)
    reason = serializers.CharField()


class DeciderOutput(serializers.Serializer[Any]):
    """How many decisions a person, or a rule, made."""

    name = serializers.CharField()
    made = serializers.IntegerField()
    undone = serializers.IntegerField(help_text="Of those made, undone since.")


class NumbersOutput(serializers.Serializer[Any]):
    """What waits now, and what was decided in the period. The largest come first."""

    open = serializers.IntegerField()
    snoozed = serializers.IntegerField()
    assigned = serializers.IntegerField()
    backlog = BacklogOutput(many=True)
    oldest = OldestOutput(allow_null=True)
    made = serializers.IntegerField()
    undone = serializers.IntegerField()
    automatic = serializers.IntegerField(help_text="By rules, of those that stand.")
    days = DayOutput(many=True)
    wait = WaitOutput()
    waits = WaitOutput(many=True)
    by_agent = AgentRate(many=True)
    by_reason = ReasonRate(many=True)
    people = DeciderOutput(many=True)
    rules = DeciderOutput(many=True)


class PolicyOutput(serializers.Serializer[Any]):
    """The numbers of the space."""

    version = serializers.IntegerField(help_text="0: nobody has changed the defaults yet.")
    numbers = serializers.DictField(help_text="By section, those that hold.")
    defaults = serializers.DictField(help_text="By section, as they are without a change.")
