"""Flag: what a rule could not safely decide. It waits here until a person does."""

from typing import TYPE_CHECKING, ClassVar
from uuid import UUID

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from memories.models.ids import new_id
from memories.models.memory import Memory
from memories.models.space import Space

if TYPE_CHECKING:
    from memories.permissions import Actor


class FlagQuerySet(models.QuerySet["Flag"]):
    def visible_to(self, actor: "Actor") -> "FlagQuerySet":
        """A flag is seen by whoever may see every memory that it speaks of.

        Its memories are of its space; who sees all of that one sees all flags, and the index of the
        queue finds them without a look at any memory.
        """
        here = self.filter(space_id=actor.space_id)
        if actor.kind != "agent" and "see_private" in actor.verbs:
            return here
        seen = here.filter(actor.sight("memory__")).filter(
            models.Q(counterpart__isnull=True) | actor.sight("counterpart__")
        )
        if actor.kind == "agent":
            # What is withheld reaches no agent, nor does what is said about it (F2).
            seen = seen.exclude(memory__withheld=True).exclude(counterpart__withheld=True)
            # What somebody complains of is for people: no screen has looked at their words.
            seen = seen.exclude(kind=Flag.Kind.FEEDBACK)
        return seen

    def open(self) -> "FlagQuerySet":
        return self.filter(status=Flag.Status.OPEN)

    def about(self, *memories: "Memory | UUID") -> "FlagQuerySet":
        """Return the flags that speak of any of these memories, on either side or as a source."""
        sides = (
            Flag.objects.filter(**{f"{side}__in": memories}).order_by().values("pk")
            for side in ("memory", "counterpart")
        )
        sources = FlagSource.objects.filter(memory__in=memories).order_by().values("flag")
        # A union, so that each part finds its rows by its index however many flags are open.
        return self.filter(pk__in=sources.union(*sides))


class Flag(models.Model):
    class Kind(models.TextChoices):
        """What the rules open. A module of review.kinds says how people decide each of them."""

        CONFLICT = "conflict"
        NEAR_DUPLICATE = "near_duplicate"
        MERGE = "merge"
        PENDING = "pending"
        CLEAN_UP = "clean_up"
        QUARANTINE = "quarantine"
        FEEDBACK = "feedback"

    class Status(models.TextChoices):
        OPEN = "open", _("open")
        RESOLVED = "resolved", _("resolved")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    space = models.ForeignKey(Space, models.CASCADE, related_name="flags")
    # No choices: a kind is a module of review.kinds, and a new one needs no migration.
    kind = models.CharField(_("kind"), max_length=20)
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
    # The operations that opened and resolved it (see history.together()): undoing follows them.
    opened_in = models.UUIDField(null=True, editable=False, db_index=True)
    resolved_in = models.UUIDField(null=True, editable=False, db_index=True)
    # Who should decide it, and until when nobody needs to look.
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="assigned_flags",
    )
    snoozed_until = models.DateTimeField(null=True, blank=True)
    # When the space's own rules have looked at it; empty: they have yet to.
    considered_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    resolved_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar = FlagQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index(fields=["space", "status", "-id"], name="flag_queue"),
            models.Index(
                fields=["id"],
                name="flag_unconsidered",
                condition=models.Q(status="open", considered_at__isnull=True),
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "memory", "counterpart"],
                condition=models.Q(status="open"),
                nulls_distinct=False,
                name="flag_open_once",
            ),
            models.CheckConstraint(
                condition=models.Q(status="open", resolved_at__isnull=True)
                | models.Q(status="resolved", resolved_at__isnull=False),
                name="flag_resolved_has_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.memory_id} / {self.counterpart_id}"


class FlagSource(models.Model):
    """One of the memories that a merge proposal would stand in for, as it was when proposed."""

    flag = models.ForeignKey(Flag, models.CASCADE, related_name="sources")
    memory = models.ForeignKey(Memory, models.CASCADE, related_name="+")
    memory_version = models.PositiveIntegerField()

    class Meta:
        ordering = ["memory_id"]
        constraints = [
            models.UniqueConstraint(fields=["flag", "memory"], name="flagsource_memory_once")
        ]

    def __str__(self) -> str:
        return f"{self.flag_id} ← {self.memory_id}"
