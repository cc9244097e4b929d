"""What of a memory is searched: the text that is embedded and the words that are indexed."""

from typing import TYPE_CHECKING

from django.contrib.postgres.search import SearchVectorField
from django.db.models import Value
from django.db.models.functions import Cast

from memories.text.tokens import tokenize, tsvector_literal

if TYPE_CHECKING:
    from memories.models.memory import Stated


def embedded_text(memory: "Stated") -> str:
    """Return the text whose embedding stands for the memory."""
    return memory.content


def keyword_index(memory: "Stated") -> tuple[Cast, int]:
    """Return (tsvector expression, number of tokens) for the keyword arm."""
    tokens = tokenize(" ".join([memory.content, memory.reflection, memory.subject, *memory.tags]))
    return Cast(Value(tsvector_literal(tokens)), SearchVectorField()), len(tokens)
