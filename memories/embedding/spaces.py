"""With which model a space's memories and queries are embedded now."""

import math
import time
from collections.abc import Sequence
from uuid import UUID

from django.conf import settings

from memories.embedding.client import Embeddings, embed
from memories.models.space import Space

NAME_SECONDS = 2.0
"""How long the name of a space's model is believed. Whoever is late still gets whole answers: both
models are kept while a space changes from one to the other.
"""
_names: dict[UUID, tuple[float, str]] = {}


def embed_for(space_id: UUID, texts: Sequence[str]) -> Embeddings:
    """Embed memories or queries of a space with the model it uses now. Raises EmbedderDown."""
    return embed(texts, model_of(space_id))


def model_of(space_id: UUID) -> str:
    """Return the name of the model a space uses, as read from it at most NAME_SECONDS ago."""
    now = time.monotonic()
    until, name = _names.get(space_id, (-math.inf, ""))
    if now >= until:
        names = Space.objects.filter(pk=space_id).values_list("embedding_model", flat=True)
        name = names.first() or settings.EMBEDDING_MODEL
        _names[space_id] = now + NAME_SECONDS, name
    return name


def forget_model_of(space_id: UUID) -> None:
    """Look the space's model up anew next time: this process has just changed it."""
    _names.pop(space_id, None)
