"""Recalls leave the log after the policy's time; what was judged, and the counts, stay (C6)."""

from dataclasses import replace
from typing import Any

import pytest
from django.utils import timezone

from memories import jobs
from memories.jobs.kinds import trim_log
from memories.models import (
    Evaluation,
    Feedback,
    Hit,
    JobRun,
    Judgement,
    Memory,
    Policy,
    Recall,
)
from memories.permissions import Actor
from tests.memories.recall.asked import asked
from tests.memories.recall.helpers import jot

pytestmark = pytest.mark.django_db


def ran(admin: Actor, **how: Any) -> JobRun:
    run = jobs.start(actor=admin, job="trim_log", **how)
    jobs.carry_on(run.pk)
    run.refresh_from_db()
    return run


def left() -> set[str]:
    return set(Recall.objects.values_list("query", flat=True))


def test_it_removes_old_recalls_with_their_hits(admin: Actor, actor: Actor) -> None:
    memory = jot(actor, "Tea at four.")
    asked(actor, "old", memory, days=401)
    asked(actor, "fresh", memory, days=399)
    run = ran(admin)
    assert (run.state, run.counts, run.total) == ("done", {"removed": 1}, 1)
    assert left() == {"fresh"}
    assert Hit.objects.count() == 1
    assert Memory.objects.get().recall_count == 2


def test_the_time_is_the_policys(admin: Actor, actor: Actor) -> None:
    asked(actor, "old", days=3)
    Policy.objects.create(space_id=actor.space_id, numbers={"aging": {"log_days": 2}})
    ran(admin)
    assert left() == set()


def test_it_takes_as_many_batches_as_there_are(
    admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(5):
        asked(actor, f"{n}", days=500 - n)
    monkeypatch.setattr("memories.jobs.runner.JOBS", {"trim_log": replace(trim_log.JOB, batch=2)})
    assert ran(admin).counts == {"removed": 5}
    assert left() == set()


def test_what_was_judged_stays(admin: Actor, actor: Actor) -> None:
    memory = jot(actor, "Tea at four.")
    judged = asked(actor, "judged", memory, days=900)
    asked(actor, "old", memory, days=900)
    evaluation = Evaluation.objects.create(
        space_id=actor.space_id, since=timezone.now(), asked=2, unanswered=0
    )
    Judgement.objects.create(
        evaluation=evaluation, recall=judged, memory=memory, memory_version=1, rank=1
    )
    assert ran(admin).counts == {"removed": 1}
    assert left() == {"judged"}
    assert Judgement.objects.exists()


def test_what_was_said_of_a_hit_outlives_the_recall(admin: Actor, actor: Actor) -> None:
    memory = jot(actor, "Tea at four.")
    recall = asked(actor, "old", memory, days=900)
    Feedback.objects.create(memory=memory, memory_version=1, recall=recall, verdict="useful")
    ran(admin)
    assert Feedback.objects.get().recall_id is None


def test_twice_is_once(admin: Actor, actor: Actor) -> None:  # I5
    asked(actor, "old", days=500)
    assert ran(admin).counts == {"removed": 1}
    assert ran(admin).counts == {}


def test_a_dry_run_counts_and_changes_nothing(admin: Actor, actor: Actor) -> None:
    asked(actor, "old", jot(actor, "Tea at four."), days=500)
    assert ran(admin, trial=True).counts == {"removed": 1}
    assert left() == {"old"}
    assert Hit.objects.exists()


def test_another_space_keeps_its_log(admin: Actor, stranger: Actor) -> None:  # D1
    asked(stranger, "theirs", days=999)
    assert ran(admin).counts == {}
    assert left() == {"theirs"}
