"""DistillationRun: one look back at a session. Candidate: what it considered, and why (B2)."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from memories.models.ids import new_id
from memories.models.memory import Kind, Memory, Source
from memories.models.session import Session


class DistillationRun(models.Model):
    class State(models.TextChoices):
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")

    class Distiller(models.TextChoices):
        RULES = "rules", _("rules")
        LLM = "llm", _("LLM")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    session = models.ForeignKey(Session, models.CASCADE, related_name="runs")
    state = models.CharField(_("state"), max_length=7, choices=State, default=State.RUNNING)
    distiller = models.CharField(
        _("distiller"), max_length=5, choices=Distiller, default=Distiller.RULES
    )
    model = models.CharField(_("model"), max_length=200, blank=True, default="")
    # Both included: the turns this run looks at.
    first_turn = models.PositiveIntegerField()
    last_turn = models.PositiveIntegerField()
    policy_version = models.PositiveIntegerField()
    # Why it is not what was asked for (the LLM was away), or why it failed; a sentence.
    note = models.TextField(_("note"), blank=True, default="")
    # Candidates by verdict and by reason; stays when the candidates' texts are purged.
    counts = models.JSONField(default=dict)
    started_at = models.DateTimeField(_("started"))
    # Whoever runs it has until then; afterwards it counts as lost and another worker begins anew.
    claimed_until = models.DateTimeField()
    finished_at = models.DateTimeField(_("finished"), null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            # Two workers cannot distil one session at once.
            models.UniqueConstraint(
                fields=["session"],
                condition=models.Q(state="running"),
                name="distillationrun_one_at_a_time",
            ),
            # What was done once is not done again.
            models.UniqueConstraint(
                fields=["session", "first_turn"],
                condition=models.Q(state="done"),
                name="distillationrun_turns_once",
            ),
            models.CheckConstraint(
                condition=models.Q(first_turn__lte=models.F("last_turn")),
                name="distillationrun_turns_in_order",
            ),
            models.CheckConstraint(
                condition=models.Q(state="running", finished_at__isnull=True)
                | models.Q(state__in=["done", "failed"], finished_at__isnull=False),
                name="distillationrun_finished_has_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} {self.first_turn}–{self.last_turn}: {self.state}"


class Candidate(models.Model):
    class Verdict(models.TextChoices):
        KEPT = "kept", _("kept")
        MERGED = "merged", _("merged")
        FLAGGED = "flagged", _("flagged")
        DROPPED = "dropped", _("dropped")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    run = models.ForeignKey(DistillationRun, models.CASCADE, related_name="candidates")
    position = models.PositiveIntegerField()
    kind = models.CharField(_("kind"), max_length=12, choices=Kind, default=Kind.FACT)
    content = models.TextField(_("content"))
    # The words it was made from, exactly as they stand in the first of its turns.
    quote = models.TextField(_("quote"), blank=True, default="")
    turns = ArrayField(models.PositiveIntegerField(), verbose_name=_("turns"))
    subject = models.CharField(_("subject"), max_length=200, blank=True, default="")
    # A6: whose is it, when would anyone look for it, what does it add to a decision?
    owner = models.CharField(_("whose"), max_length=200, blank=True, default="")
    question = models.CharField(_("asked when"), max_length=300, blank=True, default="")
    value = models.CharField(_("adds"), max_length=300, blank=True, default="")
    source = models.CharField(_("source"), max_length=20, choices=Source, default=Source.UNKNOWN)
    # How sure the distiller is that it read this right, and how much it is worth; both 0–1.
    certainty = models.FloatField()
    worth = models.FloatField()
    confidence = models.FloatField(_("confidence"))
    # What the scores were made of, by name.
    signals = models.JSONField(default=dict)
    happened_at = models.DateTimeField(_("happened"), null=True, blank=True)
    verdict = models.CharField(_("verdict"), max_length=7, choices=Verdict)
    reason = models.CharField(_("reason"), max_length=30)
    memory = models.ForeignKey(
        Memory, models.SET_NULL, null=True, blank=True, related_name="candidates"
    )

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["run", "position"], name="candidate_position_once"),
            models.CheckConstraint(
                condition=models.Q(verdict__in=["kept", "merged", "flagged", "dropped"]),
                name="candidate_verdict_known",
            ),
            models.CheckConstraint(
                condition=models.Q(certainty__range=(0.0, 1.0), worth__range=(0.0, 1.0)),
                name="candidate_scores_range",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.verdict}: {self.content[:60]}"
