"""A space changes its embedding model: filled, switched, taken back, ended (E9)."""

from datetime import timedelta

import pytest

from memories import jobs
from memories.embedding.spaces import forget_model_of
from memories.errors import Invalid, NotAllowed
from memories.jobs import reembedding
from memories.lifecycle import update_memory
from memories.models import Event, JobRun, Memory, Space
from memories.permissions import Actor
from memories.recall import recall
from memories.tasks import embed_waiting
from memories.writing import write_memory
from memories.writing.write import embedded
from tests.memories.embedding.fakes import DIMENSIONS, NEW, OLD, TwoModels
from tests.memories.recall.helpers import remember

pytestmark = pytest.mark.django_db

TEXTS = ["The cache is Valkey.", "Deploys run on Tuesdays.", "Backups go to the cold store."]
OLD_ID, NEW_ID = f"{OLD}@1", f"{NEW}@1"


def begun(admin: Actor) -> JobRun:
    run = reembedding.begin_change(actor=admin, model=NEW)
    jobs.carry_on(run.pk)
    run.refresh_from_db()
    return run


def switched(admin: Actor) -> None:
    begun(admin)
    reembedding.switch(actor=admin, model=NEW)


def ended(admin: Actor) -> JobRun:
    """End the change, and let the minute pass for which the clean-up waits."""
    run = reembedding.finish(actor=admin)
    jobs.carry_on(run.pk)
    began = run.created_at - timedelta(minutes=2)
    JobRun.objects.filter(pk=run.pk).update(not_before=None, started_at=began)
    jobs.carry_on(run.pk)
    run.refresh_from_db()
    return run


def places(actor: Actor) -> list[tuple[str, int, str, int]]:
    """Model and dimension in both places of each memory, without repetition."""
    rows = Memory.objects.filter(space_id=actor.space_id).order_by("pk")
    found = [
        (m.embedding_model, _size(m.embedding), m.other_model, _size(m.other_embedding))
        for m in rows
    ]
    return sorted(set(found))


def _size(vector: object) -> int:
    return len(vector) if isinstance(vector, list) else 0


def semantic(actor: Actor, query: str) -> list[str]:
    """What meaning alone finds."""
    found = recall(actor=actor, query=query, log=False).hits
    return [hit.memory.content for hit in found if hit.arms.get("semantic", 0.0) > 0]


def state(admin: Actor) -> reembedding.State:
    return reembedding.state_of(admin)


BOTH = (OLD_ID, DIMENSIONS[OLD], NEW_ID, DIMENSIONS[NEW])
ONLY_OLD = (OLD_ID, DIMENSIONS[OLD], "", 0)
ONLY_NEW = (NEW_ID, DIMENSIONS[NEW], "", 0)


def test_it_gives_every_memory_a_vector_of_both_models(
    models: TwoModels, admin: Actor, actor: Actor
) -> None:
    for text in TEXTS:
        remember(actor, text)
    run = begun(admin)
    assert (run.state, run.total, run.counts) == ("done", 3, {"embedded": 3})
    assert places(actor) == [BOTH]
    assert state(admin).ready


def test_recall_keeps_to_the_old_model_until_the_switch_and_then_to_the_new_one(
    models: TwoModels, admin: Actor, actor: Actor
) -> None:
    for text in TEXTS:
        remember(actor, text)
    begun(admin)
    models.asked.clear()
    assert semantic(actor, "the cache is")[0] == TEXTS[0]
    assert {name for name, _texts in models.asked} == {OLD}
    reembedding.switch(actor=admin, model=NEW)
    models.asked.clear()
    assert semantic(actor, "the cache is")[0] == TEXTS[0]
    assert {name for name, _texts in models.asked} == {NEW}


def test_recall_never_compares_what_only_the_other_model_has_seen(
    models: TwoModels, admin: Actor, actor: Actor
) -> None:
    seen = remember(actor, TEXTS[0])
    switched(admin)
    forget_model_of(actor.space_id)
    Memory.objects.filter(pk=seen.pk).update(other_embedding=None, other_model="")
    assert semantic(actor, "the cache is") == []


def test_writes_meanwhile_are_embedded_with_the_model_in_use_alone(
    models: TwoModels, admin: Actor, actor: Actor
) -> None:
    begun(admin)
    write_memory(actor=actor, content=TEXTS[0])
    assert places(actor) == [ONLY_OLD]
    assert not state(admin).ready


def test_what_was_written_since_is_embedded_by_the_sweep_and_by_the_switch(
    models: TwoModels, admin: Actor, actor: Actor
) -> None:
    begun(admin)
    write_memory(actor=actor, content=TEXTS[0])
    assert embed_waiting() == 1
    assert places(actor) == [BOTH]
    write_memory(actor=actor, content=TEXTS[1])
    reembedding.switch(actor=admin, model=NEW)
    assert places(actor) == [BOTH]


def test_a_write_that_races_with_the_switch_gets_the_new_models_vector(
    models: TwoModels, admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(admin)

    def embedded_then_switched(memory: Memory) -> Memory:
        found = embedded(memory)
        reembedding.switch(actor=admin, model=NEW)
        return found

    monkeypatch.setattr("memories.writing.write.embedded", embedded_then_switched)
    late = write_memory(actor=actor, content=TEXTS[0]).memory
    assert Memory.objects.get(pk=late.pk).embedding_model == OLD_ID
    assert semantic(actor, "the cache is") == []
    assert embed_waiting() == 1
    assert places(actor) == [BOTH]
    assert semantic(actor, "the cache is") == [TEXTS[0]]


def test_it_does_not_switch_while_many_lack_their_vector(
    models: TwoModels, admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memories.writing.reembedding.BATCH", 1)
    for text in TEXTS:
        remember(actor, text)
    reembedding.begin_change(actor=admin, model=NEW)
    with pytest.raises(Invalid, match="3 memories have no vector"):
        reembedding.switch(actor=admin, model=NEW)
    assert Space.objects.get(pk=actor.space_id).embedding_model == ""


def test_the_way_back_is_exact_and_lacks_nothing_written_since(
    models: TwoModels, admin: Actor, actor: Actor
) -> None:
    for text in TEXTS[:2]:
        remember(actor, text)
    before = list(Memory.objects.order_by("pk").values("pk", "embedding", "version", "updated_at"))
    switched(admin)
    write_memory(actor=actor, content=TEXTS[2])
    reembedding.switch(actor=admin, model=OLD)
    after = Memory.objects.order_by("pk").values("pk", "embedding", "version", "updated_at")
    assert [str(row) for row in after[:2]] == [str(row) for row in before]
    assert semantic(actor, "backups go to the cold store")[0] == TEXTS[2]
    assert places(actor) == sorted([BOTH, (NEW_ID, DIMENSIONS[NEW], OLD_ID, DIMENSIONS[OLD])])


def test_a_text_changed_after_the_switch_forgets_what_the_old_model_made_of_it(
    models: TwoModels, admin: Actor, actor: Actor, person: Actor
) -> None:
    known = remember(actor, TEXTS[0])
    switched(admin)
    update_memory(actor=person, memory_id=known.pk, expected_version=1, content="A new text.")
    assert places(actor) == [ONLY_NEW]
    embed_waiting()
    assert places(actor) == [(NEW_ID, DIMENSIONS[NEW], OLD_ID, DIMENSIONS[OLD])]


def test_asking_twice_for_the_switch_is_asking_once(
    models: TwoModels, admin: Actor, actor: Actor
) -> None:
    switched(admin)
    reembedding.switch(actor=admin, model=NEW)
    assert Space.objects.get(pk=actor.space_id).embedding_model == NEW
    assert Event.objects.filter(verb="model_switched").count() == 1


def test_ended_after_the_switch_only_the_new_vectors_stay(
    models: TwoModels, admin: Actor, actor: Actor
) -> None:
    for text in TEXTS:
        remember(actor, text)
    switched(admin)
    run = ended(admin)
    assert (run.state, run.counts) == ("done", {"moved": 3})
    assert places(actor) == [ONLY_NEW]
    assert semantic(actor, "the cache is")[0] == TEXTS[0]


def test_ended_before_the_switch_everything_is_as_it_was(
    models: TwoModels, admin: Actor, actor: Actor
) -> None:
    for text in TEXTS:
        remember(actor, text)
    begun(admin)
    assert ended(admin).counts == {"dropped": 3}
    assert places(actor) == [ONLY_OLD]
    assert Space.objects.get(pk=actor.space_id).other_model == ""


def test_what_was_changed_with_the_former_model_after_the_end_is_embedded_anew(
    models: TwoModels, admin: Actor, actor: Actor
) -> None:
    early, _other = remember(actor, TEXTS[0]), remember(actor, TEXTS[1])
    switched(admin)
    run = reembedding.finish(actor=admin)
    jobs.carry_on(run.pk)
    run.refresh_from_db()
    assert (run.state, run.done) == ("waiting", 2)  # for writes like the next
    Memory.objects.filter(pk=early.pk).update(embedding_model=OLD_ID)
    began = run.created_at - timedelta(minutes=2)
    JobRun.objects.filter(pk=run.pk).update(not_before=None, started_at=began)
    jobs.carry_on(run.pk)
    run.refresh_from_db()
    assert (run.state, run.counts) == ("done", {"moved": 2, "wait": 1})
    assert embed_waiting() == 1
    assert places(actor) == [ONLY_NEW]


def test_a_refused_text_stops_no_other_and_does_not_hold_up_the_switch(
    models: TwoModels, admin: Actor, actor: Actor
) -> None:
    for text in (*TEXTS, "This one is poison for it."):
        remember(actor, text)
    models.refused = "poison"
    run = begun(admin)
    assert run.counts == {"embedded": 3, "refused": 1}
    assert state(admin).refused == 1
    reembedding.switch(actor=admin, model=NEW)
    assert semantic(actor, "the cache is")[0] == TEXTS[0]


def test_it_waits_while_the_embedder_is_away_and_loses_nothing(
    models: TwoModels, admin: Actor, actor: Actor
) -> None:
    remember(actor, TEXTS[0])
    models.away = {NEW}
    run = begun(admin)
    assert run.state == "waiting"
    assert "It is loading." in run.note
    models.away = set()
    JobRun.objects.filter(pk=run.pk).update(not_before=None)
    jobs.carry_on(run.pk)
    assert places(actor) == [BOTH]


def test_a_space_can_leave_a_model_that_is_gone(
    models: TwoModels, admin: Actor, actor: Actor
) -> None:
    for text in TEXTS:
        remember(actor, text)
    models.away = {OLD}
    switched(admin)
    assert semantic(actor, "the cache is")[0] == TEXTS[0]


def test_what_was_deleted_gets_its_vector_too_since_it_may_be_restored(
    models: TwoModels, admin: Actor, actor: Actor
) -> None:
    gone = remember(actor, TEXTS[0])
    Memory.objects.filter(pk=gone.pk).update(status="deleted")
    begun(admin)
    assert places(actor) == [BOTH]


def test_another_space_is_left_alone(
    models: TwoModels, admin: Actor, actor: Actor, stranger: Actor
) -> None:  # D1
    remember(stranger, TEXTS[0])
    switched(admin)
    assert places(stranger) == [ONLY_OLD]
    assert semantic(stranger, "the cache is") == [TEXTS[0]]
    assert ended(admin).counts == {}
    assert places(stranger) == [ONLY_OLD]


def test_only_admins_change_the_model(models: TwoModels, person: Actor) -> None:
    with pytest.raises(NotAllowed):
        reembedding.begin_change(actor=person, model=NEW)
    with pytest.raises(NotAllowed):
        reembedding.switch(actor=person, model=NEW)
    with pytest.raises(NotAllowed):
        reembedding.finish(actor=person)


@pytest.mark.parametrize(
    ("model", "told"), [("no/such", "EMBEDDING_MODELS"), (OLD, "uses this model already")]
)
def test_it_takes_only_another_of_the_allowed_models(
    models: TwoModels, admin: Actor, model: str, told: str
) -> None:
    with pytest.raises(Invalid, match=told):
        reembedding.begin_change(actor=admin, model=model)


def test_it_says_who_began_switched_and_ended_it(
    models: TwoModels, admin: Actor, actor: Actor
) -> None:
    switched(admin)
    reembedding.finish(actor=admin)
    told = Event.objects.filter(verb__startswith="model_").order_by("pk")
    assert [(event.verb, event.actor_name) for event in told] == [
        ("model_change_begun", "ada"),
        ("model_switched", "ada"),
        ("model_change_ended", "ada"),
    ]
