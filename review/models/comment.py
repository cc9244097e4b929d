"""Comment: what people say to one another about a flag."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from memories.models.flag import Flag
from memories.models.ids import new_id


class Comment(models.Model):
    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    flag = models.ForeignKey(Flag, models.CASCADE, related_name="comments")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="review_comments"
    )
    user_name = models.CharField(max_length=150)
    text = models.TextField(_("comment"), max_length=2000)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.user_name}: {self.text[:60]}"
