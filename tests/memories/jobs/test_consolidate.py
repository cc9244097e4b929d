"""Consolidation proposes, flags what contradicts itself, and loses nothing meanwhile (E4, E8)."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from pytest_django import Settings

from memories import jobs
from memories.consolidation import proposing
from memories.jobs.kinds import consolidate
from memories.lifecycle import delete_memory, update_memory
from memories.models import Flag, JobRun, Memory, MemoryVersion
from memories.permissions import Actor
from memories.policy_changes import change_policy
from memories.recall import recall
from memories.writing import write_memory
from tests.memories.consolidation.samples import (
    DEPLOY,
    DIET,
    EARLIER,
    LATER,
    RELEASE,
    contradicted,
    remembered,
)
from tests.memories.consolidation.test_llm import GOOD, model
from tests.memories.llm.server import Sent, fails, says
from tests.review.test_undo import everything

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("embedder")]


def ran(admin: Actor, *, trial: bool = False) -> JobRun:
    run = jobs.start(actor=admin, job="consolidate", trial=trial)
    jobs.carry_on(run.pk)
    run.refresh_from_db()
    assert (run.state, run.note, run.errors) == ("done", "", [])
    return run


def sources(flag: Flag) -> set[str]:
    return set(flag.sources.values_list("memory__content", flat=True))


def test_it_proposes_each_topic_and_changes_nothing_else(admin: Actor, actor: Actor) -> None:  # E4
    remembered(actor, [*RELEASE, *DEPLOY])
    before = everything()
    run = ran(admin)
    assert run.counts == {"proposed": 2}
    release, deploy = Flag.objects.filter(kind="merge").order_by("pk")
    assert (sources(release), sources(deploy)) == (set(RELEASE), set(DEPLOY))
    now = everything()
    assert {key: now[key] for key in before} == before


def test_its_proposals_say_who_wrote_them_and_belong_to_the_run(
    admin: Actor, actor: Actor
) -> None:  # E1
    remembered(actor, RELEASE)
    run = ran(admin)
    flag = Flag.objects.get()
    assert (flag.reason, flag.evidence, flag.opened_in) == (
        "fragments",
        {"writer": "sentences"},
        run.pk,
    )
    assert flag.scores.keys() == {"cosine", "least_cosine"}
    (version,) = MemoryVersion.objects.filter(operation=run.pk)
    assert (version.memory_id, version.actor_name) == (flag.memory_id, "job: consolidate")


def test_it_is_believed_like_the_best_of_its_sources(admin: Actor, actor: Actor) -> None:  # E8
    remembered(actor, RELEASE[:2], source="llm_reasoning")
    remembered(actor, RELEASE[2:], source="tool_result")
    ran(admin)
    assert Flag.objects.get().memory.confidence == 0.8


def test_agents_recall_the_sources_until_a_person_decides(admin: Actor, actor: Actor) -> None:
    remembered(actor, RELEASE)
    ran(admin)
    hits = recall(actor=actor, query="When does the Orion release train leave?").hits
    assert hits[0].memory.content == RELEASE[0]
    assert Flag.objects.get().memory_id not in {hit.memory.pk for hit in hits}


def test_a_second_run_changes_nothing(admin: Actor, actor: Actor) -> None:  # I5
    remembered(actor, [*RELEASE, *DEPLOY])
    ran(admin)
    before = everything()
    assert ran(admin).counts == {}
    assert everything() == before


def test_contradictions_are_flagged_and_not_merged(admin: Actor, actor: Actor) -> None:  # E3
    contradicted(actor)
    run = ran(admin)
    assert run.counts == {"conflict": 1, "proposed": 1}
    conflict = Flag.objects.get(kind="conflict")
    assert conflict.counterpart is not None
    assert {conflict.memory.content, conflict.counterpart.content} == {EARLIER, LATER}
    assert sources(Flag.objects.get(kind="merge")) == set(RELEASE)
    assert ran(admin).counts == {}


def test_it_looks_at_what_changed_and_at_all_after_a_change_of_policy(
    admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consolidate, "OVERLAP", consolidate.OVERLAP * 0)
    remembered(actor, RELEASE[:2])
    assert ran(admin).total == 2
    assert ran(admin).total == 0
    remembered(actor, RELEASE[2:])
    run = ran(admin)
    assert (run.total, run.counts) == (1, {"proposed": 1})  # the new one finds the old ones
    remembered(actor, DIET[:2])
    ran(admin)
    change_policy(actor=admin, numbers={"consolidating.fragments": 2}, expected_version=0)
    assert ran(admin).counts == {"proposed": 1}


def test_a_dry_run_changes_nothing_and_asks_no_model(
    admin: Actor, actor: Actor, settings: Settings
) -> None:
    remembered(actor, RELEASE)
    before = everything()
    with model(settings, says({"content": GOOD})) as server:
        run = ran(admin, trial=True)
        assert (run.counts, server.got) == ({"proposed": 1}, [])
    assert (everything(), Flag.objects.count()) == (before, 0)


@pytest.mark.parametrize("limit", ["SLOW_BATCH", "MOST_PAIRS"])
def test_batches_do_not_meet(
    admin: Actor,
    actor: Actor,
    monkeypatch: pytest.MonkeyPatch,
    settings: Settings,
    limit: str,
) -> None:
    monkeypatch.setattr(consolidate, limit, 2)
    remembered(actor, [*RELEASE, *DEPLOY])
    remembered(actor, DIET, user_id="ann/小林")
    with model(settings, says("no JSON")):
        run = ran(admin)
    assert run.counts == {"proposed": 3}
    assert run.done == 9
    assert len(set(Flag.objects.values_list("sources__memory", flat=True))) == 9


def test_the_model_writes_if_there_is_one(admin: Actor, actor: Actor, settings: Settings) -> None:
    remembered(actor, RELEASE)
    with model(settings, says({"content": GOOD})):
        ran(admin)
    flag = Flag.objects.get()
    assert (flag.memory.content, flag.evidence) == (GOOD, {"writer": "llm"})


@pytest.mark.parametrize(
    "answer", [fails(500), says('{"content": "The Ori'), says({"content": "Trains leave."})]
)
def test_a_model_that_fails_leaves_it_to_the_sentences(
    admin: Actor, actor: Actor, settings: Settings, answer: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proposing, "CLUSTER_SECONDS", 1.5)
    remembered(actor, RELEASE)
    with model(settings, answer):
        ran(admin)
    flag = Flag.objects.get()
    assert all(text in flag.memory.content for text in RELEASE)
    assert flag.evidence["writer"] == "sentences"


# --- what is written while the model thinks -------------------------------------------------------


def _changed(actor: Actor, key: UUID) -> None:
    text = "The Orion release train leaves on Wednesday at 11:00."
    update_memory(actor=actor, memory_id=key, expected_version=1, content=text)


def _deleted(actor: Actor, key: UUID) -> None:
    delete_memory(actor=actor, memory_id=key)


def _doubted(actor: Actor, key: UUID) -> None:
    memory = Memory.objects.get(pk=key)
    fields = {"space_id": memory.space_id, "memory": memory, "memory_version": memory.version}
    Flag.objects.create(kind="feedback", reason="wrong", **fields)


@pytest.mark.parametrize("happens", [_changed, _deleted, _doubted])
def test_what_happens_during_the_call_stays_as_it_is(
    admin: Actor,
    actor: Actor,
    person: Actor,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    happens: Callable[[Actor, UUID], None],
) -> None:
    memory = remembered(actor, RELEASE)[0]
    written = proposing.planned
    seen: dict[str, Any] = {}

    def meanwhile(*args: Any, **kwargs: Any) -> Any:
        plan = written(*args, **kwargs)
        if not seen:
            happens(person, memory.pk)
            write_memory(actor=actor, content="The canteen closes at three.")
            seen.update(everything=everything())
        return plan

    monkeypatch.setattr(consolidate, "planned", meanwhile)
    with model(settings, says({"content": GOOD})):
        run = ran(admin)
    assert run.counts == {"moved": 1}
    assert everything() == seen["everything"]
    assert not Flag.objects.filter(kind="merge").exists()


def test_what_moved_is_proposed_by_the_next_run(
    admin: Actor, actor: Actor, person: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = remembered(actor, RELEASE)[0]
    written = proposing.planned

    def meanwhile(*args: Any, **kwargs: Any) -> Any:
        plan = written(*args, **kwargs)
        _changed(person, memory.pk)
        return plan

    with monkeypatch.context() as patch:
        patch.setattr(consolidate, "planned", meanwhile)
        assert ran(admin).counts == {"moved": 1}
    assert ran(admin).counts == {"proposed": 1}
    assert "Wednesday at 11:00" in Flag.objects.get(kind="merge").memory.content
