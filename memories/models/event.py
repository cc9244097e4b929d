"""Event: one row of the audit log. It is only ever added to; a database trigger refuses updates."""

from django.db import models

from memories.models.ids import new_id
from memories.models.space import Space


class Event(models.Model):
    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    space = models.ForeignKey(Space, models.CASCADE, related_name="events")
    # Not a foreign key: the log outlives the memory it speaks of.
    memory_id = models.UUIDField(null=True, db_index=True)
    verb = models.CharField(max_length=40)
    actor_kind = models.CharField(max_length=6)
    actor_id = models.UUIDField(null=True)
    actor_name = models.CharField(max_length=150)
    data = models.JSONField(default=dict)
    # Everything that one decision changed has the same operation (see history.together()).
    operation = models.UUIDField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["space", "-id"], name="event_newest")]

    def __str__(self) -> str:
        return f"{self.actor_name} {self.verb} {self.memory_id}"
