"""Tombstone: what is left of a memory that was removed for good (B9, E6). No word of it."""

from django.db import models

from memories.models.space import Space


class Tombstone(models.Model):
    class Why(models.TextChoices):
        RETENTION = "retention"  # it lay in the trash for the policy's time
        ERASED = "erased"  # everything about its user was erased

    # The id that the memory had: its events still speak of it.
    id = models.UUIDField(primary_key=True, editable=False)
    space = models.ForeignKey(Space, models.CASCADE, related_name="tombstones")
    # HMAC-SHA256 of owner and text under the product's secret: says whether a text is this one,
    # and nothing to whoever has the database alone.
    digest = models.CharField(max_length=64, db_index=True, editable=False)
    why = models.CharField(max_length=9, choices=Why)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return str(self.pk)
