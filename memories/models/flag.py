"""Flag: what a rule could not safely decide. It waits here until a person does."""

from typing import TYPE_CHECKING, ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from memories.models.ids import new_id
from memories.models.memory import Memory
from memories.models.space import Space

if TYPE_CHECKING:
    from memories.permissions import Actor


class FlagQuerySet(models.QuerySet["Flag"]):
    def visible_to(self, actor: "Actor") -> "FlagQuerySet":
        """A flag is seen by whoever may see every memory that it speaks of."""
        return self.filter(actor.sight("memory__")).filter(
            models.Q(counterpart__isnull=True) | actor.sight("counterpart__")
        )

    def open(self) -> "FlagQuerySet":
        return self.filter(status=Flag.Status.OPEN)


class Flag(models.Model):
    class Kind(models.TextChoices):
        CONFLICT = "conflict", _("conflict")
        NEAR_DUPLICATE = "near_duplicate", _("near-duplicate")
        PENDING = "pending", _("low confidence")

    class Status(models.TextChoices):
        OPEN = "open", _("open")
        RESOLVED = "resolved", _("resolved")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    space = models.ForeignKey(Space, models.CASCADE, related_name="flags")
    kind = models.CharField(_("kind"), max_length=20, choices=Kind)
    status = models.CharField(max_length=10, choices=Status, default=Status.OPEN)
    memory = models.ForeignKey(Memory, models.CASCADE, related_name="flags")
    counterpart = models.ForeignKey(
        Memory, models.CASCADE, null=True, blank=True, related_name="counter_flags"
    )
    # The versions that were compared: a decision on other versions would be about other texts.
    memory_version = models.PositiveIntegerField()
    counterpart_version = models.PositiveIntegerField(null=True, blank=True)
    reason = models.CharField(_("reason"), max_length=40)
    scores = models.JSONField(default=dict)
    evidence = models.JSONField(default=dict)
    resolution = models.CharField(max_length=20, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    resolved_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar = FlagQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index(fields=["space", "status", "-id"], name="flag_queue"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "memory", "counterpart"],
                condition=models.Q(status="open"),
                nulls_distinct=False,
                name="flag_open_once",
            ),
            models.CheckConstraint(
                condition=models.Q(kind__in=["conflict", "near_duplicate", "pending"]),
                name="flag_kind_known",
            ),
            models.CheckConstraint(
                condition=models.Q(status="open", resolved_at__isnull=True)
                | models.Q(status="resolved", resolved_at__isnull=False),
                name="flag_resolved_has_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.memory_id} / {self.counterpart_id}"
