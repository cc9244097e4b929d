"""What was said when a flag's texts came about: the session excerpts with the quotes (G2)."""

from collections.abc import Sequence

from memories.pages.session_origin import Origin, origins_of
from memories.permissions import Actor
from review.pages.present import Item, Text


def evidence_of(item: Item, actor: Actor) -> list[tuple[Text, Sequence[Origin]]]:
    """Return each text that came from a session with where, as far as this actor may see it."""
    origins = origins_of(actor, [text.memory for text in item.texts])
    return [(text, origins[text.memory.pk]) for text in item.texts if text.memory.pk in origins]
