"""Session: one conversation or task of an agent. Turn: one thing that happened in it (A2)."""

from typing import TYPE_CHECKING, ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from memories.models.agent import Agent
from memories.models.ids import new_id
from memories.models.memory import Visibility
from memories.models.space import Space

if TYPE_CHECKING:
    from memories.permissions import Actor


class SessionQuerySet(models.QuerySet["Session"]):
    def visible_to(self, actor: "Actor") -> "SessionQuerySet":
        """A session is its agent's own: other agents see what was distilled, not what was said."""
        own = models.Q(agent_id=actor.id) if actor.kind == "agent" and actor.id else models.Q()
        return self.filter(actor.sight() & own)

    def undistilled(self) -> "SessionQuerySet":
        """What ended and holds turns that no run has looked at yet."""
        return self.filter(ended_at__isnull=False, distilled_through__lt=models.F("turn_count"))


class Session(models.Model):
    class Outcome(models.TextChoices):
        UNKNOWN = "unknown", _("unknown")
        SUCCESS = "success", _("success")
        FAILURE = "failure", _("failure")
        ABANDONED = "abandoned", _("abandoned")

    class EndedBy(models.TextChoices):
        HOST = "host", _("its host")
        PERSON = "person", _("a person")
        IDLE = "idle", _("idle time-out")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    space = models.ForeignKey(Space, models.CASCADE, related_name="sessions")
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="sessions")
    user_id = models.CharField(_("user"), max_length=200, blank=True, default="")
    # The host's own name of it; memories and recalls carry it as `session`.
    key = models.CharField(_("session"), max_length=200)
    task = models.CharField(_("task"), max_length=500, blank=True, default="")
    # Private: its memories will be private to the agent, too.
    visibility = models.CharField(
        _("visibility"), max_length=8, choices=Visibility, default=Visibility.SHARED
    )
    outcome = models.CharField(
        _("outcome"), max_length=10, choices=Outcome, default=Outcome.UNKNOWN
    )
    turn_count = models.PositiveIntegerField(default=0)
    # The number of the last turn that a run has looked at. A session that goes on after its end
    # is distilled from there.
    distilled_through = models.PositiveIntegerField(default=0)
    # Runs that failed since the last one that did not.
    failures = models.PositiveSmallIntegerField(default=0)
    # Turns up to this number were removed after their retention period.
    purged_through = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField(_("started"))
    last_turn_at = models.DateTimeField(_("last turn"))
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)
    ended_by = models.CharField(max_length=6, choices=EndedBy, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    # When anything last reached it, by our own clock: hosts may tell old turns.
    touched_at = models.DateTimeField()

    objects: ClassVar = SessionQuerySet.as_manager()

    class Meta:
        verbose_name = _("session")
        verbose_name_plural = _("sessions")
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["space", "-id"], name="session_newest"),
            models.Index(
                fields=["touched_at"],
                name="session_open",
                condition=models.Q(ended_at__isnull=True),
            ),
            models.Index(
                fields=["ended_at"],
                name="session_undistilled",
                condition=models.Q(
                    ended_at__isnull=False, distilled_through__lt=models.F("turn_count")
                ),
            ),
            models.Index(
                fields=["touched_at"],
                name="session_unpurged",
                condition=models.Q(purged_through__lt=models.F("turn_count")),
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["agent", "user_id", "key"], name="session_key_once_per_agent_and_user"
            ),
            models.CheckConstraint(
                condition=models.Q(outcome__in=["unknown", "success", "failure", "abandoned"]),
                name="session_outcome_known",
            ),
            models.CheckConstraint(
                condition=models.Q(distilled_through__lte=models.F("turn_count")),
                name="session_distilled_within",
            ),
            models.CheckConstraint(
                condition=models.Q(purged_through__lte=models.F("distilled_through")),
                name="session_purged_only_distilled",
            ),
            models.CheckConstraint(
                condition=models.Q(ended_at__isnull=True, ended_by="")
                | models.Q(ended_at__isnull=False) & ~models.Q(ended_by=""),
                name="session_ended_by_someone",
            ),
        ]

    def __str__(self) -> str:
        return self.task or self.key


class Turn(models.Model):
    class Type(models.TextChoices):
        MESSAGE = "message", _("message")
        TOOL_CALL = "tool_call", _("tool call")
        TOOL_RESULT = "tool_result", _("tool result")

    class Role(models.TextChoices):
        USER = "user", _("user")
        ASSISTANT = "assistant", _("assistant")
        SYSTEM = "system", _("system")
        TOOL = "tool", _("tool")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    session = models.ForeignKey(Session, models.CASCADE, related_name="turns")
    # The session's, repeated: “failed tool calls of this user” is answered from one index.
    space = models.ForeignKey(Space, models.CASCADE, related_name="+")
    user_id = models.CharField(max_length=200, blank=True, default="")
    number = models.PositiveIntegerField()
    # The host's own name of this turn: a retry under it adds nothing.
    key = models.CharField(max_length=200, blank=True, default="")
    type = models.CharField(_("type"), max_length=11, choices=Type, default=Type.MESSAGE)
    role = models.CharField(_("role"), max_length=9, choices=Role, default=Role.USER)
    speaker = models.CharField(_("speaker"), max_length=200, blank=True, default="")
    content = models.TextField(_("content"), blank=True, default="")
    tool = models.CharField(_("tool"), max_length=200, blank=True, default="")
    call_id = models.CharField(max_length=200, blank=True, default="")
    # Arguments of a call, the structured result of a result.
    data = models.JSONField(null=True, blank=True)
    ok = models.BooleanField(null=True, blank=True)
    error = models.TextField(_("error"), blank=True, default="")
    duration_ms = models.PositiveIntegerField(null=True, blank=True)
    happened_at = models.DateTimeField(_("happened"))
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["number"]
        indexes = [
            models.Index(
                fields=["space", "user_id", "-happened_at"],
                name="turn_failed",
                condition=models.Q(ok=False),
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["session", "number"], name="turn_number_once"),
            models.UniqueConstraint(
                fields=["session", "key"], name="turn_key_once", condition=~models.Q(key="")
            ),
            models.CheckConstraint(
                condition=models.Q(type__in=["message", "tool_call", "tool_result"]),
                name="turn_type_known",
            ),
            models.CheckConstraint(
                condition=models.Q(role__in=["user", "assistant", "system", "tool"]),
                name="turn_role_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.number}. {self.role}: {self.content[:60]}"
