"""What of a memory is searched (C1)."""

from memories.models import Memory
from memories.permissions import Actor
from memories.text.index import embedded_text
from tests.memories.recall.helpers import jot


def test_it_embeds_the_content_and_nothing_else() -> None:
    assert embedded_text(Memory(content="x", subject="s", tags=["t"])) == "x"


def test_it_indexes_reflection_subject_and_tags_too(actor: Actor) -> None:
    memory = jot(actor, "zero", reflection="alpha", subject="beta", tags=["gamma"])
    for word in ("zero", "alpha", "beta", "gamma"):
        assert Memory.objects.filter(keywords=word, pk=memory.pk).exists()
    memory.refresh_from_db()
    assert memory.keyword_count == 4
