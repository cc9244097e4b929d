"""SavedView: a filter of the queue that a person comes back to."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from memories.models.space import Space


class SavedView(models.Model):
    space = models.ForeignKey(Space, models.CASCADE, related_name="review_views")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="review_views")
    name = models.CharField(_("name"), max_length=60)
    # The filter as the address has it.
    query = models.CharField(max_length=1000)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["space", "user", "name"], name="view_name_once")
        ]

    def __str__(self) -> str:
        return self.name
