"""Proposals wait for a person; until then nothing changes for agents (E4, E7, E8)."""

import pytest

from memories.errors import Invalid, NotFound
from memories.identity import system_actor
from memories.lifecycle import delete_memory, propose_clean_up, propose_merge
from memories.models import Flag, Memory
from memories.permissions import Actor
from memories.recall import recall
from memories.writing import write_memory
from tests.review.flags import MERGED, fragments, merge_proposal

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]


def test_it_is_not_recalled_beside_its_sources(actor: Actor) -> None:
    flag = merge_proposal(actor)
    hits = recall(actor=actor, query="When does the release train leave?").hits
    assert flag.memory_id not in {hit.memory.pk for hit in hits}
    assert {hit.memory.pk for hit in hits} & set(flag.sources.values_list("memory_id", flat=True))


def test_it_is_believed_like_the_best_of_its_sources(actor: Actor) -> None:  # E8
    assert merge_proposal(actor).memory.confidence == 0.8


def test_the_same_sources_are_proposed_once(actor: Actor) -> None:
    first = merge_proposal(actor)
    ids = list(first.sources.values_list("memory_id", flat=True))
    system = system_actor(actor.space_id)
    again = propose_merge(actor=system, memory_ids=ids[::-1], content="Other words.")
    assert (again, Memory.objects.filter(withheld=True).count()) == (first, 1)


@pytest.mark.parametrize("number", [0, 1, 21])
def test_it_takes_two_to_twenty(actor: Actor, number: int) -> None:
    ids = [
        write_memory(actor=actor, content=f"Room {n} is named after a river.").memory.pk
        for n in range(number)
    ]
    with pytest.raises(Invalid, match="2 to 20"):
        propose_merge(actor=actor, memory_ids=ids, content=MERGED)


def test_it_never_mixes_users(actor: Actor) -> None:  # D1
    one = write_memory(actor=actor, content="Likes tea.", user_id="ann").memory
    two = write_memory(actor=actor, content="Likes green tea.", user_id="bob").memory
    with pytest.raises(Invalid, match="same user"):
        propose_merge(
            actor=system_actor(actor.space_id), memory_ids=[one.pk, two.pk], content="Like tea."
        )


def test_a_foreign_memory_looks_like_a_missing_one(actor: Actor, stranger: Actor) -> None:  # D1
    mine = write_memory(actor=actor, content="Likes tea.").memory
    theirs = write_memory(actor=stranger, content="Likes coffee.").memory
    with pytest.raises(NotFound):
        propose_merge(actor=actor, memory_ids=[mine.pk, theirs.pk], content="Likes both.")
    with pytest.raises(NotFound):
        propose_clean_up(actor=actor, memory_id=theirs.pk, reason="unused", scores={})


def test_only_memories_in_use_are_merged(person: Actor, actor: Actor) -> None:
    one, two = fragments(actor)
    delete_memory(actor=person, memory_id=two.pk)
    with pytest.raises(Invalid, match="in use"):
        propose_merge(actor=person, memory_ids=[one.pk, two.pk], content=MERGED)


def test_it_goes_when_a_source_goes(person: Actor, actor: Actor) -> None:
    flag = merge_proposal(actor)
    delete_memory(actor=person, memory_id=flag.sources.values_list("memory_id", flat=True)[0])
    assert Flag.objects.get().resolution == "withdrawn"
    assert Memory.objects.get(pk=flag.memory_id).status == "deleted"


def test_clean_up_is_asked_once_and_changes_nothing(actor: Actor) -> None:  # E7
    memory = write_memory(actor=actor, content="Coffee is on floor 3.").memory
    system = system_actor(actor.space_id)
    flags = {
        propose_clean_up(actor=system, memory_id=memory.pk, reason="unused", scores={}).pk
        for _each in range(2)
    }
    assert len(flags) == 1
    assert Memory.objects.get().status == "active"
