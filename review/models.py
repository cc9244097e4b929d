"""Claim: who is looking at a flag. Decision: what a person decided, and why."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from memories.lifecycle import Choice, Rejection
from memories.models.flag import Flag
from memories.models.ids import new_id


class Claim(models.Model):
    """One person at a time works on a flag; a claim that is not renewed lapses."""

    flag = models.OneToOneField(Flag, models.CASCADE, related_name="claim")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="claims")
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.user} → {self.flag_id}"


class Decision(models.Model):
    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    flag = models.OneToOneField(Flag, models.CASCADE, related_name="decision")
    # A decision is for people (F5); it outlives the account of who made it, by name.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="decisions"
    )
    user_name = models.CharField(max_length=150)
    choice = models.CharField(
        _("decision"), max_length=12, choices=[(choice.value, choice.value) for choice in Choice]
    )
    # Set with a rejection, and only then.
    reason = models.CharField(_("reason"), max_length=12, choices=Rejection, blank=True, default="")
    note = models.CharField(_("note"), max_length=300, blank=True, default="")
    content = models.TextField(_("text"), blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(choice__in=[choice.value for choice in Choice]),
                name="decision_choice_known",
            ),
            models.CheckConstraint(
                condition=models.Q(choice=Choice.REJECT.value, reason__in=Rejection.values)
                | ~models.Q(choice=Choice.REJECT.value) & models.Q(reason=""),
                name="decision_rejection_has_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_name}: {self.choice}"
