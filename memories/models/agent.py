"""Agent: a registered writer. AgentKey: how it proves who it is; only a hash is kept."""

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from memories.models.ids import new_id
from memories.models.space import Space


class Agent(models.Model):
    class Profile(models.TextChoices):
        CHAT = "chat", _("chat")
        TOOLS = "tools", _("tool-heavy")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    space = models.ForeignKey(Space, models.CASCADE, related_name="agents")
    name = models.CharField(_("name"), max_length=80)
    # When set, this agent only ever acts for that one end user.
    user_id = models.CharField(_("bound to user"), max_length=200, blank=True, default="")
    is_active = models.BooleanField(_("active"), default=True)
    # How much its working memory holds (A1); what is empty here the space's policy says.
    profile = models.CharField(_("profile"), max_length=5, choices=Profile, default=Profile.CHAT)
    working_turns = models.PositiveSmallIntegerField(
        _("turns in working memory"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(200)],
    )
    working_seconds = models.PositiveIntegerField(
        _("seconds in working memory"),
        null=True,
        blank=True,
        validators=[MinValueValidator(10), MaxValueValidator(30 * 86_400)],
    )
    # How often people upheld what it wrote, and found it wrong: the Beta of its credibility (F4).
    upheld = models.PositiveIntegerField(_("upheld"), default=0, editable=False)
    refuted = models.PositiveIntegerField(_("found wrong"), default=0, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["space", "name"], name="agent_name_once_per_space"),
            models.CheckConstraint(
                condition=models.Q(profile__in=["chat", "tools"]), name="agent_profile_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class AgentKey(models.Model):
    """A secret of 256 random bits: its plain SHA-256 is as safe as a slow hash, and far faster."""

    class Scope(models.TextChoices):
        READ = "read", _("read")
        WRITE = "write", _("write")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="keys")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    # The first characters, so that a person can tell keys apart in a list.
    hint = models.CharField(max_length=12, editable=False)
    scopes = ArrayField(models.CharField(max_length=10, choices=Scope), default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(scopes__contained_by=["read", "write"]),
                name="agentkey_scopes_known",
            )
        ]

    def __str__(self) -> str:
        return f"{self.hint}… · {self.agent}"
