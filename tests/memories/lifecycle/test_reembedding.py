"""What compares stored memories while their space changes its model: never across models (E9)."""

import pytest

from memories import history, jobs
from memories.jobs import reembedding
from memories.lifecycle import undo, update_memory
from memories.lifecycle.rebasing import _cosine, _meet
from memories.lifecycle.undoing import returning_texts
from memories.models import Memory, MemoryVersion
from memories.permissions import Actor
from memories.tasks import embed_waiting
from memories.writing import reembedding as places
from memories.writing import write_memory
from review.pages.background import similar_to
from tests.memories.embedding.fakes import DIMENSIONS, NEW, OLD, TwoModels
from tests.memories.recall.helpers import remember

pytestmark = pytest.mark.django_db
TEXT = "The cache of the shop is Valkey 8."


@pytest.fixture
def known(models: TwoModels, admin: Actor, actor: Actor) -> Memory:
    """A memory from before the switch to the new model, which has taken place."""
    memory = remember(actor, TEXT)
    run = reembedding.begin_change(actor=admin, model=NEW)
    jobs.carry_on(run.pk)
    reembedding.switch(actor=admin, model=NEW)
    return Memory.objects.get(pk=memory.pk)


def test_a_pair_is_compared_by_the_model_that_both_have(known: Memory, actor: Actor) -> None:
    later = Memory.objects.get(pk=remember(actor, f"{TEXT} Really.").pk)
    assert _cosine(known, later) is None  # they differ in their first places
    _meet(known, later)
    assert _cosine(known, later) == pytest.approx(0.93, abs=0.05)
    assert known.embedding_model == later.embedding_model == f"{NEW}@1"


def test_what_no_model_has_seen_both_of_is_not_compared(known: Memory, actor: Actor) -> None:
    later = remember(actor, f"{TEXT} Really.")
    Memory.objects.filter(pk=later.pk).update(embedding_model="a third@1")
    later.refresh_from_db()
    _meet(known, later)
    assert _cosine(known, later) is None


def test_a_new_statement_is_compared_with_what_was_written_before_the_switch(
    known: Memory, actor: Actor
) -> None:
    said = write_memory(actor=actor, content="The cache of the shop is Valkey 7.")
    assert said.outcome == "flagged"
    assert said.flags[0].scores["cosine"] > 0.8


def test_similar_memories_are_found_in_either_place(
    known: Memory, actor: Actor, person: Actor
) -> None:
    later = Memory.objects.get(pk=remember(actor, f"{TEXT} Really.").pk)
    assert similar_to(person, later, [later]) == [known]
    assert similar_to(person, known, [known]) == []  # of the old model there is nothing else
    embed_waiting()
    assert similar_to(person, known, [known]) == [later]


def test_what_undoing_brings_back_is_embedded_with_the_model_in_use(
    known: Memory, models: TwoModels, person: Actor
) -> None:

    with history.together() as operation:
        update_memory(actor=person, memory_id=known.pk, expected_version=1, content="Another.")
    assert MemoryVersion.objects.filter(operation=operation).count() == 1
    models.asked.clear()
    undo(actor=person, operation=operation, embeddings=returning_texts(operation))
    known.refresh_from_db()
    assert (known.content, known.embedding_model, known.other_model) == (TEXT, f"{NEW}@1", "")
    assert {name for name, _texts in models.asked} == {NEW}


def test_a_text_that_changed_meanwhile_does_not_get_the_vector_of_the_former_one(
    models: TwoModels, actor: Actor, person: Actor
) -> None:
    seen = Memory.objects.get(pk=remember(actor, TEXT).pk)
    model = places.filling(NEW, OLD)
    made = places.fresh([seen], model)
    update_memory(actor=person, memory_id=seen.pk, expected_version=1, content="Another text.")
    assert places.put([seen], made, model.beside) == {}
    seen.refresh_from_db()
    assert (seen.other_model, seen.other_embedding) == ("", None)
    assert places.fill(actor.space_id, model) == 1
    seen.refresh_from_db()
    assert len(seen.other_embedding or []) == DIMENSIONS[NEW]


def test_filling_leaves_alone_the_vector_that_is_in_use_in_the_second_place(
    known: Memory, actor: Actor
) -> None:
    """The weights of the old model changed: their vector goes where the former one was."""
    Memory.objects.filter(pk=known.pk).update(embedding_model=f"{OLD}@0")
    assert places.fill(actor.space_id, places.filling(OLD, NEW)) == 1
    known.refresh_from_db()
    assert (known.embedding_model, known.other_model) == (f"{OLD}@1", f"{NEW}@1")
    assert len(known.other_embedding or []) == DIMENSIONS[NEW]
