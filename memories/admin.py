"""The operator's back room: who is where, with which keys. Memories change only in the pages."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from memories.models import Agent, AgentKey, Membership, Policy, Space


class MembershipInline(admin.TabularInline):
    model = Membership
    extra = 0


class KeptAdmin(admin.ModelAdmin):
    """Rows that an append-only history is about (E1): they cannot be deleted, `kept` says why."""

    kept: str | Promise = ""

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        fieldsets = super().get_fieldsets(request, obj)
        return [(name, {**options, "description": self.kept}) for name, options in fieldsets]


@admin.register(Space)
class SpaceAdmin(KeptAdmin):
    kept = _(
        "A space cannot be deleted: its history is kept. Once it has no members and its agents are "
        "not active, nobody reaches it."
    )
    list_display = ("name", "slug", "created_at")
    prepopulated_fields = {"slug": ("name",)}
    inlines = (MembershipInline,)


@admin.register(Agent)
class AgentAdmin(KeptAdmin):
    kept = _(
        "An agent cannot be deleted: what it wrote keeps its author. Once it is not active, its "
        "keys open nothing."
    )
    list_display = ("name", "space", "user_id", "profile", "is_active")
    list_filter = ("space", "is_active")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """An agent stays in its space: in another one its memories and keys would go with it."""
        return ("space",) if obj else ()


@admin.register(AgentKey)
class AgentKeyAdmin(admin.ModelAdmin):
    """Keys are made by `manage.py create_key`, where the secret can be shown once."""

    list_display = ("hint", "agent", "scopes", "created_at", "expires_at", "revoked_at")
    readonly_fields = ("hint", "agent", "scopes", "created_at")

    def has_add_permission(self, request: object) -> bool:
        return False


@admin.register(Policy)
class PolicyAdmin(KeptAdmin):
    kept = _("A policy is changed under Policies, which makes a new version; none is deleted.")
    list_display = ("space", "version", "note", "created_at")
    readonly_fields = ("space", "version", "numbers", "note", "actor_name", "created_at")

    def has_add_permission(self, request: object) -> bool:
        return False
