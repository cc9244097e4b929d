"""Runs begin: by schedule, by a person; one at a time (I5)."""

from datetime import timedelta

import pytest
from django.utils import timezone

from memories import jobs
from memories.errors import Invalid, NotAllowed, NotFound
from memories.jobs.starting import get_run
from memories.models import JobRun, Policy, Space
from memories.permissions import Actor
from tests.memories.jobs.toys import install, marking

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


def test_it_has_one_open_run_of_a_job(admin: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, marking())
    run = jobs.start(actor=admin, job="toy")
    assert jobs.start(actor=admin, job="toy", trial=True).pk == run.pk
    assert JobRun.objects.get().started_by_name == "ada"


def test_it_names_the_jobs_there_are(admin: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, marking())
    with pytest.raises(Invalid, match="There are: toy"):
        jobs.start(actor=admin, job="dance")


def test_it_lets_admins_only_start(
    actor: Actor, person: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, marking())
    for one in (actor, person):
        with pytest.raises(NotAllowed):
            jobs.start(actor=one, job="toy")


def test_it_shows_a_run_to_nobody_else(  # D1
    admin: Actor, actor: Actor, stranger: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, marking())
    run = jobs.start(actor=admin, job="toy")
    for one in (actor, stranger):
        with pytest.raises(NotFound):
            get_run(actor=one, run_id=run.pk)


def test_it_starts_what_is_due_once_an_interval(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, marking(interval=lambda _policy: 1.0))
    now = timezone.now()
    assert jobs.start_due(now) == 1
    assert jobs.start_due(now) == 0
    run = JobRun.objects.get()
    assert (run.trigger, run.started_by_name, run.space_id) == ("schedule", "system", space.pk)
    jobs.carry_on(run.pk)
    assert jobs.start_due(run.created_at + DAY - timedelta(seconds=1)) == 0
    assert jobs.start_due(run.created_at + DAY) == 1


def test_it_is_not_due_while_the_last_run_is_open(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, marking(interval=lambda _policy: 1.0))
    jobs.start_due()
    assert jobs.start_due(timezone.now() + 3 * DAY) == 0
    assert JobRun.objects.filter(space=space).count() == 1


def test_it_asks_the_policy_of_the_space_how_often(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, marking(interval=lambda policy: policy.audit_days))
    Policy.objects.create(space=space, version=1, numbers={"jobs": {"audit_days": 0}})
    assert jobs.start_due() == 0


def test_it_is_not_put_off_by_a_trial(admin: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, marking(interval=lambda _policy: 1.0))
    trial = jobs.start(actor=admin, job="toy", trial=True)
    jobs.carry_on(trial.pk)
    assert jobs.start_due() == 1


def test_it_forgets_old_runs_but_no_receipt(
    admin: Actor, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, marking())
    long_ago = timezone.now() - timedelta(days=91)
    for job in ("toy", "erase_user"):
        JobRun.objects.create(space=space, job=job, state="done", finished_at=long_ago)
    jobs.start_due()
    assert [run.job for run in JobRun.objects.all()] == ["erase_user"]


def test_it_goes_on_only_with_what_ended_badly(
    admin: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(monkeypatch, marking())
    run = jobs.start(actor=admin, job="toy")
    with pytest.raises(Invalid, match="failed or was stopped"):
        jobs.retry(actor=admin, run_id=run.pk)
    jobs.stop(actor=admin, run_id=run.pk)
    with pytest.raises(Invalid, match="ended already"):
        jobs.stop(actor=admin, run_id=run.pk)
    jobs.start(actor=admin, job="toy")
    with pytest.raises(Invalid, match="Another run"):
        jobs.retry(actor=admin, run_id=run.pk)
