"""Receipt: the answer once given to an idempotency key, so that a retry gets the same one (B10)."""

from django.db import models

from memories.models.memory import Memory
from memories.models.space import Space


class Receipt(models.Model):
    space = models.ForeignKey(Space, models.CASCADE, related_name="+")
    actor_kind = models.CharField(max_length=6)
    actor_id = models.UUIDField()
    key = models.CharField(max_length=200)
    request_hash = models.CharField(max_length=64)
    outcome = models.CharField(max_length=12)
    memory = models.ForeignKey(Memory, models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["actor_kind", "actor_id", "key"], name="receipt_key_once_per_actor"
            )
        ]

    def __str__(self) -> str:
        return f"{self.key}: {self.outcome}"
