"""Space: the boundary a team shares. Membership: what a person may do in it."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from memories.models.ids import new_id


class Space(models.Model):
    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    slug = models.SlugField(_("slug"), max_length=60, unique=True)
    name = models.CharField(_("name"), max_length=120)
    # The model that recall compares with; empty: the product's default. The other one is filled
    # while the space changes to it, and kept after the change as the way back (E9).
    embedding_model = models.CharField(max_length=200, blank=True, default="", editable=False)
    other_model = models.CharField(max_length=200, blank=True, default="", editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    class Role(models.TextChoices):
        VIEWER = "viewer", _("viewer")
        REVIEWER = "reviewer", _("reviewer")
        ADMIN = "admin", _("admin")

    space = models.ForeignKey(Space, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(_("role"), max_length=10, choices=Role, default=Role.VIEWER)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["space", "user"], name="membership_once"),
            models.CheckConstraint(
                condition=models.Q(role__in=["viewer", "reviewer", "admin"]),
                name="membership_role_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.space} · {self.role}"
