"""One write asks people about the nearest contradictions only, not about all of them (G1)."""

import pytest

from memories.models import Flag
from memories.permissions import Actor
from memories.writing import import_memories, write_memory
from memories.writing.draft import drafted


@pytest.mark.django_db
def test_one_write_opens_three_review_items_at_most(actor: Actor, embedder: str) -> None:
    known = [("", drafted(content=f"Backups run at 0{hour}:00.")) for hour in range(1, 7)]
    list(import_memories(actor=actor, drafts=known))
    result = write_memory(actor=actor, content="Backups run at 04:30.")
    assert len(result.flags) == Flag.objects.count() == 3
