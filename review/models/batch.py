"""Batch: one decision on many flags. BatchItem: one of them, and what became of it."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from memories.models.flag import Flag
from memories.models.ids import new_id
from memories.models.space import Space


class Batch(models.Model):
    """The row is the queue: a worker takes its waiting items one by one, each in a transaction."""

    class State(models.TextChoices):
        DRAFT = "draft", _("preview")
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        UNDOING = "undoing", _("being undone")
        UNDONE = "undone", _("undone")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    space = models.ForeignKey(Space, models.CASCADE, related_name="batches")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="batches"
    )
    user_name = models.CharField(max_length=150)
    # Whoever takes it back as a whole: the worker undoes in their name.
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    choice = models.CharField(max_length=20)
    reason = models.CharField(max_length=12, blank=True, default="")
    note = models.CharField(max_length=300, blank=True, default="")
    # The filter that chose the items, as a query string; empty when they were picked one by one.
    query = models.TextField(blank=True, default="")
    state = models.CharField(max_length=8, choices=State, default=State.DRAFT)
    created_at = models.DateTimeField(auto_now_add=True)
    confirmed_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "batches"
        indexes = [
            models.Index(
                fields=["id"],
                name="batch_at_work",
                condition=models.Q(state__in=["running", "undoing"]),
            )
        ]

    def __str__(self) -> str:
        return f"{self.user_name}: {self.choice}"


class BatchItem(models.Model):
    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        DECIDED = "decided", _("decided")
        REFUSED = "refused", _("not decided")
        UNDONE = "undone", _("undone")
        KEPT = "kept", _("could not be undone")

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="items")
    flag = models.ForeignKey(Flag, models.CASCADE, related_name="batch_items")
    # The versions at the preview, as decide() expects them.
    versions = ArrayField(models.PositiveIntegerField())
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    why = models.CharField(max_length=300, blank=True, default="")

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["batch", "state", "id"], name="batchitem_next")]
        constraints = [
            models.UniqueConstraint(fields=["batch", "flag"], name="batchitem_flag_once")
        ]

    def __str__(self) -> str:
        return f"{self.flag_id}: {self.state}"
