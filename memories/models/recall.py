"""Recall: one logged query. Hit: one memory it returned, with the arms that found it."""

from django.db import models

from memories.models.ids import new_id
from memories.models.memory import Memory
from memories.models.space import Space


class Recall(models.Model):
    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    space = models.ForeignKey(Space, models.CASCADE, related_name="recalls")
    actor_kind = models.CharField(max_length=6)
    actor_id = models.UUIDField(null=True)
    actor_name = models.CharField(max_length=150)
    user_id = models.CharField(max_length=200, blank=True, default="")
    session = models.CharField(max_length=200, blank=True, default="")
    query = models.TextField()
    filters = models.JSONField(default=dict)
    policy_version = models.PositiveIntegerField()
    degraded = models.BooleanField(default=False)
    took_ms = models.FloatField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["space", "-id"], name="recall_newest")]

    def __str__(self) -> str:
        return self.query[:80]


class Hit(models.Model):
    recall = models.ForeignKey(Recall, models.CASCADE, related_name="hits")
    # Its index is the one below, by which the recalls of a memory since some day are counted too.
    memory = models.ForeignKey(Memory, models.CASCADE, related_name="hits", db_index=False)
    rank = models.PositiveSmallIntegerField()
    score = models.FloatField()
    arms = models.JSONField(default=dict)

    class Meta:
        ordering = ["rank"]
        indexes = [models.Index(fields=["memory", "recall"], name="hit_memory_recall")]
        constraints = [
            models.UniqueConstraint(fields=["recall", "rank"], name="hit_rank_once"),
            models.UniqueConstraint(fields=["recall", "memory"], name="hit_memory_once"),
        ]

    def __str__(self) -> str:
        return f"{self.rank}. {self.memory_id}"
