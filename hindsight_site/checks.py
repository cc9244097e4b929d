"""Mistakes of deployment that would otherwise show up only when something is lost."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.utils.translation import gettext as _


@register(Tags.security, deploy=True)
def secret_key_is_own(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """A deployment signs its sessions with a key of its own."""
    if not settings.SECRET_KEY.startswith("insecure-"):
        return []
    return [
        Error(
            _("SECRET_KEY is the development key."),
            hint=_("Set SECRET_KEY to at least 50 random characters."),
            id="hindsight.E001",
        )
    ]
