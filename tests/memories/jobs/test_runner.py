"""Runs: batch after batch, resumed, stopped, tried, and never in the way of the rest (I5)."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import OperationalError
from django.utils import timezone

from memories import jobs
from memories.errors import Invalid
from memories.jobs.base import Later
from memories.models import Event, JobRun, Memory, MemoryVersion
from memories.permissions import Actor
from tests.memories.jobs.toys import install, marking, seen, some

pytestmark = pytest.mark.django_db


def test_it_does_every_row_and_says_what_it_did(
    admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, marking())
    some(actor)
    run = jobs.start(actor=admin, job="toy")
    assert jobs.carry_on(run.pk)
    run.refresh_from_db()
    assert (run.state, run.done, run.total, run.counts) == ("done", 5, 5, {"marked": 5})
    assert run.started_at
    assert run.finished_at
    assert run.claimed_until is None
    assert seen(actor) == 5
    done = Event.objects.get(verb="job_done")
    assert done.data == {"run": str(run.pk), "job": "toy", "counts": {"marked": 5}}


def test_it_writes_everything_as_one_operation(
    admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, marking())
    some(actor)
    run = jobs.start(actor=admin, job="toy")
    jobs.carry_on(run.pk)
    assert MemoryVersion.objects.filter(operation=run.pk).count() == 5


def test_it_changes_nothing_when_run_again(
    admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, marking())
    some(actor)
    for _again in range(2):
        run = jobs.start(actor=admin, job="toy")
        jobs.carry_on(run.pk)
    run.refresh_from_db()
    assert (run.done, run.counts) == (5, {})


def test_it_takes_a_trial_back_and_keeps_its_counts(
    admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, marking())
    some(actor)
    before = list(Memory.objects.order_by("pk").values())
    events = Event.objects.count()
    run = jobs.start(actor=admin, job="toy", trial=True)
    started = Event.objects.count() - events
    jobs.carry_on(run.pk)
    run.refresh_from_db()
    assert (run.state, run.counts) == ("done", {"marked": 5})
    assert list(Memory.objects.order_by("pk").values()) == before
    assert Event.objects.count() == events + started


def test_it_refuses_a_trial_where_there_is_none(
    admin: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, marking(trial=False))
    with pytest.raises(Invalid, match="no dry run"):
        jobs.start(actor=admin, job="toy", trial=True)


def test_it_leaves_a_row_that_fails_and_does_the_rest(
    admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    poisoned = some(actor)[2]

    def hook(memory: Memory) -> None:
        memory.tags = ["half done"]
        memory.save()
        if memory.pk == poisoned.pk:
            raise ValueError("the text of the memory")

    install(monkeypatch, marking(hook))
    run = jobs.start(actor=admin, job="toy")
    jobs.carry_on(run.pk)
    run.refresh_from_db()
    assert (run.state, run.failed, run.counts) == ("done", 1, {"marked": 4})
    # The error names the row, and none of its words.
    assert run.errors == [{"row": str(poisoned.pk), "error": "ValueError"}]
    assert Memory.objects.get(pk=poisoned.pk).tags == []


def test_it_goes_on_where_its_time_was_over(
    admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, marking())
    some(actor)
    run = jobs.start(actor=admin, job="toy")
    assert not jobs.carry_on(run.pk, seconds=0)
    run.refresh_from_db()
    assert (run.state, run.done, run.claimed_until) == ("running", 2, None)
    assert jobs.waiting() == [run.pk]
    assert jobs.carry_on(run.pk)
    run.refresh_from_db()
    assert (run.state, run.done, run.deaths) == ("done", 5, 0)


def test_it_keeps_off_a_run_that_another_worker_has(
    admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, marking())
    some(actor)
    run = jobs.start(actor=admin, job="toy")
    soon = timezone.now() + timedelta(minutes=1)
    JobRun.objects.update(state="running", claimed_until=soon, token=uuid4())
    assert jobs.waiting() == []
    assert jobs.carry_on(run.pk)
    assert seen(actor) == 0


def test_it_drops_its_step_when_another_worker_has_taken_the_run(
    admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that slept past its lease finds out before anything of it stays."""

    def slept(_asked: object, _rows: object) -> None:
        JobRun.objects.update(token=uuid4())

    install(monkeypatch, marking(prepare=slept))
    some(actor)
    run = jobs.start(actor=admin, job="toy")
    assert jobs.carry_on(run.pk)
    run.refresh_from_db()
    assert (run.state, run.done, seen(actor)) == ("running", 0, 0)


def test_it_waits_for_a_service_that_is_away(
    admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = [True]

    def prepare(_asked: object, _rows: object) -> None:
        if away:
            raise Later("The embedder does not answer.")

    install(monkeypatch, marking(prepare=prepare))
    some(actor)
    run = jobs.start(actor=admin, job="toy")
    jobs.carry_on(run.pk)
    run.refresh_from_db()
    assert (run.state, run.note) == ("waiting", "The embedder does not answer.")
    assert jobs.waiting() == []  # not at once
    away.clear()
    JobRun.objects.update(not_before=timezone.now() - timedelta(seconds=1))
    jobs.carry_on(run.pk)
    run.refresh_from_db()
    assert (run.state, run.note, run.counts) == ("done", "", {"marked": 5})


def test_it_fails_with_a_reason_and_can_go_on(
    admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_asked: object, _rows: object) -> None:
        raise ZeroDivisionError

    install(monkeypatch, marking(prepare=broken))
    some(actor)
    run = jobs.start(actor=admin, job="toy")
    jobs.carry_on(run.pk)
    run.refresh_from_db()
    assert (run.state, run.note) == ("failed", "An error of the program: ZeroDivisionError")
    install(monkeypatch, marking())
    jobs.retry(actor=admin, run_id=run.pk)
    jobs.carry_on(run.pk)
    run.refresh_from_db()
    assert (run.state, run.counts) == ("done", {"marked": 5})


def test_it_looks_for_the_row_that_kills_and_leaves_it_out(
    admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    deadly = some(actor)[0]

    def hook(memory: Memory) -> None:
        if memory.pk == deadly.pk:
            raise OperationalError  # ends this worker's turn, as a kill does

    install(monkeypatch, marking(hook))
    run = jobs.start(actor=admin, job="toy")
    for _worker in range(3):
        with pytest.raises(OperationalError):
            jobs.carry_on(run.pk)
        # A killed worker releases nothing: its lease lapses.
        JobRun.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
    jobs.carry_on(run.pk)
    run.refresh_from_db()
    assert (run.state, run.done, run.counts) == ("done", 5, {"marked": 4})
    assert run.errors == [{"row": str(deadly.pk), "error": "Left out: 3 workers died here."}]


def test_it_stops_between_two_batches(
    admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopping(_asked: object, _rows: object) -> None:
        run = JobRun.objects.get()
        if run.done == 2 and not seen_once:
            seen_once.append(run)
            jobs.stop(actor=admin, run_id=run.pk)

    seen_once: list[JobRun] = []
    install(monkeypatch, marking(prepare=stopping))
    some(actor)
    run = jobs.start(actor=admin, job="toy")
    jobs.carry_on(run.pk)
    run.refresh_from_db()
    assert (run.state, run.note, seen(actor)) == ("stopped", "Stopped by ada.", 2)
    jobs.retry(actor=admin, run_id=run.pk)
    jobs.carry_on(run.pk)
    assert seen(actor) == 5


def test_it_fails_when_its_job_is_gone(
    admin: Actor, actor: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, marking())
    run = jobs.start(actor=admin, job="toy")
    install(monkeypatch)
    assert jobs.carry_on(run.pk)
    run.refresh_from_db()
    assert (run.state, run.note) == (
        "failed",
        "There is no such job in this version of the product.",
    )
