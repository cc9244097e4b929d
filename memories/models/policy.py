"""Policy: the numbers of a space, a row a version; memories/policies.py gives them types."""

from django.db import models

from memories.models.ids import new_id
from memories.models.space import Space


class Policy(models.Model):
    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    space = models.ForeignKey(Space, models.CASCADE, related_name="policies")
    version = models.PositiveIntegerField(default=1)
    # Only what differs from the defaults, so that a better default reaches every space.
    numbers = models.JSONField(default=dict)
    note = models.CharField(max_length=300, blank=True, default="")
    actor_name = models.CharField(max_length=150, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "policies"
        ordering = ["-version"]
        constraints = [
            models.UniqueConstraint(fields=["space", "version"], name="policy_version_once")
        ]

    def __str__(self) -> str:
        return f"{self.space} v{self.version}"
