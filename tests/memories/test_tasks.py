"""Celery's doors: what waits is found without a nudge, and one bad row does not stop the rest."""

from datetime import timedelta

import pytest
from django.utils import timezone

from memories import tasks
from memories.distillation import rules
from memories.distillation.proposal import Proposal, Scene
from memories.models import Agent, DistillationRun, Memory, Session, Turn
from tests.memories.distillation.conftest import proposal, session_of

pytestmark = pytest.mark.usefixtures("embedder")


def test_it_distils_what_waits_and_does_not_stop_at_a_bad_one(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    def propose(turns: list[Turn], scene: Scene) -> list[Proposal]:
        if scene.task == "bad":
            raise ValueError("poisoned")
        return [proposal(f"{scene.task} lives in Berlin.")]

    monkeypatch.setattr(rules, "propose", propose)
    for task in ("bad", "Ann", "Bob"):
        session_of(agent, ["x"], key=task, task=task)
    assert tasks.distil_waiting() == 2
    assert Memory.objects.count() == 2
    assert sorted(run.state for run in DistillationRun.objects.all()) == ["done", "done", "failed"]


def test_it_leaves_the_rest_to_the_next_sweep_when_time_is_up(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "SWEEP", 0.0)
    for key in ("first", "second"):
        session_of(agent, ["I never eat fish."], key=key)
    assert [tasks.distil_waiting() for _sweep in range(3)] == [1, 1, 0]


def test_it_ends_and_distils_a_session_that_nobody_ended(agent: Agent) -> None:
    session = session_of(agent, ["Remember that I never eat fish."])
    Session.objects.update(
        ended_at=None, ended_by="", touched_at=timezone.now() - timedelta(hours=1)
    )
    assert tasks.end_idle_sessions() == 1
    assert tasks.distil(str(session.pk)) == 1
    session.refresh_from_db()
    assert (session.ended_by, session.distilled_through) == ("idle", 1)


def test_it_purges_what_is_old_and_distilled(agent: Agent) -> None:
    session = session_of(agent, ["x"])
    Session.objects.update(touched_at=timezone.now() - timedelta(days=90))
    assert tasks.purge_old_turns() == 0
    Session.objects.update(distilled_through=1)
    assert tasks.purge_old_turns() == 1
    assert not session.turns.exists()
