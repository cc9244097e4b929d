"""What of a memory is searched: the text that is embedded and the words that are indexed."""

from typing import TYPE_CHECKING, Any

from memories.text.tokens import HAN, codes, tokenize, tsvector_literal

if TYPE_CHECKING:
    from memories.models.memory import Stated


def embedded_text(memory: "Stated") -> str:
    """Return the text whose embedding stands for the memory."""
    return memory.content


def keyword_index(memory: "Stated") -> dict[str, Any]:
    """Return the fields that the keyword arm reads.

    `keywords` is for the index of a large scope, `word_codes` for counting; `han`: in which script.
    """
    tokens = tokenize(" ".join([memory.content, memory.reflection, memory.subject, *memory.tags]))
    return {
        "keywords": tsvector_literal(tokens),
        "word_codes": codes(tokens),
        "han": bool(HAN.search(memory.content)),
    }
