"""Bulk writing: gate and embedding as always, no comparison."""

from typing import Any

import pytest

from memories.errors import Refused
from memories.models import Event, Flag, Memory, MemoryVersion
from memories.permissions import Actor
from memories.writing import import_memories
from memories.writing.draft import drafted

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]


def test_it_stores_every_text_with_version_and_event(actor: Actor) -> None:
    drafts = [("u", drafted(content=f"Room {number} is blue.")) for number in range(3)]
    memories = list(import_memories(actor=actor, drafts=drafts))
    assert [memory.content for memory in memories] == [draft.content for _user, draft in drafts]
    assert Memory.objects.filter(user_id="u", embedding__isnull=False).count() == 3
    assert (MemoryVersion.objects.count(), Event.objects.filter(verb="imported").count()) == (3, 3)


def test_it_maps_the_same_text_of_one_owner_to_one_memory(actor: Actor) -> None:
    drafts = [(user, drafted(content="Thanks!")) for user in ("a", "a", "b")]
    first, second, other = import_memories(actor=actor, drafts=drafts)
    assert first.pk == second.pk
    assert other.pk != first.pk
    (again,) = import_memories(actor=actor, drafts=drafts[:1])
    assert again.pk == first.pk


def test_it_compares_nothing(actor: Actor) -> None:
    drafts = [
        ("", drafted(content=text)) for text in ("Backups run at 02:00.", "Backups run at 04:30.")
    ]
    assert len(list(import_memories(actor=actor, drafts=drafts))) == 2
    assert not Flag.objects.exists()


def test_a_hundred_take_a_handful_of_statements(
    actor: Actor, django_assert_max_num_queries: Any
) -> None:
    drafts = [("u", drafted(content=f"Room {number} is blue.")) for number in range(100)]
    with django_assert_max_num_queries(10):
        assert len(list(import_memories(actor=actor, drafts=drafts))) == 100


def test_what_was_stored_before_a_refusal_is_kept(actor: Actor) -> None:
    drafts = [("", drafted(content=f"Room {number} is blue.")) for number in range(100)]
    doubtful = ("", drafted(content="Tea.", confidence=0.1))
    with pytest.raises(Refused):
        list(import_memories(actor=actor, drafts=[*drafts, doubtful]))
    assert Memory.objects.count() == 100


def test_it_keeps_the_gate(actor: Actor) -> None:  # B5
    with pytest.raises(Refused):
        list(import_memories(actor=actor, drafts=[("", drafted(content="Tea.", confidence=0.1))]))
