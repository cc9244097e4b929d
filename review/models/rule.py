"""Rule: a decision that a person wrote down once, for every flag of a certain sort (F5)."""

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from memories.models.agent import Agent
from memories.models.ids import new_id
from memories.models.space import Space

SHARE = [MinValueValidator(0.0), MaxValueValidator(1.0)]


class Rule(models.Model):
    """Conditions on a flag and on the memory it was opened for; an empty one does not restrict.

    The first active rule, by position, whose conditions all hold decides.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    space = models.ForeignKey(Space, models.CASCADE, related_name="rules")
    name = models.CharField(_("name"), max_length=80)
    is_active = models.BooleanField(_("active"), default=True)
    position = models.PositiveSmallIntegerField(_("position"), default=0)
    # Flag: its kind and the codes of why it was opened.
    kind = models.CharField(_("kind of item"), max_length=20)
    reasons = ArrayField(
        models.CharField(max_length=40), verbose_name=_("why flagged"), default=list, blank=True
    )
    # The memory that the flag was opened for.
    memory_kinds = ArrayField(
        models.CharField(max_length=12), verbose_name=_("kind"), default=list, blank=True
    )
    sources = ArrayField(
        models.CharField(max_length=20), verbose_name=_("source"), default=list, blank=True
    )
    agent = models.ForeignKey(
        Agent, models.CASCADE, null=True, blank=True, related_name="rules", verbose_name=_("agent")
    )
    least_confidence = models.FloatField(
        _("confidence at least"), null=True, blank=True, validators=SHARE
    )
    most_confidence = models.FloatField(
        _("confidence at most"), null=True, blank=True, validators=SHARE
    )
    # What it decides.
    choice = models.CharField(_("decision"), max_length=20)
    reason = models.CharField(_("reason"), max_length=12, blank=True, default="")
    created_by = models.CharField(max_length=150, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["space", "name"], name="rule_name_once_per_space")
        ]

    def __str__(self) -> str:
        return self.name
