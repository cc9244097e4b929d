"""update_memory() and delete_memory(): versions, staleness, and what agents may not touch."""

import pytest

from memories.errors import Invalid, NotAllowed, NotFound, Stale
from memories.identity import agent_actor
from memories.lifecycle import delete_memory, update_memory
from memories.models import Agent, Flag, Memory, MemoryVersion
from memories.payloads import memory_payload
from memories.permissions import Actor
from memories.writing import write_memory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]


@pytest.fixture
def memory(actor: Actor) -> Memory:
    return write_memory(actor=actor, content="Backups run at 02:00.").memory


def test_it_makes_a_new_version_with_a_new_embedding(actor: Actor, memory: Memory) -> None:  # E1
    before = Memory.objects.get(pk=memory.pk).embedding
    changed = update_memory(
        actor=actor, memory_id=memory.pk, expected_version=1, content="Invoices are sent by post."
    )
    assert changed.version == 2
    assert Memory.objects.get(pk=memory.pk).embedding != before
    assert MemoryVersion.objects.filter(memory=memory).count() == 2


def test_it_leaves_the_embedding_alone_when_the_text_stays(actor: Actor, memory: Memory) -> None:
    before = Memory.objects.get(pk=memory.pk).embedding
    update_memory(actor=actor, memory_id=memory.pk, expected_version=1, tags=["ops"])
    after = Memory.objects.get(pk=memory.pk)
    assert (after.embedding, after.tags) == (before, ["ops"])


def test_it_says_what_is_there_now_when_the_version_is_stale(
    actor: Actor, memory: Memory
) -> None:  # design rule 8
    update_memory(actor=actor, memory_id=memory.pk, expected_version=1, tags=["ops"])
    with pytest.raises(Stale, match="version 2") as refusal:
        update_memory(actor=actor, memory_id=memory.pk, expected_version=1, content="Lost?")
    assert refusal.value.details["version"] == 2
    assert refusal.value.details["content"] == "Backups run at 02:00."


def test_it_flags_a_text_that_now_contradicts(actor: Actor, memory: Memory) -> None:  # E3
    other = write_memory(actor=actor, content="The moon is full tonight.").memory
    update_memory(
        actor=actor, memory_id=other.pk, expected_version=1, content="Backups run at 04:30."
    )
    assert Flag.objects.get().counterpart_id == memory.pk


def test_it_wants_something_to_change(actor: Actor, memory: Memory) -> None:
    with pytest.raises(Invalid, match="Nothing to change"):
        update_memory(actor=actor, memory_id=memory.pk, expected_version=1)


def test_it_refuses_a_text_another_memory_has(actor: Actor, memory: Memory) -> None:
    other = write_memory(actor=actor, content="The moon is full tonight.").memory
    with pytest.raises(Invalid, match="already says"):
        update_memory(actor=actor, memory_id=other.pk, expected_version=1, content=memory.content)


def test_it_hides_another_space(stranger: Actor, memory: Memory) -> None:  # D1
    with pytest.raises(NotFound):
        update_memory(actor=stranger, memory_id=memory.pk, expected_version=1, content="Mine.")
    with pytest.raises(NotFound):
        delete_memory(actor=stranger, memory_id=memory.pk)
    assert Memory.objects.get(pk=memory.pk).version == 1


def test_an_agent_changes_only_its_own_words(teammate: Actor, memory: Memory) -> None:  # F5
    with pytest.raises(NotAllowed, match="Another agent"):
        update_memory(actor=teammate, memory_id=memory.pk, expected_version=1, content="Mine.")
    with pytest.raises(NotAllowed):
        delete_memory(actor=teammate, memory_id=memory.pk)


def test_an_agent_does_not_touch_what_is_disputed(actor: Actor, memory: Memory) -> None:  # F5
    new = write_memory(actor=actor, content="Backups run at 04:30.").memory
    for disputed in (memory, new):
        with pytest.raises(NotAllowed, match="a person decides"):
            delete_memory(actor=actor, memory_id=disputed.pk)


def test_it_deletes_softly_and_once(actor: Actor, memory: Memory) -> None:  # E6
    first = delete_memory(actor=actor, memory_id=memory.pk, reason="obsolete")
    assert (first.status, first.version) == ("deleted", 2)
    assert Memory.objects.filter(pk=memory.pk).exists()


def test_a_person_deleting_one_side_settles_the_dispute(
    actor: Actor, person: Actor, memory: Memory
) -> None:
    new = write_memory(actor=actor, content="Backups run at 04:30.").memory
    delete_memory(actor=person, memory_id=memory.pk)
    assert Flag.objects.get().resolution == "withdrawn"
    assert Memory.objects.get(pk=new.pk).status == "active"


def test_deleting_twice_changes_nothing(person: Actor, memory: Memory) -> None:
    delete_memory(actor=person, memory_id=memory.pk)
    assert delete_memory(actor=person, memory_id=memory.pk).version == 2


def test_a_key_that_only_writes_changes_its_own_memory(agent: Agent, memory: Memory) -> None:
    writer = agent_actor(agent, scopes=["write"])
    changed = update_memory(
        actor=writer, memory_id=memory.pk, expected_version=1, content="Invoices go out by post."
    )
    assert changed.version == 2
    assert delete_memory(actor=writer, memory_id=memory.pk).status == "deleted"


def test_it_says_that_the_answer_is_disputed(actor: Actor, person: Actor, memory: Memory) -> None:
    write_memory(actor=actor, content="Backups run at 04:30.")
    again = write_memory(actor=actor, content=memory.content).memory
    changed = update_memory(actor=person, memory_id=memory.pk, expected_version=1, tags=["ops"])
    assert memory_payload(again)["disputed"]
    assert memory_payload(changed)["disputed"]
