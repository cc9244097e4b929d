"""JobRun: one run of a job over a space: what it did, how far it is, what went wrong (I5)."""

from typing import TYPE_CHECKING, ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from memories.models.ids import new_id
from memories.models.space import Space

if TYPE_CHECKING:
    from memories.permissions import Actor


class JobRunQuerySet(models.QuerySet["JobRun"]):
    def visible_to(self, actor: "Actor") -> "JobRunQuerySet":
        """Runs speak of every memory of the space: they are for people who may see all of it."""
        if actor.kind == "agent" or "see_private" not in actor.verbs:
            return self.none()
        return self.filter(space_id=actor.space_id)

    def unfinished(self) -> "JobRunQuerySet":
        return self.filter(state__in=[JobRun.State.WAITING, JobRun.State.RUNNING])


class JobRun(models.Model):
    class State(models.TextChoices):
        WAITING = "waiting", pgettext_lazy("run of a job", "waiting")
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")
        STOPPED = "stopped", _("stopped")

    class Trigger(models.TextChoices):
        SCHEDULE = "schedule", _("schedule")
        PERSON = "person", _("a person")
        COMMAND = "command", _("a command")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    space = models.ForeignKey(Space, models.CASCADE, related_name="job_runs")
    # No choices: a job is a module of memories.jobs.kinds, and a new one needs no migration.
    job = models.CharField(_("job"), max_length=20)
    state = models.CharField(_("state"), max_length=7, choices=State, default=State.WAITING)
    trigger = models.CharField(
        _("trigger"), max_length=8, choices=Trigger, default=Trigger.SCHEDULE
    )
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    started_by_name = models.CharField(max_length=150, blank=True, default="")
    # A trial does everything and takes it back: nothing changes, the counts are true.
    trial = models.BooleanField(_("dry run"), default=False)
    arguments = models.JSONField(default=dict)
    # The last row that was dealt with; a run that dies goes on after it.
    cursor = models.CharField(max_length=300, blank=True, default="")
    total = models.PositiveIntegerField(null=True)
    done = models.PositiveIntegerField(default=0)
    # How many rows had which outcome, by the job's own codes.
    counts = models.JSONField(default=dict)
    # The first rows that failed, as {"row": id, "error": sentence}; `failed` counts all.
    errors = models.JSONField(default=list)
    failed = models.PositiveIntegerField(default=0)
    # Why it waits, failed or was stopped; a sentence.
    note = models.TextField(_("note"), blank=True, default="")
    # Whoever works on it says so with a token, until then; afterwards the worker counts as lost.
    token = models.UUIDField(null=True, editable=False)
    claimed_until = models.DateTimeField(null=True, editable=False)
    # Workers lost since the last step that was finished.
    deaths = models.PositiveSmallIntegerField(default=0, editable=False)
    not_before = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(_("started"), null=True)
    finished_at = models.DateTimeField(_("finished"), null=True)

    objects: ClassVar = JobRunQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["space", "job", "-id"], name="jobrun_newest")]
        constraints = [
            models.UniqueConstraint(
                fields=["space", "job"],
                condition=models.Q(state__in=["waiting", "running"]),
                name="jobrun_one_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.job} {self.state}"
