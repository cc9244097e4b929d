"""Feedback: what an agent or a person says of a memory that was recalled (C6)."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from memories.models.ids import new_id
from memories.models.memory import Memory
from memories.models.recall import Recall


class Feedback(models.Model):
    class Verdict(models.TextChoices):
        USEFUL = "useful", _("useful")
        WRONG = "wrong", _("wrong")
        STALE = "stale", _("no longer true")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    memory = models.ForeignKey(Memory, models.CASCADE, related_name="feedback")
    # The version that was spoken of: a later text is another statement.
    memory_version = models.PositiveIntegerField()
    recall = models.ForeignKey(
        Recall, models.SET_NULL, null=True, blank=True, related_name="feedback"
    )
    verdict = models.CharField(_("verdict"), max_length=8, choices=Verdict)
    note = models.CharField(_("note"), max_length=300, blank=True, default="")
    actor_kind = models.CharField(max_length=6)
    actor_id = models.UUIDField(null=True)
    actor_name = models.CharField(max_length=150)
    # Since when they are for it, or against it; the same side taken again changes nothing of that.
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            # One voice each on a text: saying it again replaces what was said (F3).
            models.UniqueConstraint(
                fields=["memory", "memory_version", "actor_kind", "actor_id"],
                nulls_distinct=False,
                name="feedback_once_per_actor",
            ),
            models.CheckConstraint(
                condition=models.Q(verdict__in=["useful", "wrong", "stale"]),
                name="feedback_verdict_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.actor_name}: {self.verdict}"


# What asks people about a memory, and speaks against it in ranking.
COMPLAINTS = (Feedback.Verdict.WRONG, Feedback.Verdict.STALE)
