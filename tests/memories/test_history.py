"""History is append-only, and the database says so too (E1)."""

import pytest
from django.db import DatabaseError, transaction

from memories import history
from memories.models import Event, Memory, MemoryVersion
from memories.permissions import Actor

pytestmark = pytest.mark.django_db


@pytest.fixture
def memory(actor: Actor) -> Memory:
    memory = Memory(space_id=actor.space_id, content="Tea at four.", confidence=0.5)
    history.index(memory)
    history.create([memory], actor=actor)
    return memory


def test_it_keeps_what_was_before_and_after(memory: Memory, actor: Actor) -> None:
    history.change(memory, actor=actor, verb="updated", reason="later", content="Tea at five.")
    texts = list(MemoryVersion.objects.order_by("number").values_list("content", flat=True))
    assert texts == ["Tea at four.", "Tea at five."]
    event = Event.objects.get(verb="updated")
    assert event.data["changed"] == {"content": ["Tea at four.", "Tea at five."]}
    assert (event.data["version"], event.data["reason"]) == (2, "later")
    assert (event.actor_name, event.actor_id) == (actor.name, actor.id)


@pytest.mark.parametrize("table", [Event, MemoryVersion])
def test_the_database_refuses_to_rewrite_history(
    memory: Memory, table: type[Event] | type[MemoryVersion]
) -> None:
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        table.objects.update(actor_name="someone else")


@pytest.mark.parametrize(
    "wrong",
    [
        {"confidence": 1.1},
        {"status": "believed"},
        {"kind": "opinion"},
        {"source": "rumour"},
        {"visibility": "private"},
        {"version": 0},
        {"content": ""},
    ],
)
def test_the_database_holds_the_invariants(memory: Memory, wrong: dict[str, object]) -> None:
    Memory.objects.update(agent=None)
    with pytest.raises(DatabaseError), transaction.atomic():
        Memory.objects.filter(pk=memory.pk).update(**wrong)
