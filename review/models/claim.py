"""Claim: who is looking at a flag."""

from django.conf import settings
from django.db import models

from memories.models.flag import Flag


class Claim(models.Model):
    """One person at a time works on a flag; a claim that is not renewed lapses."""

    flag = models.OneToOneField(Flag, models.CASCADE, related_name="claim")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="claims")
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.user} → {self.flag_id}"
