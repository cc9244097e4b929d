"""The graph (A3, J1): entities that memories mention, and what one memory is to another.

What other tables say already – a conflict, a successor, the sources of a merge, one session – is
read there and not kept twice; memories/graph puts all of it together.
"""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.utils.translation import gettext_lazy as _

from memories.models.agent import Agent
from memories.models.ids import new_id
from memories.models.memory import Memory
from memories.models.space import Space


class Entity(models.Model):
    """Something with a name, as one owner's memories know it.

    An owner is one user and one audience: names and aliases that a private memory taught are
    nobody else's (D1). `keys` are all names it goes by, folded for comparison.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    space = models.ForeignKey(Space, models.CASCADE, related_name="entities")
    user_id = models.CharField(max_length=200, blank=True, default="")
    # The agent whose private memories know it; empty for what is shared.
    agent = models.ForeignKey(Agent, models.CASCADE, null=True, blank=True, related_name="+")
    name = models.CharField(_("name"), max_length=120)
    key = models.CharField(max_length=120)
    keys = ArrayField(models.CharField(max_length=120), default=list)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("entity")
        verbose_name_plural = _("entities")
        indexes = [GinIndex(fields=["keys"], name="entity_keys")]
        constraints = [
            models.UniqueConstraint(
                fields=["space", "user_id", "agent", "key"],
                nulls_distinct=False,
                name="entity_once_per_owner",
            )
        ]

    def __str__(self) -> str:
        return self.name


class Mention(models.Model):
    """A memory that speaks of an entity."""

    memory = models.ForeignKey(Memory, models.CASCADE, related_name="mentions")
    entity = models.ForeignKey(Entity, models.CASCADE, related_name="mentions")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["memory", "entity"], name="mention_once")]

    def __str__(self) -> str:
        return f"{self.memory_id} – {self.entity_id}"


class Link(models.Model):
    """What one memory is to another of the same owner, where no other table says so."""

    class Type(models.TextChoices):
        SUPPORTS = "supports", _("supports")
        CAUSED_BY = "caused_by", _("caused by")

    class Origin(models.TextChoices):
        RULES = "rules", _("rules")
        LLM = "llm", _("LLM")

    source = models.ForeignKey(Memory, models.CASCADE, related_name="links")
    target = models.ForeignKey(Memory, models.CASCADE, related_name="links_to")
    type = models.CharField(_("type"), max_length=9, choices=Type)
    origin = models.CharField(max_length=5, choices=Origin, default=Origin.RULES)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "target", "type"], name="link_once"),
            models.CheckConstraint(
                condition=~models.Q(source=models.F("target")), name="link_between_two"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source_id} {self.type} {self.target_id}"
