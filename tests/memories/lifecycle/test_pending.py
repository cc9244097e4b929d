"""A doubtful memory while people decide: agents keep off, people may change it (F5)."""

import pytest

from memories.errors import NotAllowed
from memories.lifecycle import delete_memory, update_memory
from memories.models import Event, Flag
from memories.permissions import Actor
from tests.doubts import SURE, ask, doubt

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]


@pytest.fixture
def flag(actor: Actor) -> Flag:
    return doubt(actor)


def test_its_own_agent_does_not_touch_it(actor: Actor, flag: Flag) -> None:  # F5
    with pytest.raises(NotAllowed, match="a person decides"):
        update_memory(actor=actor, memory_id=flag.memory_id, expected_version=1, content=SURE)
    with pytest.raises(NotAllowed, match="a person decides"):
        delete_memory(actor=actor, memory_id=flag.memory_id)


def test_it_goes_on_waiting_when_a_person_changes_it(person: Actor, flag: Flag) -> None:
    changed = update_memory(
        actor=person, memory_id=flag.memory_id, expected_version=1, content=SURE
    )
    assert (changed.status, Flag.objects.get().status) == ("pending", "open")


def test_it_is_put_to_a_person_once(actor: Actor, flag: Flag) -> None:
    assert ask(flag.memory, actor) == flag
    assert Event.objects.filter(verb="doubted").count() == 1
