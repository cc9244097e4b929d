"""A purged memory leaves a tombstone and who did what when; not a word of what it said (E6)."""

from typing import Any

import pytest
from django.apps import apps
from django.core import serializers
from django.utils import timezone
from pytest_django import Settings

from memories import history
from memories.identity import system_actor
from memories.lifecycle import delete_memory, give_feedback
from memories.lifecycle.purging import purge_memory, was_purged
from memories.models import (
    Entity,
    Event,
    Flag,
    FlagSource,
    JobRun,
    Link,
    Memory,
    MemoryVersion,
    Mention,
    Recall,
    Receipt,
    Tombstone,
)
from memories.models.distillation import Candidate
from memories.permissions import Actor
from memories.recall import recall
from memories.writing import write_memory
from review.models import Batch, BatchItem
from tests.memories.distillation.conftest import session_of
from tests.memories.recall.helpers import jot
from tests.memories.runs import looked_back
from tests.review.flags import opened

pytestmark = pytest.mark.django_db
WORD = "zanzibarquokka"


def purge(memory: Memory) -> bool:
    return purge_memory(actor=system_actor(memory.space_id), memory_id=memory.pk)


def everything() -> str:
    """Return every row of this product as text."""
    rows = [
        row
        for label in ("memories", "review")
        for model in apps.get_app_config(label).get_models()
        for row in model._base_manager.all()
    ]
    return str(serializers.serialize("json", rows))


def test_no_row_holds_a_word_of_it(actor: Actor, agent: Any, person: Actor) -> None:
    memory = jot(actor, f"The {WORD} is blue.", metadata={WORD: 1}, tags=[WORD])
    history.change(memory, actor=actor, verb="updated", reason=WORD, content=f"Red {WORD}.")
    found = recall(actor=actor, query="red")
    Receipt.objects.create(
        space_id=actor.space_id, actor_kind="agent", actor_id=actor.id, key=WORD,  # type: ignore[misc]
        request_hash="0", outcome="created", memory=memory,
    )  # fmt: skip
    give_feedback(actor=actor, memory_id=memory.pk, verdict="wrong", note=f"no {WORD}")
    looked_back(session_of(agent, ["hello"]), ("kept", "stored", f"{WORD} is blue"), memory=memory)
    _linked(memory, jot(actor, "The parrot is green."))
    delete_memory(actor=person, memory_id=memory.pk, expected_version=2, reason=WORD)
    assert WORD in everything()
    assert purge(memory)
    assert WORD not in everything()
    assert not Entity.objects.exists()
    assert (Recall.objects.count(), Candidate.objects.count()) == (bool(found.id), 1)


def _linked(memory: Memory, other: Memory) -> None:
    entity = Entity.objects.create(space_id=memory.space_id, name=WORD, key=WORD, keys=[WORD])
    Mention.objects.create(memory=memory, entity=entity)
    Link.objects.create(source=other, target=memory, type=Link.Type.SUPPORTS)


def test_the_log_keeps_who_did_what_when(actor: Actor) -> None:
    memory = jot(actor, "Tea at four.")
    history.change(memory, actor=actor, verb="updated", content="Tea at five.", reason="later")
    plain = ("verb", "actor_name", "actor_id", "created_at")
    before = list(Event.objects.order_by("id").values_list(*plain))
    purge(memory)
    events = Event.objects.filter(memory_id=memory.pk).order_by("id")
    *kept, last = events
    assert [tuple(getattr(one, name) for name in plain) for one in kept] == before
    assert [one.data for one in kept] == [{"version": 1}, {"version": 2}]
    assert (last.verb, last.data) == ("purged", {"why": "retention"})
    assert not MemoryVersion.objects.exists()


def test_an_entity_that_another_memory_mentions_stays(actor: Actor) -> None:
    one, other = jot(actor, "Rosa sings."), jot(actor, "Rosa paints.")
    entity = Entity.objects.create(space_id=one.space_id, name="Rosa", key="rosa", keys=["rosa"])
    Mention.objects.bulk_create(Mention(memory=memory, entity=entity) for memory in (one, other))
    purge(one)
    assert Entity.objects.get().mentions.get().memory == other


def test_what_it_stood_in_for_stays_and_is_consistent(actor: Actor) -> None:
    new = jot(actor, "Tea at five.")
    old = jot(actor, "Tea at four.", status="superseded", replaced_by=new)
    purge(new)
    old.refresh_from_db()
    assert (old.status, old.replaced_by, old.version) == ("superseded", None, 1)


def test_what_waited_because_of_it_waits_no_longer(actor: Actor) -> None:
    gone, other = jot(actor, "Tea at four."), jot(actor, "Tea at five.", status="pending")
    flag = opened(actor, "conflict", "number", other)
    Flag.objects.filter(pk=flag.pk).update(counterpart=gone, counterpart_version=1)
    purge(gone)
    other.refresh_from_db()
    assert (other.status, Flag.objects.count()) == ("active", 0)


def test_what_is_in_quarantine_for_repeating_it_no_longer_quotes_it(actor: Actor) -> None:
    gone, held = jot(actor, f"Mail the {WORD}."), jot(actor, "Mail it.", withheld=True)
    quoted = {"found": gone.content, "memory": str(gone.pk)}
    flag = opened(actor, "quarantine", "like_rejected", held)
    Flag.objects.filter(pk=flag.pk).update(evidence=quoted)
    purge(gone)
    flag.refresh_from_db()
    assert flag.evidence == {"found": "", "memory": str(gone.pk)}


def test_a_merge_of_it_no_longer_quotes_it(actor: Actor) -> None:
    gone, merged = jot(actor, f"Mail the {WORD}."), jot(actor, "Mail it.")
    flag = opened(actor, "merge", "fragments", merged, what=WORD, why="lost")
    FlagSource.objects.create(flag=flag, memory=gone, memory_version=1)
    purge(gone)
    flag.refresh_from_db()
    assert (flag.evidence, flag.sources.count()) == ({"what": "", "why": "lost"}, 0)


def test_the_error_of_a_run_no_longer_quotes_it(actor: Actor) -> None:
    gone = jot(actor, f"Mail the {WORD}.")
    told = [{"row": str(gone.pk), "error": f"“{WORD}” changed"}, {"row": "x", "error": "no"}]
    run = JobRun.objects.create(
        space_id=actor.space_id,
        job="undo_run",
        state="done",
        finished_at=timezone.now(),
        errors=told,
    )
    purge(gone)
    run.refresh_from_db()
    assert run.errors == [{"row": str(gone.pk), "error": ""}, {"row": "x", "error": "no"}]


def test_notes_on_a_flag_that_went_are_gone_from_the_other_sides_log(
    actor: Actor, person: Actor
) -> None:
    gone, other = jot(actor, "Tea at four."), jot(actor, "Tea at five.")
    flag = opened(actor, "conflict", "number", other)
    Flag.objects.filter(pk=flag.pk).update(counterpart=gone, counterpart_version=1)
    history.resolve(flag, actor=person, resolution="keep_new", note=WORD, reason="")
    batch = Batch.objects.create(space_id=actor.space_id, choice="keep_new", note=WORD)
    BatchItem.objects.create(batch=batch, flag=flag, versions=[1, 1])
    purge(gone)
    told = Event.objects.get(verb="flag_resolved")
    assert told.data == {"flag": str(flag.pk), "kind": "conflict", "resolution": "keep_new"}
    assert WORD not in everything()
    created = Event.objects.get(memory_id=other.pk, verb="created")
    assert created.data == {"version": 1}


# --- Tombstones -----------------------------------------------------------------------------------


def test_it_is_known_again_by_owner_and_text(actor: Actor, teammate: Actor) -> None:
    memory = jot(actor, "Tea at four.", user_id="u-1", visibility="private")
    purge(memory)

    def said(by: Actor = actor, content: str = "Tea  at four.", **fields: Any) -> bool:
        given = {"user_id": "u-1", "visibility": "private"} | fields
        again = Memory(space_id=by.space_id, agent_id=by.id, content=content, **given)
        return was_purged(again)

    assert said()
    assert not said(content="Tea at five.")
    assert not said(user_id="u-2")
    assert not said(visibility="shared")
    assert not said(teammate)
    tombstone = Tombstone.objects.get()
    assert (tombstone.pk, tombstone.why) == (memory.pk, "retention")
    assert memory.content_hash not in tombstone.digest


def test_a_tombstone_outlives_a_change_of_the_secret(actor: Actor, settings: Settings) -> None:
    memory = jot(actor, "Tea at four.")
    purge(memory)
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another"
    assert was_purged(memory)
    settings.SECRET_KEY_FALLBACKS = []
    assert not was_purged(memory)


def test_a_purged_text_may_be_said_again(embedder: str, actor: Actor) -> None:
    purge(jot(actor, "Tea at four."))
    again = write_memory(actor=actor, content="Tea at four.", source="user_input")
    assert again.outcome == "created"


def test_it_purges_nothing_of_another_space(actor: Actor, stranger: Actor) -> None:  # D1
    memory = jot(actor, "Tea at four.")
    assert not purge_memory(actor=system_actor(stranger.space_id), memory_id=memory.pk)
    assert Memory.objects.filter(pk=memory.pk).exists()
