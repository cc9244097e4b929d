"""Evaluation: one round of judging what recall answered. Judgement: what a person says of one hit.

The questions of a round are its judgements' recalls; they are drawn once, when it begins.
"""

from django.db import models
from django.utils.translation import gettext_lazy as _

from memories.models.ids import new_id
from memories.models.memory import Memory
from memories.models.recall import Recall
from memories.models.space import Space

DEPTH = 3
"""How many hits of a question are judged: precision@3."""


class Evaluation(models.Model):
    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    space = models.ForeignKey(Space, models.CASCADE, related_name="evaluations")
    actor_kind = models.CharField(max_length=6)
    actor_id = models.UUIDField(null=True)
    actor_name = models.CharField(max_length=150)
    # What it was drawn from: the questions that agents asked since, and those without an answer.
    since = models.DateTimeField()
    asked = models.PositiveIntegerField()
    unanswered = models.PositiveIntegerField()
    created_at = models.DateTimeField(_("began"), auto_now_add=True)
    closed_at = models.DateTimeField(_("finished"), null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            # Whoever comes second joins the round that is open.
            models.UniqueConstraint(
                fields=["space"],
                condition=models.Q(closed_at__isnull=True),
                name="evaluation_one_open",
            ),
            models.CheckConstraint(
                condition=models.Q(unanswered__lte=models.F("asked")),
                name="evaluation_unanswered_were_asked",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.space_id} {self.created_at:%Y-%m-%d}"


class Judgement(models.Model):
    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    evaluation = models.ForeignKey(Evaluation, models.CASCADE, related_name="judgements")
    # A recall that was judged stays in the log, and takes its judgements along when it is erased.
    recall = models.ForeignKey(Recall, models.CASCADE, related_name="judgements")
    # Null once it is purged: what was said of it still counts, and quotes nothing.
    memory = models.ForeignKey(Memory, models.SET_NULL, null=True, related_name="judgements")
    # What the agent was given; the memory may say something else since.
    memory_version = models.PositiveIntegerField()
    rank = models.PositiveSmallIntegerField()
    relevant = models.BooleanField(_("relevant"), null=True)
    actor_kind = models.CharField(max_length=6, blank=True, default="")
    actor_id = models.UUIDField(null=True)
    actor_name = models.CharField(max_length=150, blank=True, default="")
    judged_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["recall_id", "rank"]
        constraints = [
            models.UniqueConstraint(
                fields=["evaluation", "recall", "rank"], name="judgement_rank_once"
            ),
            models.CheckConstraint(
                condition=models.Q(rank__range=(1, DEPTH)), name="judgement_rank_range"
            ),
            models.CheckConstraint(
                condition=models.Q(relevant__isnull=True, judged_at__isnull=True)
                | models.Q(relevant__isnull=False, judged_at__isnull=False),
                name="judgement_has_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rank}. {self.memory_id}: {self.relevant}"
