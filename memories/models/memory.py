"""Memory: stable identity and current state. MemoryVersion: what it said at each step."""

from typing import TYPE_CHECKING, ClassVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models.functions import Upper
from django.utils.translation import gettext_lazy as _
from pgvector.django import HalfVectorField

from memories.models.agent import Agent
from memories.models.ids import new_id
from memories.models.space import Space

if TYPE_CHECKING:
    from memories.permissions import Actor


class Kind(models.TextChoices):
    PREFERENCE = "preference", _("preference")
    FACT = "fact", _("fact")
    CONSTRAINT = "constraint", _("constraint")
    DECISION = "decision", _("decision")
    INCIDENT = "incident", _("incident")
    DISCOVERY = "discovery", _("discovery")
    CORRECTION = "correction", _("correction")
    LESSON = "lesson", _("lesson")
    PROCEDURE = "procedure", _("procedure")


class Source(models.TextChoices):
    USER_INPUT = "user_input", _("user input")
    TOOL_RESULT = "tool_result", _("tool result")
    LLM_REASONING = "llm_reasoning", _("LLM reasoning")
    LLM_SUMMARY = "llm_summary", _("LLM summary")
    INCIDENT_ANALYSIS = "incident_analysis", _("incident analysis")
    PERSON = "person", _("confirmed by a person")
    UNKNOWN = "unknown", _("unknown")


class Status(models.TextChoices):
    PENDING = "pending", _("pending")
    ACTIVE = "active", _("active")
    SUPERSEDED = "superseded", _("superseded")
    OVERTURNED = "overturned", _("overturned")
    ARCHIVED = "archived", _("archived")
    DELETED = "deleted", _("deleted")


class Visibility(models.TextChoices):
    SHARED = "shared", _("shared in the space")
    PRIVATE = "private", _("private to its agent")


# In use, unless withheld: what recall may return and what a new write is compared with.
LIVE = (Status.ACTIVE, Status.PENDING)


def vector_of(model: str) -> models.Case:
    """Return the embedding that this model made, wherever it is; NULL without one (E9)."""
    return models.Case(
        models.When(embedding_model=model, then=models.F("embedding")),
        models.When(other_model=model, then=models.F("other_embedding")),
        output_field=HalfVectorField(),
    )


class MemoryQuerySet(models.QuerySet["Memory"]):
    def visible_to(self, actor: "Actor") -> "MemoryQuerySet":
        """Every read starts here (D1): what this actor may know of, and nothing else.

        What is withheld reaches no agent, not even the one that wrote it (F2).
        """
        seen = self.filter(actor.sight())
        return seen.filter(withheld=False) if actor.kind == "agent" else seen

    def live(self) -> "MemoryQuerySet":
        return self.filter(status__in=LIVE, withheld=False)

    def owned_like(self, memory: "Memory") -> "MemoryQuerySet":
        """What the same owner holds: one space and one user, and the same audience.

        A shared memory is never compared with a private one: the comparison itself would tell.
        """
        same = self.filter(
            space_id=memory.space_id, user_id=memory.user_id, visibility=memory.visibility
        )
        if memory.visibility == Visibility.PRIVATE and memory.agent_id is not None:
            same = same.filter(agent_id=memory.agent_id)
        return same


class Stated(models.Model):
    """The fields that a change may alter, the same on a memory and on each of its versions."""

    kind = models.CharField(_("kind"), max_length=12, choices=Kind, default=Kind.FACT)
    subject = models.CharField(_("subject"), max_length=200, blank=True, default="")
    content = models.TextField(_("content"))
    reflection = models.TextField(_("reflection"), blank=True, default="")
    tags = ArrayField(
        models.CharField(max_length=60), verbose_name=_("tags"), default=list, blank=True
    )
    metadata = models.JSONField(_("metadata"), default=dict, blank=True)
    happened_at = models.DateTimeField(_("happened"), null=True, blank=True)
    source = models.CharField(_("source"), max_length=20, choices=Source, default=Source.UNKNOWN)
    confidence = models.FloatField(
        _("confidence"), validators=[MinValueValidator(0.0), MaxValueValidator(1.0)]
    )
    status = models.CharField(_("status"), max_length=12, choices=Status, default=Status.ACTIVE)

    class Meta:
        abstract = True


STATED_FIELDS = tuple(field.name for field in Stated._meta.local_fields)
# What a version keeps besides, so that undoing restores it exactly.
KEPT_FIELDS = ("confirmed_at", "replaced_by_id", "withheld", "expires_at", "pinned")


# What only the database reads: vectors and index.
WIDE = ("embedding", "other_embedding", "keywords", "word_codes")


class Memory(Stated):
    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    space = models.ForeignKey(Space, models.CASCADE, related_name="memories")
    user_id = models.CharField(_("user"), max_length=200, blank=True, default="")
    agent = models.ForeignKey(
        Agent, models.SET_NULL, null=True, blank=True, related_name="memories"
    )
    session = models.CharField(_("session"), max_length=200, blank=True, default="")
    visibility = models.CharField(
        _("visibility"), max_length=8, choices=Visibility, default=Visibility.SHARED
    )
    version = models.PositiveIntegerField(_("version"), default=1)
    replaced_by = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="replaces"
    )
    # Set when a person decided on this text; from then on only people change it (F5).
    confirmed_at = models.DateTimeField(null=True, blank=True)
    # Kept from every agent until a person decides: in quarantine (F2), or only proposed.
    withheld = models.BooleanField(_("withheld"), default=False)

    # Pinned: it never fades, expires or is proposed for clean-up.
    pinned = models.BooleanField(_("pinned"), default=False)

    # How warm it was at `last_recalled_at`; what is left of it now policies.warmth() says (E5).
    heat = models.FloatField(default=0.0)
    recall_count = models.PositiveIntegerField(default=0)
    last_recalled_at = models.DateTimeField(null=True, blank=True)
    # When it will be archived unless somebody needs it before (E6); set as the warning.
    expires_at = models.DateTimeField(null=True, blank=True)

    content_hash = models.CharField(max_length=64, editable=False)
    # No fixed dimension: the model is a setting. Null until the embedder has seen the text.
    embedding = HalfVectorField(null=True, blank=True, editable=False)
    embedding_model = models.CharField(max_length=200, blank=True, default="", editable=False)
    # A second place, while the space changes its model: both live, none is compared with the
    # other, and which of the two is in use is one field of the space (E9).
    other_embedding = HalfVectorField(null=True, blank=True, editable=False)
    other_model = models.CharField(max_length=200, blank=True, default="", editable=False)
    # The version whose entities and links are in the graph; an older one waits for the job.
    linked_version = models.PositiveIntegerField(default=0, editable=False)
    keywords = SearchVectorField(null=True, editable=False)
    # A number for each word, in order, from which recall counts; and whether Chinese is in it.
    word_codes = models.BinaryField(default=b"", editable=False)
    han = models.BooleanField(default=False, editable=False)

    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects: ClassVar = MemoryQuerySet.as_manager()

    class Meta:
        verbose_name = _("memory")
        verbose_name_plural = _("memories")
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index(fields=["space", "user_id", "status"], name="memory_owner"),
            models.Index(fields=["space", "-id"], name="memory_newest"),
            models.Index(
                "space",
                "user_id",
                Upper("subject"),
                name="memory_subject",
                condition=~models.Q(subject=""),
            ),
            models.Index(
                fields=["space", "session"],
                name="memory_session",
                condition=~models.Q(session=""),
            ),
            models.Index(
                fields=["id"], name="memory_waiting", condition=models.Q(embedding__isnull=True)
            ),
            GinIndex(fields=["keywords"], name="memory_keywords"),
            models.Index(
                fields=["space", "id"],
                name="memory_unlinked",
                condition=models.Q(linked_version__lt=models.F("version")),
            ),
            models.Index(
                fields=["space", "expires_at"],
                name="memory_expiring",
                condition=models.Q(expires_at__isnull=False),
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(confidence__gte=0.0, confidence__lte=1.0),
                name="memory_confidence_range",
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=Status.values), name="memory_status_known"
            ),
            models.CheckConstraint(
                condition=models.Q(kind__in=Kind.values), name="memory_kind_known"
            ),
            models.CheckConstraint(
                condition=models.Q(source__in=Source.values), name="memory_source_known"
            ),
            models.CheckConstraint(
                condition=models.Q(visibility=Visibility.SHARED)
                | models.Q(visibility=Visibility.PRIVATE, agent__isnull=False),
                name="memory_private_has_agent",
            ),
            models.CheckConstraint(
                condition=models.Q(version__gte=1), name="memory_version_from_1"
            ),
            models.CheckConstraint(
                condition=~models.Q(content=""), name="memory_content_not_empty"
            ),
            models.UniqueConstraint(
                fields=["space", "user_id", "content_hash"],
                condition=models.Q(visibility=Visibility.SHARED, status__in=LIVE, withheld=False),
                name="memory_text_once_shared",
            ),
            models.UniqueConstraint(
                fields=["space", "user_id", "agent", "content_hash"],
                condition=models.Q(visibility=Visibility.PRIVATE, status__in=LIVE, withheld=False),
                name="memory_text_once_private",
            ),
        ]

    def __str__(self) -> str:
        return self.content[:80]


class MemoryVersion(Stated):
    """One immutable step of a memory's history; number 1 is how it was written."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    memory = models.ForeignKey(Memory, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    reason = models.CharField(max_length=300, blank=True, default="")
    actor_kind = models.CharField(max_length=6)
    actor_id = models.UUIDField(null=True)
    actor_name = models.CharField(max_length=150)
    # Everything that one decision changed has the same operation (see history.together()).
    operation = models.UUIDField(null=True)
    confirmed_at = models.DateTimeField(null=True)
    # No foreign key: the history outlives the memory that replaced this one.
    replaced_by_id = models.UUIDField(null=True)
    withheld = models.BooleanField(default=False)
    expires_at = models.DateTimeField(null=True)
    pinned = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-number"]
        indexes = [
            # What one operation changed, memory by memory: a run's undo reads it so.
            models.Index(fields=["operation", "memory"], name="memoryversion_operation"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["memory", "number"], name="memoryversion_number_once")
        ]

    def __str__(self) -> str:
        return f"{self.memory_id} v{self.number}"
