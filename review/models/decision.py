"""Decision: what a person, or a rule that a person wrote, decided on a flag, and why."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from memories.models.flag import Flag
from memories.models.ids import new_id
from review.models.batch import Batch
from review.models.rule import Rule


class Rejection(models.TextChoices):
    """Why a person rejects a memory."""

    WRONG = "wrong", _("wrong")
    OUTDATED = "outdated", _("outdated")
    DUPLICATE = "duplicate", _("known already")
    PRIVATE = "private", _("too private to keep")
    INJECTION = "injection", _("written to steer agents")
    TRIVIAL = "trivial", _("not worth keeping")


class DecisionQuerySet(models.QuerySet["Decision"]):
    def standing(self) -> "DecisionQuerySet":
        """What was not undone."""
        return self.filter(undone_at__isnull=True)


class Decision(models.Model):
    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    flag = models.ForeignKey(Flag, models.CASCADE, related_name="decisions")
    # A decision is for people (F5); it outlives the account of who made it, by name.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="decisions"
    )
    # Of the person; of the rule, when a rule decided.
    user_name = models.CharField(max_length=150)
    rule = models.ForeignKey(Rule, models.SET_NULL, null=True, blank=True, related_name="decisions")
    batch = models.ForeignKey(
        Batch, models.SET_NULL, null=True, blank=True, related_name="decisions"
    )
    # Whether a rule decided: stays when the rule is deleted.
    automatic = models.BooleanField(default=False)
    choice = models.CharField(_("decision"), max_length=20)
    # Set with a rejection, and only then.
    reason = models.CharField(_("reason"), max_length=12, choices=Rejection, blank=True, default="")
    note = models.CharField(_("note"), max_length=300, blank=True, default="")
    content = models.TextField(_("text"), blank=True, default="")
    # What undoing follows; empty on decisions made before there was an undo.
    operation = models.UUIDField(null=True, unique=True, editable=False)
    # What it taught of writers: {"<agent id>": [upheld, found wrong]}.
    lessons = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.CharField(max_length=150, blank=True, default="")

    objects: ClassVar = DecisionQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["flag"],
                condition=models.Q(undone_at__isnull=True),
                name="decision_stands_once",
            ),
            models.CheckConstraint(
                condition=models.Q(choice="reject", reason__in=Rejection.values)
                | ~models.Q(choice="reject") & models.Q(reason=""),
                name="decision_rejection_has_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_name}: {self.choice}"
