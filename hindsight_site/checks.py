"""Mistakes of deployment that would otherwise show up only when something is lost."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.checks import Warning as CheckWarning
from django.db import DatabaseError
from django.utils.translation import gettext as _

from memories.models import Space


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


@register(Tags.database)
def models_are_served(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """The embedder loads every model that a space uses or changes to.

    It needs the database: `migrate` runs it at every deployment, `check --database default` on
    demand.
    """
    if not databases:
        return []
    try:
        names = list(Space.objects.values_list("slug", "embedding_model", "other_model"))
    except DatabaseError:  # before the first migration there is no space
        return []
    return [
        CheckWarning(
            _("The space “%(slug)s” uses the embedding model “%(model)s”, which is not allowed.")
            % {"slug": slug, "model": model},
            hint=_("Add it to EMBEDDING_MODELS, here and for the embedder."),
            id="hindsight.W001",
        )
        for slug, *models in names
        for model in models
        if model and model not in settings.EMBEDDING_MODELS
    ]
