"""The operator's back room: who is where, with which keys. Memories change only in the pages."""

from django.contrib import admin

from memories.models import Agent, AgentKey, Membership, Policy, Space


class MembershipInline(admin.TabularInline):
    model = Membership
    extra = 0


@admin.register(Space)
class SpaceAdmin(admin.ModelAdmin):
    list_display = ("name", "slug", "created_at")
    prepopulated_fields = {"slug": ("name",)}
    inlines = (MembershipInline,)


@admin.register(Agent)
class AgentAdmin(admin.ModelAdmin):
    list_display = ("name", "space", "user_id", "profile", "is_active")
    list_filter = ("space", "is_active")


@admin.register(AgentKey)
class AgentKeyAdmin(admin.ModelAdmin):
    """Keys are made by `manage.py create_key`, where the secret can be shown once."""

    list_display = ("hint", "agent", "scopes", "created_at", "expires_at", "revoked_at")
    readonly_fields = ("hint", "agent", "scopes", "created_at")

    def has_add_permission(self, request: object) -> bool:
        return False


@admin.register(Policy)
class PolicyAdmin(admin.ModelAdmin):
    list_display = ("space", "version", "note", "created_at")
    readonly_fields = ("space", "version", "numbers", "note", "actor_name", "created_at")

    def has_add_permission(self, request: object) -> bool:
        return False
