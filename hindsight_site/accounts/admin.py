from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.http import HttpRequest
from rest_framework.authtoken.admin import TokenAdmin
from rest_framework.authtoken.models import TokenProxy

from hindsight_site.accounts.models import User

admin.site.register(User, UserAdmin)
admin.site.unregister(TokenProxy)


@admin.register(TokenProxy)
class OwnTokenAdmin(TokenAdmin):
    """A token stays with whom it was made for: in other hands it would open other spaces."""

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("user",) if obj else ()
