"""Mistakes of deployment that would otherwise show up only when something is lost."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.checks import Warning as CheckWarning
from django.db import DatabaseError
from django.utils.translation import gettext as _

from memories.models import Space

MOST_RERANK_SECONDS = 10.0
"""An agent's tool call has to be answered in that time."""


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


@register()
def reranker_can_be_asked(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[CheckMessage]:
    """A wrong address or time would only show in recalls that keep their order."""
    if not settings.RERANK_MODEL:
        return []
    found: list[CheckMessage] = []
    if not 0.0 < settings.RERANK_SECONDS <= MOST_RERANK_SECONDS:
        message = _("RERANK_SECONDS is %(seconds)g.") % {"seconds": settings.RERANK_SECONDS}
        hint = _("Set it to the seconds a recall may wait, more than 0 and at most %(most)g.")
        hint %= {"most": MOST_RERANK_SECONDS}
        found.append(Error(message, hint=hint, id="hindsight.E002"))
    if urlsplit(settings.RERANK_URL).scheme not in {"http", "https"}:
        message = _("RERANK_URL is “%(url)s”, which is no address.") % {"url": settings.RERANK_URL}
        hint = _("Set it to an address such as http://127.0.0.1:8001/v1, or leave it empty.")
        found.append(Error(message, hint=hint, id="hindsight.E003"))
    return found


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
